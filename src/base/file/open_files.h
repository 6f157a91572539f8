// The files that the process starts with, and how many it may have open at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trainctl {

// For each of stdin, stdout and stderr that the caller has closed, opens a file whose use fails;
// otherwise the next file opened would take its descriptor.
void fill_standard_files();

// Raises the limit on open files to what any command needs, as far as this user may: over HTTP/1.1
// each followed log is a connection. Most systems set it to 1024 to suit old programs.
void allow_many_files();

// The limit, when it is below what every command needs; the event loop's library would abort then.
std::optional<std::uint64_t> too_low_file_limit();

// Returns how many files this process may have open.
std::size_t file_limit();

// The limit, when it is used up.
std::optional<std::uint64_t> exhausted_file_limit();

}  // namespace trainctl
