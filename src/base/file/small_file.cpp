// File system helpers that report failure by their value.
#include "base/file/small_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"

namespace trainctl {

std::string read_small_file(const std::string& path, std::size_t limit) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return "";
  off_t at = std::max<off_t>(0, facts.st_size - static_cast<off_t>(limit));
  std::string text;
  std::array<char, 4096> block{};
  while (text.size() < limit) {
    const ssize_t size =
        ::pread(file.get(), block.data(), std::min(block.size(), limit - text.size()), at);
    if (size <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(size));
    at += size;
  }
  return text;
}

bool make_directories(const std::string& path) {
  std::error_code fault;
  std::filesystem::create_directories(path, fault);
  errno = fault.value();
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
  std::ranges::sort(names);
  return names;
}

}  // namespace trainctl
