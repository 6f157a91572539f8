// Makes text safe for a CI system that executes commands found in a log.
#pragma once

#include <string>
#include <string_view>

namespace trainctl {

// The CI system that reads a log. `plain` is one without commands of its own.
enum class CiSystem { none, plain, github, gitlab };

// GitHub's runner executes a line that begins with "::" after white space, and "##[" anywhere in a
// line, on either stream. GitLab folds its log at "section_start:" and "section_end:", wherever
// they stand. An inserted blank makes them plain text; for other systems the text is unchanged.
std::string without_ci_commands(CiSystem system, std::string_view text);
// The same for a further piece of a line, since a mark may have begun in the piece before.
std::string continued_without_ci_commands(CiSystem system, std::string_view piece);

// The same for JSON text, whose value stays unchanged. It also holds for the output of to_yaml,
// which quotes every string with a '#' as JSON does and begins no line with a colon.
std::string json_without_ci_commands(CiSystem system, std::string json);

}  // namespace trainctl
