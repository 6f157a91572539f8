// A directory of a test's own, gone at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trainctl::testing {

struct ScratchDirectory {
  ScratchDirectory() {
    std::string pattern = std::filesystem::temp_directory_path() / "trainctl-test-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  std::string operator/(const std::string& name) const { return path + '/' + name; }
  std::string path;
};

}  // namespace trainctl::testing
