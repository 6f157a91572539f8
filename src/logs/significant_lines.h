// Tells lines of a log that may say how a program ended from those that never do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainctl::job {

// False for a blank line, for a progress bar that nothing follows, and for a request over HTTP that
// did not fail.
bool is_telling(std::string_view line);

// The telling lines of a text, such as a termination message; those with more than blanks where
// none tells anything.
std::vector<std::string> significant_lines(std::string_view text);

// The last of these lines that holds a word, as a digest shows it, without secrets. It names the
// error at the end of a traceback, also where torchrun draws rules behind it; "" = there is none.
std::string error_line(std::string_view text);

}  // namespace trainctl::job
