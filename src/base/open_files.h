// Which files the process has from its beginning, and how many it may have open at a time.
#pragma once

#include <cstdint>
#include <optional>

namespace trainctl {

// Puts something in place of stdin, stdout and stderr where the caller has closed them, which fails
// when it is used: else the next file that is opened would be taken for one of them.
void fill_standard_files();

// Raises the limit that most systems set for the sake of old programs, 1024, as far as this user
// may and as anybody needs: over HTTP/1.1 each followed log is a connection.
void allow_many_files();

// The limit, when it leaves less than any command needs: the event loop's library aborts then.
std::optional<std::uint64_t> too_low_file_limit();

// The limit, when it is used up.
std::optional<std::uint64_t> exhausted_file_limit();

}  // namespace trainctl
