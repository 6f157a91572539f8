// The machine's file system without what a site has configured on this machine, so that tests with
// real files do not depend on it.
#pragma once

#include <optional>
#include <string>

#include "base/file/system_files.h"
#include "base/text/text.h"

namespace trainctl::testing {

class TestFiles : public SystemFiles {
 public:
  explicit TestFiles(std::string hidden = "/etc/trainctl") : hidden_(std::move(hidden)) {}

  Result<std::string> read(const std::string& path) override {
    if (!hides(path)) return SystemFiles::read(path);
    return Error{Code::not_found, cat("cannot read ", path, ": No such file or directory"), ""};
  }
  std::optional<OpenedFile> open_once(const std::string& path) override {
    return hides(path) ? std::nullopt : SystemFiles::open_once(path);
  }
  bool exists(const std::string& path) override {
    return !hides(path) && SystemFiles::exists(path);
  }
  std::optional<FileFacts> facts(const std::string& path) override {
    return hides(path) ? std::nullopt : SystemFiles::facts(path);
  }
  std::optional<FileNode> node(const std::string& path) override {
    return hides(path) ? std::nullopt : SystemFiles::node(path);
  }

 private:
  bool hides(const std::string& path) const {
    return path == hidden_ || path.starts_with(hidden_ + '/');
  }

  std::string hidden_;
};

}  // namespace trainctl::testing
