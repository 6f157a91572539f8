// Notes on exit statuses that fit no row of their table; for docs/, manual page and help.
#pragma once

#include <string_view>

namespace trainctl::cli {

inline constexpr std::string_view k_exit_notes =
    "A job that failed exits 3 whatever could not be written. If it succeeded, log lines that a\n"
    "full disk did not take from stdout make the status 1. A report or saved log that cannot be\n"
    "written at the end is a warning: the exit status stays the verdict's. So it does when the\n"
    "reader of stdout goes away (| head) after the job has ended. Where reports and saved logs go\n"
    "is tried before anything is sent (2).";

}  // namespace trainctl::cli
