// Notes on exit statuses that fit no row of their table; for docs/, manual page and help.
#pragma once

#include <string_view>

namespace trainctl::cli {

inline constexpr std::string_view k_exit_notes =
    "If stdout can no longer be written before the job has ended, following ends with 1,\n"
    "or with 141 where its reader went away (| head). After that, a failed job exits 3 all the\n"
    "same, and a job that succeeded exits 1 if log lines could not be written, as on a full disk.\n"
    "If a report or saved log cannot be written at the end, or the reader goes away then, the\n"
    "verdict decides the exit status, and a warning names the file.\n"
    "The paths of reports and saved logs are checked before anything is sent (2).";

}  // namespace trainctl::cli
