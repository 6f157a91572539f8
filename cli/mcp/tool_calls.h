// Answers calls of tools: checks arguments, runs the line that they become, and asks the user
// before anything changes.
#pragma once

#include <functional>
#include <string>

#include "cli/mcp/confirmation.h"
#include "cli/mcp/line_run.h"
#include "cli/mcp/protocol.h"
#include "cli/mcp/tools.h"

namespace trainctl::cli::mcp {

// The client, as a call that takes long sees it.
struct ClientLink {
  std::function<void(const std::string& line)> send;
  std::function<bool(const Json& id)> wants_no_answer;  // cancelled, or the client is gone
};

class ToolCalls {
 public:
  ToolCalls(Context& context, FixedPlace place, bool changes, ClientLink link);

  ToolOutcome operator()(const ToolCall& call);

 private:
  struct Preview;
  LineRun run(const ToolLine& line) { return run_line(context_, place_, line); }
  ToolOutcome look(const Tool& tool, const ToolCall& call);
  ToolResult wait(const ToolLine& line, const ToolCall& call);
  ToolOutcome change(const Tool& tool, const ToolCall& call);
  Preview preview(const Tool& tool, const ToolLine& line, const Json& arguments);

  Context& context_;
  FixedPlace place_;
  bool changes_;
  ClientLink link_;
  Confirmations confirmations_;
};

}  // namespace trainctl::cli::mcp
