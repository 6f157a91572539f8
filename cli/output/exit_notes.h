// Notes on exit statuses that fit no row of their table; for docs/, manual page and help.
#pragma once

#include <string_view>

namespace trainctl::cli {

inline constexpr std::string_view k_exit_notes =
    "A failed job exits 3, even if some output could not be written. A job that succeeded exits 1\n"
    "if some log lines could not be written to stdout, as on a full disk. If a report or saved\n"
    "log cannot be written at the end, a warning says so, and the verdict decides the\n"
    "exit status; likewise if the reader of stdout goes away (| head) after the job has ended.\n"
    "The paths of reports and saved logs are checked before anything is sent (2).";

}  // namespace trainctl::cli
