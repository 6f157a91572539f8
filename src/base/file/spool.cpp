// Uses memory, then an unlinked file, then memory again when the disk is full.
#include "base/file/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "base/host.h"
#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr std::size_t k_front_piece = std::size_t{1} << 20U;

Error file_error(const std::string& directory, int error_number) {
  return {Code::error,
          cat("cannot buffer output in ", directory, ": ", system_words(error_number))};
}

// Opens a file that is unlinked at once, so that nothing is left behind however the process ends.
int open_unlinked(const std::string& directory) {
  std::string name = cat(directory, "/trainctl-spool-XXXXXX");
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

}  // namespace

Spool::Spool(std::string directory, std::size_t in_memory)
    : directory_(std::move(directory)), in_memory_(in_memory) {}

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
}

std::uint64_t Spool::size() const {
  return head_.size() - head_begin_ + in_file() + beyond_.size();
}

Status Spool::push(std::string_view bytes) {
  if (!has_room()) {
    beyond_.append(bytes);
    return {};
  }
  if (in_file() == 0 && head_.size() - head_begin_ + bytes.size() <= in_memory_) {
    head_.erase(0, std::exchange(head_begin_, 0));
    head_.append(bytes);
    return {};
  }
  Status written = push_to_file(bytes);
  if (!written) beyond_.append(bytes);
  return written;
}

Status Spool::push_to_file(std::string_view bytes) {
  if (file_ < 0) file_ = open_unlinked(directory_);
  if (file_ < 0) return file_error(directory_, errno);
  std::uint64_t end = file_end_;
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(end));
    if (written < 0 && errno != EINTR) return file_error(directory_, errno);
    if (written <= 0) continue;
    end += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  file_end_ = end;
  return {};
}

Result<std::string_view> Spool::front() {
  if (head_begin_ == head_.size()) TRY(refill());
  return std::string_view(head_).substr(head_begin_);
}

Status Spool::refill() {
  head_begin_ = 0;
  if (in_file() == 0) {
    head_ = std::exchange(beyond_, {});
    return {};
  }
  head_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(k_front_piece, in_file())));
  const ssize_t count = ::pread(file_, head_.data(), head_.size(), static_cast<off_t>(file_begin_));
  if (count <= 0) {
    head_.clear();
    return file_error(directory_, count == 0 ? EIO : errno);
  }
  head_.resize(static_cast<std::size_t>(count));
  file_begin_ += static_cast<std::uint64_t>(count);
  if (in_file() > 0) {
    // Otherwise a file that is never empty grows with all bytes that ever passed through it.
    host::return_space(file_, file_begin_);
    return {};
  }
  file_begin_ = file_end_ = 0;
  if (::ftruncate(file_, 0) != 0) return file_error(directory_, errno);
  return {};
}

void Spool::pop(std::size_t count) {
  head_begin_ += count;
}

}  // namespace trainctl
