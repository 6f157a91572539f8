// Takes the facts from what was opened, so that a swap between check and use cannot matter.
#include "base/file/own_file.h"

#include <cerrno>

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

}  // namespace trainctl
