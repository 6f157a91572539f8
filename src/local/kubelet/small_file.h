// Small files of the kubelet's own directory.
#pragma once

#include <string>
#include <vector>

namespace trainctl::local {

// "" when it cannot be read.
std::string read_small_file(const std::string& path);
// With the directories above it; false when one cannot be made.
bool make_directories(const std::string& path);
// With everything below it.
void remove_directory(const std::string& path);
// Names, sorted; empty when it cannot be read.
std::vector<std::string> names_in(const std::string& directory);

}  // namespace trainctl::local
