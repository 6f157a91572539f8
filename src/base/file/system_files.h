// The machine's file system.
#pragma once

#include <functional>

#include "base/file/files.h"
#include "base/text/time.h"

namespace trainctl {

class SystemFiles : public Files {
 public:
  // Called with the path of a pipe or terminal that has had nothing to read for `patience`: the
  // user may not know that the program waits for it.
  std::function<void(const std::string& path)> on_wait = [](const std::string&) {};
  Duration patience = std::chrono::seconds(2);

  Result<std::string> read(const std::string& path) override;
  std::optional<OpenedFile> open_once(const std::string& path) override;
  // Follows symbolic links and keeps the mode of the file it replaces; devices and pipes are
  // written in place.
  Status write(const std::string& path, std::string_view content,
               Readers readers = Readers::as_before) override;
  Status append(const std::string& path, std::string_view content) override;
  Status check_writable(const std::string& path) override;
  bool exists(const std::string& path) override;
  std::optional<FileFacts> facts(const std::string& path) override;
  std::optional<FileNode> node(const std::string& path) override;
  std::optional<ReadNode> read_below(const std::string& directory,
                                     const std::string& path) override;
  std::vector<std::string> list(const std::string& directory) override;
};

}  // namespace trainctl
