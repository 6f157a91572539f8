// Makes text safe for a CI system that executes commands found in a log.
#pragma once

#include <string>
#include <string_view>

namespace trainctl {

// GitHub's runner executes a line that begins with "::" after white space, and "##[" anywhere in a
// line, on either stream. An inserted blank makes them plain text.
std::string without_workflow_commands(std::string_view text);
// The same for a further piece of a line, since a mark may have begun in the piece before.
std::string continued_without_workflow_commands(std::string_view piece);

// The same for JSON text, whose value stays unchanged. It also holds for the output of to_yaml,
// which quotes every string with a '#' as JSON does and begins no line with a colon.
std::string json_without_workflow_commands(std::string json);

}  // namespace trainctl
