// Answers calls of tools: checks arguments, runs the line that they become, and asks the user
// before anything changes. Calls that wait for a job do so together, while others are answered.
#pragma once

#include <deque>
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
  std::function<bool(const Json& id)> has_cancelled;
  std::function<bool()> has_spoken;  // a line of it can be read, or it is gone
};

class ToolCalls {
 public:
  ToolCalls(Context& context, McpTarget target, bool changes, ClientLink link);

  ToolOutcome operator()(const ToolCall& call);
  bool is_waiting() const { return !waits_.empty(); }
  // Looks for seconds at the job of one call that waits, until the client says something.
  void wait_on();
  // Answers all that wait by how things stand.
  void end_waits();
  void cancel(const Json& id);

 private:
  struct Preview;
  struct Wait {
    ToolCall call;
    ToolLine line;
    Time began;
    Duration limit;
  };
  LineRun run(const ToolLine& line) { return run_line(context_, target_, line); }
  ToolOutcome look(const Tool& tool, const ToolCall& call);
  ToolOutcome begin_wait(const ToolLine& line, const ToolCall& call);
  ToolOutcome change(const Tool& tool, const ToolCall& call);
  Preview preview(const Tool& tool, const ToolLine& line, const Json& arguments);

  Context& context_;
  McpTarget target_;
  bool changes_;
  ClientLink link_;
  Confirmations confirmations_;
  std::deque<Wait> waits_;  // the next one to look at first
};

}  // namespace trainctl::cli::mcp
