// Moves a limited amount in each turn, so that no busy pipe keeps the loop from the others.
#include "local/kubelet/pipe_end.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace trainctl::local {
namespace {

// As much as an API server puts into one message.
constexpr std::size_t k_pipe_piece = std::size_t{32} << 10;
constexpr int k_pipe_reads_a_turn = 4;
constexpr int k_reads = 1, k_writes = 2;

bool is_for_later() {
  return errno == EAGAIN || errno == EINTR;
}

}  // namespace

PipeEnd::PipeEnd(UvLoop& loop, Descriptor fd, Handlers handlers)
    : loop_(loop), fd_(std::move(fd)), handlers_(std::move(handlers)) {
  ::fcntl(fd_.get(), F_SETFL, ::fcntl(fd_.get(), F_GETFL) | O_NONBLOCK);
  ended_ = !handlers_.on_bytes;
  watch();
}

void PipeEnd::watch() {
  const int wanted = fd_ ? (paused_ || ended_ ? 0 : k_reads) | (waiting() > 0 ? k_writes : 0) : 0;
  if (wanted == watched_) return;
  watched_ = wanted;
  watch_.reset();  // reset first, since the loop allows one watch per descriptor
  if (wanted == 0) return;
  watch_ = loop_.on_fd(fd_.get(), (wanted & k_reads) != 0, (wanted & k_writes) != 0,
                       [this](bool readable, bool writable) {
                         const bool drained = writable && waiting() > 0 && write_some();
                         if (readable) read();
                         watch();
                         if (drained && handlers_.on_drained) handlers_.on_drained();
                       });
}

void PipeEnd::read() {
  std::array<char, k_pipe_piece> piece{};
  for (int reads = 0; reads < k_pipe_reads_a_turn && !paused_ && !ended_ && fd_; ++reads) {
    const ssize_t size = ::read(fd_.get(), piece.data(), piece.size());
    if (size < 0 && is_for_later()) return;
    // A terminal that no program has open any more answers with EIO.
    if (size <= 0) {
      ended_ = true;
      if (handlers_.on_end) handlers_.on_end();
      return;
    }
    handlers_.on_bytes({piece.data(), static_cast<std::size_t>(size)});
  }
}

void PipeEnd::write(std::string_view bytes) {
  if (!fd_ || ending_ || bytes.empty()) return;
  const bool idle = waiting() == 0;
  output_ += bytes;
  if (idle) write_some();
  watch();
}

void PipeEnd::end_writing() {
  ending_ = true;
  if (waiting() > 0) return;
  watch_.reset();
  watched_ = 0;
  fd_.reset();
}

// Returns true when nothing waits any more.
bool PipeEnd::write_some() {
  while (waiting() > 0) {
    const ssize_t size = ::write(fd_.get(), output_.data() + written_, waiting());
    if (size < 0 && is_for_later()) {
      // Written bytes are dropped only when they are many, so that each byte moves once at most.
      if (written_ > output_.size() / 2) output_.erase(0, std::exchange(written_, 0));
      return false;
    }
    if (size < 0) break;  // nobody reads it any more
    written_ += static_cast<std::size_t>(size);
  }
  output_.clear();
  written_ = 0;
  if (ending_) end_writing();
  return true;
}

void PipeEnd::pause(bool paused) {
  paused_ = paused;
  watch();
}

}  // namespace trainctl::local
