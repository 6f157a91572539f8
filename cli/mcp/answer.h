// Makes short answers for a model from what lines of trainctl print: the digest first, at most
// 16 KiB as they are sent, and a note of what was cut.
#pragma once

#include <cstddef>
#include <string>

#include "cli/mcp/line_run.h"
#include "cli/mcp/protocol.h"

namespace trainctl::cli::mcp {

inline constexpr std::size_t k_longest_answer = 16 << 10;

// A line with a result is an answer, whatever its status: a failed job is no failed call.
ToolResult answer_of(const LineRun& run);
// The same for log records: lines as data, and a cursor for those that follow. Keeps the last
// `most` lines after `cursor` ("" = all).
ToolResult log_answer(const LineRun& run, std::size_t most, const std::string& cursor);
// An answer of one sentence.
ToolResult refusal(const std::string& message);
ToolResult answer_with(int status, Json result);

}  // namespace trainctl::cli::mcp
