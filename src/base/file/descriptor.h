// File descriptors: one that is closed on destruction, and those of the whole process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <unistd.h>

namespace trainctl {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // False where bytes that were written may be lost.
  bool close() { return ::close(release()) == 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (const int old = std::exchange(fd_, fd); old >= 0) ::close(old);
  }

 private:
  int fd_;
};

// Keeps the file from programs that are started; true on success.
bool close_on_exec(int fd);
// Lets a read or write that would have to wait fail instead.
bool never_block(int fd);

// For each of stdin, stdout and stderr that the caller has closed, opens a file whose use fails;
// otherwise the next file opened would take its descriptor.
void fill_standard_files();

// Raises the limit on open files to what any command needs, as far as this user may: over HTTP/1.1
// each followed log is a connection. Most systems set it to 1024 to suit old programs.
void allow_many_files();

// The limit, when it is below what every command needs; the event loop's library would abort then.
std::optional<std::uint64_t> too_low_file_limit();

// Returns how many files this process may have open.
std::size_t file_limit();

// The limit, when it is used up.
std::optional<std::uint64_t> exhausted_file_limit();

}  // namespace trainctl
