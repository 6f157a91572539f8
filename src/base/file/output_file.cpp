// Temporary names are opened in the directory that was found, and renamed within it.
#include "base/file/output_file.h"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"

namespace trainctl {
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
