// Notes on exit statuses that fit no row of their table; for docs/, manual page and help.
#pragma once

#include <string_view>

namespace trainctl::cli {

inline constexpr std::string_view k_exit_notes =
    "A report or saved log that cannot be written at the end (a full disk) is a warning: the exit\n"
    "status stays the verdict's. So it does when the reader of stdout goes away (| head) after "
    "the\n"
    "job has ended. Where reports and saved logs go is tried before anything is sent (2).";

}  // namespace trainctl::cli
