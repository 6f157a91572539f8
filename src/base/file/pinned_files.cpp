// A pin is kept under both names of a file, since readers resolve links before they read.
#include "base/file/pinned_files.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl {

const OpenedFile* PinnedFiles::pin(const std::string& path) {
  if (const auto known = pinned_.find(path); known != pinned_.end()) return known->second.get();
  auto opened = files_.open_once(path);
  if (!opened) return (pinned_[path] = nullptr).get();
  const std::string real_path = opened->facts.real_path;
  // Whichever name was read first decides for both.
  const auto first = std::make_shared<const OpenedFile>(*std::move(opened));
  const auto kept = pinned_.emplace(real_path, first).first->second;
  return (pinned_[path] = kept ? kept : first).get();
}

Result<std::string> PinnedFiles::read(const std::string& path) {
  const auto known = pinned_.find(path);
  if (known == pinned_.end()) return files_.read(path);
  if (known->second) return known->second->content;
  return Error{Code::not_found, cat("cannot read ", path, ": No such file or directory"), ""};
}

std::optional<OpenedFile> PinnedFiles::open_once(const std::string& path) {
  const auto known = pinned_.find(path);
  if (known == pinned_.end()) return files_.open_once(path);
  return known->second ? std::optional(*known->second) : std::nullopt;
}

Status PinnedFiles::write(const std::string& path, std::string_view content) {
  pinned_.erase(path);
  return files_.write(path, content);
}

Status PinnedFiles::write_private(const std::string& path, std::string_view content) {
  pinned_.erase(path);
  return files_.write_private(path, content);
}

Status PinnedFiles::append(const std::string& path, std::string_view content) {
  pinned_.erase(path);
  return files_.append(path, content);
}

Status PinnedFiles::check_writable(const std::string& path) {
  return files_.check_writable(path);
}

bool PinnedFiles::exists(const std::string& path) {
  const auto known = pinned_.find(path);
  return known == pinned_.end() ? files_.exists(path) : known->second != nullptr;
}

std::optional<FileFacts> PinnedFiles::facts(const std::string& path) {
  const auto known = pinned_.find(path);
  if (known == pinned_.end()) return files_.facts(path);
  return known->second ? std::optional(known->second->facts) : std::nullopt;
}

std::optional<FileNode> PinnedFiles::node(const std::string& path) {
  return files_.node(path);
}

std::optional<ReadNode> PinnedFiles::read_below(const std::string& directory,
                                                const std::string& path) {
  return files_.read_below(directory, path);
}

std::vector<std::string> PinnedFiles::list(const std::string& directory) {
  return files_.list(directory);
}

}  // namespace trainctl
