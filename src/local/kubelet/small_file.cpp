// File system helpers that report failure by their value.
#include "local/kubelet/small_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace trainctl::local {

std::string read_small_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return std::move(text).str();
}

bool make_directories(const std::string& path) {
  std::error_code fault;
  std::filesystem::create_directories(path, fault);
  return !fault;
}

void remove_directory(const std::string& path) {
  std::error_code fault;
  std::filesystem::remove_all(path, fault);
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code fault;
  std::filesystem::directory_iterator entry(directory, fault);
  for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace trainctl::local
