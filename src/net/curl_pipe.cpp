// Reads and writes when the loop says so, a limited amount in each turn.
#include "net/curl_pipe.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainctl::net {
namespace {

constexpr std::size_t k_piece = std::size_t{64} << 10;
// A server that sends without pause must not keep the loop from everything else.
constexpr int k_reads_a_turn = 16;
constexpr int k_reads = 1, k_writes = 2;

}  // namespace

CurlPipe::CurlPipe(UvLoop& loop, std::shared_ptr<Transfer> transfer, std::weak_ptr<void> keep,
                   Handlers handlers)
    : loop_(loop),
      transfer_(std::move(transfer)),
      keep_(std::move(keep)),
      handlers_(std::move(handlers)) {}

std::function<void()> CurlPipe::kept(void (CurlPipe::*act)()) {
  return [this, act, keep = keep_] {
    if (const auto owner = keep.lock()) (this->*act)();
  };
}

void CurlPipe::watch() {
  const int wanted = (paused_ ? 0 : k_reads) | (waiting() > 0 ? k_writes : 0);
  if (over_ || wanted == watched_) return;
  watched_ = wanted;
  watch_.reset();  // reset first, since the loop allows one watch per descriptor
  curl_socket_t fd = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy(), CURLINFO_ACTIVESOCKET, &fd);
  if (wanted == 0 || fd == CURL_SOCKET_BAD) return;
  watch_ = loop_.on_fd(fd, (wanted & k_reads) != 0, (wanted & k_writes) != 0,
                       [this, keep = keep_](bool readable, bool writable) {
                         if (const auto owner = keep.lock()) on_ready(readable, writable);
                       });
}

void CurlPipe::on_ready(bool readable, bool writable) {
  if (writable && !over_ && write()) handlers_.on_drained();
  if (readable) read();
  watch();
}

void CurlPipe::read() {
  again_.reset();
  std::array<char, k_piece> piece{};
  for (int reads = 0; !over_ && !paused_; ++reads) {
    if (reads == k_reads_a_turn) {
      again_ = loop_.after({}, kept(&CurlPipe::read));
      return;
    }
    std::size_t size = 0;
    const CURLcode code = curl_easy_recv(easy(), piece.data(), piece.size(), &size);
    if (code == CURLE_AGAIN) break;
    if (code != CURLE_OK || size == 0) return handlers_.on_end();
    handlers_.on_bytes({piece.data(), size});
  }
  watch();
}

void CurlPipe::send(std::string bytes) {
  if (bytes.empty() || over_) return;
  if (sending_.empty()) {
    sending_ = std::move(bytes);
  } else {
    staged_ += bytes;
  }
  write();
  watch();
}

// Returns true when nothing waits any more.
bool CurlPipe::write() {
  while (sent_ < sending_.size()) {
    std::size_t sent = 0;
    const CURLcode code = curl_easy_send(easy(), sending_.data() + sent_,
                                         std::min(k_piece, sending_.size() - sent_), &sent);
    if (code == CURLE_AGAIN) return false;
    if (code != CURLE_OK) {
      end_later();
      return false;
    }
    sent_ += sent;
    if (sent_ < sending_.size()) continue;
    sending_ = std::exchange(staged_, {});
    sent_ = 0;
  }
  return true;
}

// Reads first what the other side sent before it went away. Ends later, since the owner is sending
// at this moment.
void CurlPipe::end_later() {
  sending_.clear();
  staged_.clear();
  sent_ = 0;
  if (end_) return;
  end_ = loop_.after({}, [this, keep = keep_] {
    const auto owner = keep.lock();
    if (!owner) return;
    read();
    if (!over_) handlers_.on_end();
  });
}

void CurlPipe::pause(bool paused) {
  if (over_ || paused_ == paused) return;
  paused_ = paused;
  // The TLS layer may hold bytes that the descriptor does not show.
  if (!paused) again_ = loop_.after({}, kept(&CurlPipe::read));
  watch();
}

void CurlPipe::stop() {
  over_ = true;
  watch_.reset();
  again_.reset();
  end_.reset();
}

}  // namespace trainctl::net
