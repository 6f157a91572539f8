// Runs lines of trainctl in this process, and catches what they print.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/context.h"

namespace trainctl::cli::mcp {

struct LineRun {
  int status = 0;
  std::string out, err;
};

// The cluster and namespace of every line, as the user chose them when the server began.
struct McpTarget {
  std::vector<std::string> flags;
  std::string cluster, ns;  // as messages name them
};

// Reads the target from the command line that started the server, without the server's own flag.
Result<McpTarget> mcp_target(Context& context, const std::string& command,
                             const std::string& own_flag);

// Part of a wait that several lines share, so that others can run between them.
struct WaitPart {
  Time since;                        // when the first of them began
  std::function<bool()> must_pause;  // asked again and again; true ends the line
};

// Runs a line in a context of its own, which shares this one's cluster, loop and environment. With
// a part, the history gets no job that has not ended, and a line that must pause ends as by
// SIGTERM: Code::terminated.
LineRun run_line(Context& context, const McpTarget& target, const std::vector<std::string>& line,
                 const WaitPart* part = nullptr);

}  // namespace trainctl::cli::mcp
