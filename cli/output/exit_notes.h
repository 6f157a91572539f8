// Notes on exit statuses that fit no row of their table; for docs/, manual page and help.
#pragma once

#include <string_view>

namespace trainctl::cli {

inline constexpr std::string_view k_exit_notes =
    "A failed job exits 3, even if some output could not be written. A job that succeeded exits 1\n"
    "if stdout did not take all log lines, as on a full disk. A report or saved log that cannot "
    "be\n"
    "written at the end causes a warning, and the exit status stays the verdict's; so it does if\n"
    "the reader of stdout goes away (| head) after the job has ended. The paths of reports and\n"
    "saved logs are checked before anything is sent (2).";

}  // namespace trainctl::cli
