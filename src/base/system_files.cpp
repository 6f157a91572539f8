// Reads and writes whole files through POSIX calls; every failure names path and reason.
#include "base/system_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/text.h"

namespace trainctl {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_largest_file = std::size_t{64} << 20U;

Error failure(Code code, std::string_view doing, const std::string& path, int error_number) {
  const std::string reason = system_words(error_number);
  return {code, cat("cannot ", doing, ' ', path, ": ", reason), ""};
}

Error read_failure(const std::string& path, int error_number) {
  const bool missing = error_number == ENOENT || error_number == ENOTDIR;
  return failure(missing ? Code::not_found : Code::usage, "read", path, error_number);
}

Error write_failure(const std::string& path, int error_number) {
  return failure(Code::error, "write", path, error_number);
}

bool write_fully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Waits until there is something to read, an end or an error; false when `longest` is over before.
bool has_input(int fd, std::optional<Duration> longest) {
  using std::chrono::milliseconds;
  const auto limit = longest ? std::chrono::ceil<milliseconds>(*longest) : milliseconds(-1);
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(limit.count())) != 0;
}

constexpr mode_t k_as_umask_says = 0666;
constexpr mode_t k_private_file = 0600;
constexpr mode_t k_private_directory = 0700;

// Appends to a file; `create` is O_CREAT, or 0 for a file that must exist: a device, a pipe,
// /dev/stdout.
Status write_in_place(const std::string& path, std::string_view content, int create) {
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | create;
  Descriptor file(::open(path.c_str(), flags, k_as_umask_says));
  if (file.get() < 0) return write_failure(path, errno);
  if (!write_fully(file.get(), content) || !file.close()) return write_failure(path, errno);
  return {};
}

// Writes a file next to `target` and renames it; `path` is the name for messages, `kept` the mode
// of an existing file.
Status replace_file(const std::string& path, const std::string& target, std::optional<mode_t> kept,
                    std::string_view content) {
  const std::string temporary = cat(target, ".tmp-", ::getpid());
  // A process with the same PID may have left the name behind; nobody else creates such names.
  ::unlink(temporary.c_str());
  const mode_t mode = kept.value_or(k_as_umask_says);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.get() < 0) return write_failure(path, errno);
  // The umask has removed bits. Where a file system has no modes, this failure is ignored.
  if (kept) static_cast<void>(::fchmod(file.get(), *kept));
  // fsync before rename; otherwise a power cut may leave an empty file under the final name.
  const bool written = write_fully(file.get(), content) && ::fsync(file.get()) == 0 && file.close();
  if (written && std::rename(temporary.c_str(), target.c_str()) == 0) return {};
  const int error_number = errno;
  ::unlink(temporary.c_str());
  return write_failure(path, error_number);
}

// True for a link that another user may have laid in a directory like /tmp for us to fall over.
// The kernel does not follow such links (protected_symlinks), but who resolves a path by hand does.
bool is_planted_link(const std::string& path) {
  struct stat link {};
  struct stat directory {};
  if (::lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return false;
  if (::stat(directory_of(path).c_str(), &directory) != 0) return false;
  constexpr mode_t k_shared = S_ISVTX | S_IWOTH;
  return (directory.st_mode & k_shared) == k_shared && link.st_uid != ::geteuid() &&
         link.st_uid != directory.st_uid;
}

// Creates the directory and those above it that are missing, each of them closed to others.
bool create_private_directories(const std::string& path) {
  std::error_code trouble;
  if (path.empty() || fs::is_directory(path, trouble)) return true;
  if (!create_private_directories(fs::path(path).parent_path())) return false;
  return ::mkdir(path.c_str(), k_private_directory) == 0 || errno == EEXIST;
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
  std::string content;
  std::array<char, 65536> buffer{};
  for (;;) {
    if (!S_ISREG(facts.st_mode)) has_input(file.get(), std::nullopt);
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count == 0) return content;
    const bool may_retry = errno == EINTR || errno == EAGAIN;
    if (count < 0 && !may_retry) return read_failure(path, errno);
    if (count > 0) content.append(buffer.data(), static_cast<std::size_t>(count));
    if (content.size() > k_largest_file) {
      return Error{Code::usage, cat("cannot read ", path, ": it is larger than 64 MiB"), ""};
    }
  }
}

Status SystemFiles::write(const std::string& path, std::string_view content) {
  if (is_planted_link(path)) return write_failure(path, EACCES);
  struct stat facts {};
  const bool there = ::stat(path.c_str(), &facts) == 0;
  if (there && S_ISDIR(facts.st_mode)) return write_failure(path, EISDIR);
  // /dev/stdout may lead to a regular file that the caller holds open, so it must not be replaced.
  const bool keep = there && (!S_ISREG(facts.st_mode) || path.rfind("/dev/", 0) == 0);
  if (keep) return write_in_place(path, content, 0);
  std::error_code trouble;
  const fs::path target = fs::weakly_canonical(path, trouble);
  if (trouble) return write_failure(path, trouble.value());
  if (there) return replace_file(path, target, facts.st_mode & 07777U, content);
  fs::create_directories(target.has_parent_path() ? target.parent_path() : ".", trouble);
  if (trouble) return write_failure(path, trouble.value());
  return replace_file(path, target, std::nullopt, content);
}

Status SystemFiles::write_private(const std::string& path, std::string_view content) {
  if (is_planted_link(path)) return write_failure(path, EACCES);
  std::error_code trouble;
  const fs::path target = fs::weakly_canonical(path, trouble);
  if (trouble) return write_failure(path, trouble.value());
  if (!create_private_directories(target.parent_path())) return write_failure(path, errno);
  return replace_file(path, target, k_private_file, content);
}

Status SystemFiles::append(const std::string& path, std::string_view content) {
  if (is_planted_link(path)) return write_failure(path, EACCES);
  std::error_code trouble;
  fs::create_directories(directory_of(path), trouble);
  if (trouble) return write_failure(path, trouble.value());
  return write_in_place(path, content, O_CREAT);
}

Status SystemFiles::check_writable(const std::string& path) {
  if (is_planted_link(path)) return write_failure(path, EACCES);
  struct stat facts {};
  const bool there = ::stat(path.c_str(), &facts) == 0;
  if (there && S_ISDIR(facts.st_mode)) return write_failure(path, EISDIR);
  if (there && !S_ISREG(facts.st_mode)) {
    return ::access(path.c_str(), W_OK) == 0 ? Status() : write_failure(path, errno);
  }
  std::error_code trouble;
  const fs::path target = fs::weakly_canonical(path, trouble);
  if (!trouble) {
    fs::create_directories(target.has_parent_path() ? target.parent_path() : ".", trouble);
  }
  if (trouble) return write_failure(path, trouble.value());
  const std::string probe = cat(target.string(), ".tmp-", ::getpid());
  const Descriptor file(::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0) return write_failure(path, errno);
  ::unlink(probe.c_str());
  return {};
}

bool SystemFiles::exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

std::optional<FileFacts> SystemFiles::facts(const std::string& path) {
  std::error_code trouble;
  const fs::path real = fs::canonical(path, trouble);
  struct stat facts {};
  if (trouble || ::stat(real.c_str(), &facts) != 0) return std::nullopt;
  return FileFacts{.is_regular = S_ISREG(facts.st_mode),
                   .is_ours = facts.st_uid == ::geteuid() || facts.st_uid == 0,
                   .others_write = (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0,
                   .everybody_reads = (facts.st_mode & S_IROTH) != 0,
                   .real_path = real,
                   .size = static_cast<std::size_t>(facts.st_size)};
}

std::optional<FileNode> SystemFiles::node(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return std::nullopt;
  FileNode node;
  node.size = static_cast<std::uint64_t>(facts.st_size);
  node.is_executable = (facts.st_mode & S_IXUSR) != 0;
  node.stamp = cat(facts.st_dev, ' ', facts.st_ino, ' ', facts.st_size, ' ', facts.st_mtim.tv_sec,
                   ' ', facts.st_mtim.tv_nsec);
  if (S_ISREG(facts.st_mode)) node.kind = FileNode::Kind::file;
  if (S_ISDIR(facts.st_mode)) node.kind = FileNode::Kind::directory;
  if (S_ISLNK(facts.st_mode)) {
    std::error_code trouble;
    node.kind = FileNode::Kind::link;
    node.target = fs::read_symlink(path, trouble).string();
    return node;
  }
  const int uses = S_ISDIR(facts.st_mode) ? R_OK | X_OK : R_OK;
  node.is_readable = ::access(path.c_str(), uses) == 0;
  return node;
}

std::vector<std::string> SystemFiles::list(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code trouble;
  fs::directory_iterator entry(directory, trouble);
  for (; !trouble && entry != fs::directory_iterator{}; entry.increment(trouble)) {
    names.push_back(entry->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace trainctl
