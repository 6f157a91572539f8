// How many files and connections the process may have open at a time.
#pragma once

#include <cstdint>
#include <optional>

namespace trainctl {

// Raises the limit that most systems set for the sake of old programs, 1024, as far as this user
// may and as anybody needs: over HTTP/1.1 each followed log is a connection.
void allow_many_files();

// The limit, when it is used up.
std::optional<std::uint64_t> exhausted_file_limit();

}  // namespace trainctl
