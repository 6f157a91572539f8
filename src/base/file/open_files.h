// The files that the process starts with, and how many it may have open at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trainctl {

// Replaces stdin, stdout and stderr where the caller has closed them with a file that fails when it
// is used; otherwise the next file opened would be taken for one of them.
void fill_standard_files();

// Raises the limit on open files, which most systems set to 1024 for the sake of old programs, as
// far as this user may and any command needs: over HTTP/1.1 each followed log is a connection.
void allow_many_files();

// The limit, when it is below what every command needs; the event loop's library would abort then.
std::optional<std::uint64_t> too_low_file_limit();

// Returns how many files this process may have open.
std::size_t file_limit();

// The limit, when it is used up.
std::optional<std::uint64_t> exhausted_file_limit();

}  // namespace trainctl
