// The machine's file system.
#pragma once

#include "base/files.h"

namespace trainctl {

class SystemFiles : public Files {
 public:
  Result<std::string> read(const std::string& path) override;
  // Follows symbolic links and keeps the mode of the file it replaces; devices and pipes are
  // written in place.
  Status write(const std::string& path, std::string_view content) override;
  Status append(const std::string& path, std::string_view content) override;
  Status check_writable(const std::string& path) override;
  bool exists(const std::string& path) override;
  std::optional<FileFacts> facts(const std::string& path) override;
  std::vector<std::string> list(const std::string& directory) override;
};

}  // namespace trainctl
