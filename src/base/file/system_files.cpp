// Reads and writes whole files through POSIX calls; every failure names path and reason.
#include "base/file/system_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/file/output_file.h"
#include "base/host.h"
#include "base/text/text.h"

namespace trainctl {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_largest_file = std::size_t{64} << 20U;

Error read_failure(const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return {missing ? Code::not_found : Code::usage,
          cat("cannot read ", path, ": ", system_words(error_number)), ""};
}

// Waits until there is something to read, an end or an error; false when `longest` is over before.
bool has_input(int fd, std::optional<Duration> longest) {
  using std::chrono::milliseconds;
  const auto limit = longest ? std::chrono::ceil<milliseconds>(*longest) : milliseconds(-1);
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(limit.count())) != 0;
}

// Reads to the end; waits for input unless the file is a regular one.
Result<std::string> read_all(int fd, bool is_regular, const std::string& path) {
  std::string content;
  std::array<char, 65536> buffer{};
  for (;;) {
    if (!is_regular) has_input(fd, std::nullopt);
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count == 0) return content;
    const bool may_retry = errno == EINTR || errno == EAGAIN;
    if (count < 0 && !may_retry) return read_failure(path, errno);
    if (count > 0) content.append(buffer.data(), static_cast<std::size_t>(count));
    if (content.size() > k_largest_file) {
      return Error{Code::usage, cat("cannot read ", path, ": it is larger than 64 MiB"), ""};
    }
  }
}

constexpr mode_t k_private_file = 0600;

std::optional<struct stat> facts_at(const OutputPlace& place) {
  struct stat facts {};
  const int found =
      ::fstatat(place.directory.get(), place.name.c_str(), &facts, place.stat_flags());
  return found == 0 ? std::optional(facts) : std::nullopt;
}

// The new file is this user's, so the old file's owner must not decide what others may do with it:
// setuid would lend them this user's rights, and write permission would let them change its
// content.
mode_t mode_after(const struct stat& old) {
  constexpr mode_t k_of_a_stranger = 0755;
  return old.st_mode & (old.st_uid == ::geteuid() ? ALLPERMS : k_of_a_stranger);
}

FileFacts facts_of(const struct stat& status, std::string real_path) {
  return {.is_regular = S_ISREG(status.st_mode),
          .is_ours = status.st_uid == ::geteuid() || status.st_uid == 0,
          .others_write = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0,
          .everybody_reads = (status.st_mode & S_IROTH) != 0,
          .real_path = std::move(real_path),
          .size = static_cast<std::size_t>(status.st_size)};
}

// The member has another name on macOS.
template <typename Facts>
timespec modified(const Facts& facts) {
  if constexpr (requires { facts.st_mtimespec; }) {
    return facts.st_mtimespec;
  } else {
    return facts.st_mtim;
  }
}

FileNode node_of(const struct stat& facts) {
  FileNode node;
  node.size = static_cast<std::uint64_t>(facts.st_size);
  node.is_executable = (facts.st_mode & S_IXUSR) != 0;
  node.stamp = cat(facts.st_dev, ' ', facts.st_ino, ' ', facts.st_size, ' ', modified(facts).tv_sec,
                   ' ', modified(facts).tv_nsec);
  if (S_ISREG(facts.st_mode)) node.kind = FileNode::Kind::file;
  if (S_ISDIR(facts.st_mode)) node.kind = FileNode::Kind::directory;
  if (S_ISLNK(facts.st_mode)) node.kind = FileNode::Kind::link;
  return node;
}

}  // namespace

Result<std::string> SystemFiles::read(const std::string& path) {
  // Opening a pipe that nobody writes to would block without a word.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return read_failure(path, errno);
  struct stat facts {};
  if (::fstat(file.get(), &facts) == 0 && S_ISDIR(facts.st_mode)) {
    return Error{Code::usage, cat("cannot read ", path, ": it is a directory"), ""};
  }
  if (!S_ISREG(facts.st_mode) && !has_input(file.get(), patience)) on_wait(path);
  return read_all(file.get(), S_ISREG(facts.st_mode), path);
}

std::optional<OpenedFile> SystemFiles::open_once(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) {
    const Error why = read_failure(path, errno);
    const auto known = facts(path);  // such as the owner of a file that is closed to this user
    return known ? std::optional(OpenedFile{*known, why}) : std::nullopt;
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return std::nullopt;
  OpenedFile opened{facts_of(status, host::opened_path(file.get(), path))};
  if (opened.facts.is_regular) opened.content = read_all(file.get(), true, path);
  return opened;
}

Status SystemFiles::write(const std::string& path, std::string_view content, Readers readers) {
  const bool is_private = readers == Readers::owner;
  TRY_ASSIGN(const OutputPlace place,
             find_output_place(path, is_private ? NewDirectories::closed_to_others
                                                : NewDirectories::as_umask_says));
  const auto facts = facts_at(place);
  if (facts && S_ISDIR(facts->st_mode)) return write_failure(path, EISDIR);
  // /dev/stdout may lead to a regular file that the caller holds open, so it must not be replaced.
  const bool keep =
      facts && (!S_ISREG(facts->st_mode) || place.is_open_file || path.starts_with("/dev/"));
  if (keep) return append_to_file(path, place, 0, content);
  std::optional<mode_t> mode;
  if (facts) mode = mode_after(*facts);
  if (is_private || (!facts && readers == Readers::owner_if_new)) mode = k_private_file;
  return replace_file(path, place, mode, content);
}

Status SystemFiles::append(const std::string& path, std::string_view content) {
  TRY_ASSIGN(const OutputPlace place, find_output_place(path, NewDirectories::as_umask_says));
  return append_to_file(path, place, O_CREAT, content);
}

Status SystemFiles::check_writable(const std::string& path) {
  TRY_ASSIGN(const OutputPlace place, find_output_place(path, NewDirectories::as_umask_says));
  const auto facts = facts_at(place);
  if (facts && S_ISDIR(facts->st_mode)) return write_failure(path, EISDIR);
  const bool is_replaced = !facts || (S_ISREG(facts->st_mode) && !place.is_open_file);
  if (is_replaced) return try_file(path, place);
  const bool may = ::faccessat(place.directory.get(), place.name.c_str(), W_OK, 0) == 0;
  return may ? Status() : write_failure(path, errno);
}

bool SystemFiles::exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

std::optional<FileFacts> SystemFiles::facts(const std::string& path) {
  std::error_code trouble;
  const fs::path real = fs::canonical(path, trouble);
  struct stat facts {};
  if (trouble || ::stat(real.c_str(), &facts) != 0) return std::nullopt;
  return facts_of(facts, real);
}

std::optional<FileNode> SystemFiles::node(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return std::nullopt;
  FileNode node = node_of(facts);
  if (node.kind == FileNode::Kind::link) {
    std::error_code trouble;
    node.target = fs::read_symlink(path, trouble).string();
    return node;
  }
  const int uses = S_ISDIR(facts.st_mode) ? R_OK | X_OK : R_OK;
  node.is_readable = ::access(path.c_str(), uses) == 0;
  return node;
}

std::optional<ReadNode> SystemFiles::read_below(const std::string& directory,
                                                const std::string& path) {
  Descriptor at = host::open_directory(AT_FDCWD, directory, host::Links::followed);
  const std::vector<std::string> names = split(path, '/');
  for (std::size_t i = 0; at && i + 1 < names.size(); ++i) {
    at = host::open_directory(at.get(), names[i], host::Links::refused);
  }
  if (!at) return std::nullopt;
  constexpr int k_file = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const Descriptor file(::openat(at.get(), names.back().c_str(), k_file));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) return std::nullopt;
  if (!S_ISREG(facts.st_mode)) {
    return ReadNode{node_of(facts), Error{Code::usage, cat(path, " is not a regular file"), ""}};
  }
  Result<std::string> content = read_all(file.get(), true, path);
  if (::fstat(file.get(), &facts) != 0) return std::nullopt;
  return ReadNode{node_of(facts), std::move(content)};
}

std::vector<std::string> SystemFiles::list(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code trouble;
  fs::directory_iterator entry(directory, trouble);
  for (; !trouble && entry != fs::directory_iterator{}; entry.increment(trouble)) {
    names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace trainctl
