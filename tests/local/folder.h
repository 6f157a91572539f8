// A directory of a test's own, gone at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace trainctl::testing {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "store-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  // Copies what a killed process leaves of a database: its files as they are, with the journal.
  std::string copy_of(const std::string& name, const std::string& to) const {
    for (const char* part : {"", "-wal"}) {
      if (std::filesystem::exists(file(name + part))) {
        std::filesystem::copy_file(file(name + part), file(to + part));
      }
    }
    return file(to);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace trainctl::testing
