// Reads and removes small files in the kubelet's own directory.
#pragma once

#include <string>
#include <vector>

namespace trainctl {

// Reads at most `limit` bytes from the file's end; "" when it is missing or no regular file.
inline constexpr std::size_t k_small_file = std::size_t{1} << 20U;
std::string read_small_file(const std::string& path, std::size_t limit = k_small_file);
// Creates a directory and its parents; false, with errno set, when one cannot be created.
bool make_directories(const std::string& path);
// Removes a directory with everything below it.
void remove_directory(const std::string& path);
// Names, sorted; empty when it cannot be read.
std::vector<std::string> names_in(const std::string& directory);

}  // namespace trainctl
