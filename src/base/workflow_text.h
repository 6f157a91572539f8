// Text that a CI system reads in a log and must not obey.
#pragma once

#include <string>
#include <string_view>

namespace trainctl {

// GitHub's runner obeys a line that begins with "::" behind white space, and "##[" anywhere in a
// line, whichever stream it comes by. A blank in between makes them plain words.
std::string without_workflow_commands(std::string_view text);
// The same of a further piece of a line: a mark may have begun in the piece before.
std::string continued_without_workflow_commands(std::string_view piece);

// The same for JSON text, whose value stays what it is.
std::string json_without_workflow_commands(std::string json);

}  // namespace trainctl
