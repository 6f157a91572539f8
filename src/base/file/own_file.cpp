// Takes the facts from what was opened, so that a swap between check and use cannot matter.
#include "base/file/own_file.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/files.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

bool is_strangers(const struct stat& facts) {
  return facts.st_uid != ::geteuid() && facts.st_uid != 0;
}

Error refused(const std::string& path, std::string_view why) {
  return {Code::error, cat(path, why), cat("check who made it, then: rm ", shell_quoted(path))};
}

Status check_directory(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return {};  // opening the file says why
  const bool others_replace = (facts.st_mode & S_IWOTH) != 0 && (facts.st_mode & S_ISVTX) == 0;
  if (!is_strangers(facts) && !others_replace) return {};
  return Error{Code::error,
               cat("directory ", path,
                   others_replace ? " may be written by everybody" : " belongs to another user"),
               "set XDG_STATE_HOME to the absolute path of a directory of yours"};
}

}  // namespace

Result<Descriptor> open_own_file(const std::string& path) {
  TRY(check_directory(directory_of(path)));
  constexpr int k_flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(::open(path.c_str(), k_flags, S_IRUSR | S_IWUSR));
  if (!file && errno == ELOOP) return refused(path, " is a symbolic link");
  if (!file) return Error{Code::error, cat("cannot open ", path, ": ", system_words(errno)), ""};
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return refused(path, " is not a regular file");
  }
  if (is_strangers(facts)) return refused(path, " belongs to another user");
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return refused(path, " may be written by others");
  return file;
}

std::optional<std::string> read_own_file(Files& files, const std::string& path) {
  auto file = files.open_once(path);
  if (!file || !file->content) return std::nullopt;
  const FileFacts& facts = file->facts;
  if (!facts.is_regular || !facts.is_ours || facts.others_write) return std::nullopt;
  return *std::move(file->content);
}

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

Status PinnedFiles::write(const std::string& path, std::string_view content, Readers readers) {
  pinned_.erase(path);
  return files_.write(path, content, readers);
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
