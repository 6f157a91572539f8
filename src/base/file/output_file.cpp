// Temporary names are opened in the directory that was found, and renamed within it.
#include "base/file/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host.h"
#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr int k_most_links = 40;  // as in the kernel

// Goes name by name, and follows what was checked: a link by its target as read with its owner, and
// a directory only by opening it as no link.
class Walk {
 public:
  Walk(const std::string& path, NewDirectories missing) : path_(path), missing_(missing) {
    add_names(path);
  }

  Result<OutputPlace> run();

 private:
  void add_names(const std::string& path);
  Status step(const std::string& name);
  Status make(const std::string& name);
  Status follow(const std::string& name, const host::Seen& link);
  Status enter(const std::string& name, host::Links links);
  Error failure(std::string_view why) const {
    return {Code::error, cat("cannot write ", printable_line(path_), ": ", why), ""};
  }
  Error failure() const { return failure(system_words(errno)); }

  const std::string& path_;
  const NewDirectories missing_;
  std::vector<std::string> ahead_;  // the names to go, the next one last
  Descriptor at_;
  int links_ = 0;
  bool arrived_ = false;
  OutputPlace place_;
};

void Walk::add_names(const std::string& path) {
  using host::Links;
  if (path.starts_with('/')) at_ = host::open_directory(AT_FDCWD, "/", Links::followed);
  if (!at_) at_ = host::open_directory(AT_FDCWD, ".", Links::followed);
  std::vector<std::string> names = split(path, '/');
  std::erase(names, "");
  ahead_.insert(ahead_.end(), names.rbegin(), names.rend());
}

Status Walk::enter(const std::string& name, host::Links links) {
  at_ = host::open_directory(at_.get(), name, links);
  return at_ ? Status() : failure();
}

Status Walk::make(const std::string& name) {
  constexpr mode_t k_as_umask_says = 0777, k_closed = 0700;
  if (missing_ == NewDirectories::none) return failure();
  const bool is_closed = missing_ == NewDirectories::closed_to_others;
  const mode_t mode = is_closed ? k_closed : k_as_umask_says;
  if (::mkdirat(at_.get(), name.c_str(), mode) != 0 && errno != EEXIST) return failure();
  return enter(name, host::Links::refused);
}

Status Walk::follow(const std::string& name, const host::Seen& link) {
  if (link.is_open_file) {
    if (!ahead_.empty()) return enter(name, host::Links::followed);
    place_.is_open_file = arrived_ = true;
    return {};
  }
  if (++links_ > k_most_links) return failure(system_words(ELOOP));
  add_names(link.target);
  return {};
}

Status Walk::step(const std::string& name) {
  const bool is_last = ahead_.empty();
  const auto seen = host::look_at(at_.get(), name);
  if (!seen && errno != ENOENT) return failure();
  if (!seen && !is_last) return make(name);
  struct stat facts {};
  if (seen) facts = seen->facts;
  const bool is_theirs = seen && facts.st_uid != ::geteuid() && facts.st_uid != 0;
  const bool is_link = S_ISLNK(facts.st_mode);
  if (is_theirs && (is_link || S_ISFIFO(facts.st_mode))) {
    return failure(cat("another user created the ", is_link ? "link " : "pipe ",
                       printable_line(name), " in its path"));
  }
  if (is_link) return follow(name, *seen);
  if (!is_last) return enter(name, host::Links::refused);
  arrived_ = true;
  return {};
}

Result<OutputPlace> Walk::run() {
  if (!at_) return failure();
  while (!arrived_ && !ahead_.empty()) {
    place_.name = std::move(ahead_.back());
    ahead_.pop_back();
    const std::string name = place_.name;
    TRY(step(name));
  }
  if (!arrived_) place_.name = ".";
  place_.directory = std::move(at_);
  return std::move(place_);
}

}  // namespace

int OutputPlace::open_flags() const {
  return is_open_file ? 0 : O_NOFOLLOW;
}

int OutputPlace::stat_flags() const {
  return is_open_file ? 0 : AT_SYMLINK_NOFOLLOW;
}

int OutputPlace::inherited_descriptor() const {
  struct stat own {
  }, found{};
  const bool is_own = is_open_file && ::stat("/dev/fd", &own) == 0 &&
                      ::fstat(directory.get(), &found) == 0 && own.st_dev == found.st_dev &&
                      own.st_ino == found.st_ino;
  const int descriptor = is_own ? parse_number<int>(name).value_or(-1) : -1;
  const int flags = descriptor < 0 ? -1 : ::fcntl(descriptor, F_GETFD);
  return flags < 0 || (flags & FD_CLOEXEC) != 0 ? -1 : descriptor;
}

Result<OutputPlace> find_output_place(const std::string& path, NewDirectories missing) {
  return Walk(path, missing).run();
}

namespace {

constexpr mode_t k_as_umask_says = 0666;
constexpr int k_patience = 1000;  // milliseconds, with a named pipe that nobody reads

Error write_failure(const std::string& path, std::string_view why) {
  return {Code::error, cat("cannot write ", path, ": ", why), ""};
}

// A process with the same PID may have left the name behind; nobody else creates such names.
std::string temporary_name(const OutputPlace& place) {
  std::string name = cat(place.name, ".tmp-", ::getpid());
  ::unlinkat(place.directory.get(), name.c_str(), 0);
  return name;
}

Descriptor create(const OutputPlace& place, const std::string& name, mode_t mode) {
  constexpr int k_new = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return Descriptor(::openat(place.directory.get(), name.c_str(), k_new, mode));
}

bool write_all_bytes(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {
      pollfd watched{fd, POLLOUT, 0};
      if (::poll(&watched, 1, k_patience) == 0) {
        errno = ETIMEDOUT;
        return false;
      }
      continue;
    }
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool is_named_pipe(const OutputPlace& place) {
  struct stat facts {};
  return !place.is_open_file &&
         ::fstatat(place.directory.get(), place.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISFIFO(facts.st_mode);
}

// Opens a pipe that nobody may ever read: without O_NONBLOCK, neither --timeout nor the job's
// verdict would end that.
Descriptor open_pipe(const OutputPlace& place, int flags) {
  constexpr int k_pause = 50;  // milliseconds
  for (int waited = 0;; waited += k_pause) {
    Descriptor pipe(
        ::openat(place.directory.get(), place.name.c_str(), flags | O_NONBLOCK, k_as_umask_says));
    if (pipe || errno != ENXIO || waited >= k_patience) return pipe;
    ::poll(nullptr, 0, k_pause);
  }
}

}  // namespace

Error write_failure(const std::string& path, int error_number) {
  return write_failure(path, system_words(error_number));
}

Status replace_file(const std::string& path, const OutputPlace& place, std::optional<mode_t> mode,
                    std::string_view content) {
  const std::string temporary = temporary_name(place);
  Descriptor file = create(place, temporary, mode.value_or(k_as_umask_says));
  if (!file) return write_failure(path, errno);
  // The umask has removed bits. A file system without modes may refuse this.
  if (mode) static_cast<void>(::fchmod(file.get(), *mode));
  // fsync before rename; otherwise a power cut may leave an empty file under the final name.
  const bool written =
      write_all_bytes(file.get(), content) && ::fsync(file.get()) == 0 && file.close();
  const int directory = place.directory.get();
  if (written && ::renameat(directory, temporary.c_str(), directory, place.name.c_str()) == 0) {
    return {};
  }
  const int error_number = errno;
  ::unlinkat(directory, temporary.c_str(), 0);
  return write_failure(path, error_number);
}

Status append_to_file(const std::string& path, const OutputPlace& place, int create,
                      std::string_view content) {
  // The output stands between what the shell's other commands write before and after it.
  if (const int open = place.inherited_descriptor(); open >= 0) {
    return write_all_bytes(open, content) ? Status() : write_failure(path, errno);
  }
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | create | place.open_flags();
  const bool is_pipe = is_named_pipe(place);
  Descriptor file =
      is_pipe
          ? open_pipe(place, flags)
          : Descriptor(::openat(place.directory.get(), place.name.c_str(), flags, k_as_umask_says));
  if (!file && is_pipe && errno == ENXIO) return write_failure(path, "nobody reads this pipe");
  if (!file) return write_failure(path, errno);
  if (!write_all_bytes(file.get(), content) || !file.close()) return write_failure(path, errno);
  return {};
}

Status try_file(const std::string& path, const OutputPlace& place) {
  constexpr mode_t k_private = 0600;
  const std::string temporary = temporary_name(place);
  const Descriptor file = create(place, temporary, k_private);
  if (!file) return write_failure(path, errno);
  ::unlinkat(place.directory.get(), temporary.c_str(), 0);
  return {};
}

}  // namespace trainctl
