// Small files of the kubelet's own directory.
#pragma once

#include <string>
#include <vector>

namespace trainctl::local {

// "" when it cannot be read.
// At most `limit` bytes from the file's end; "" when it is missing or no regular file.
inline constexpr std::size_t k_small_file = std::size_t{1} << 20U;
std::string read_small_file(const std::string& path, std::size_t limit = k_small_file);
// With the directories above it; false, and errno, when one cannot be made.
bool make_directories(const std::string& path);
// With everything below it.
void remove_directory(const std::string& path);
// Names, sorted; empty when it cannot be read.
std::vector<std::string> names_in(const std::string& directory);

}  // namespace trainctl::local
