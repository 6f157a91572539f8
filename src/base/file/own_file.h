// Opens files that decide what the program does: nobody else may have written them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/file/descriptor.h"
#include "base/file/files.h"
#include "base/result.h"

namespace trainctl {

// Opens a regular file for reading and writing, creating it for its owner alone. Refuses a link, a
// pipe, a file of another user or one that others may write to, and a directory in which others may
// replace it. Blocks on nothing.
Result<Descriptor> open_own_file(const std::string& path);

// Returns the content of a regular file of this user or root that nobody else may write to, all
// judged by what was opened; nullopt for every other.
std::optional<std::string> read_own_file(Files& files, const std::string& path);

// Files, some of which are read only once: the bytes that were checked are the bytes that are used.
// Passes everything on to other files, except that the content and facts of a pinned file stay as
// they were when it was pinned, even if it changes on disk. Writing to the file here ends the pin.
class PinnedFiles : public Files {
 public:
  // `files` must outlive this.
  explicit PinnedFiles(Files& files) : files_(files) {}

  // Reads a file at the first call and returns the same file at each later one, even when asked for
  // it by its real path. Null when there was none.
  const OpenedFile* pin(const std::string& path);

  Result<std::string> read(const std::string& path) override;
  std::optional<OpenedFile> open_once(const std::string& path) override;
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

 private:
  Files& files_;
  std::map<std::string, std::shared_ptr<const OpenedFile>> pinned_;  // null: there was none
};

}  // namespace trainctl
