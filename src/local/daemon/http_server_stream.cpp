// Streams one answer: reads, suspends, resumes, and notices that the peer is gone.
#include "local/daemon/http_server_stream.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <poll.h>

#include "local/daemon/http_server.h"

namespace trainctl::local {
namespace {

constexpr std::size_t k_response_block = 16384;
constexpr auto k_stream_check = std::chrono::seconds(1);

}  // namespace

class HttpStream {
 public:
  HttpStream(MHD_Connection* connection, std::unique_ptr<ApiStream> stream,
             SuspendedStreams& suspended)
      : connection_(connection), stream_(std::move(stream)), suspended_(suspended) {
    stream_->on_ready([this] { resume(); });
  }
  ~HttpStream() { suspended_.remove(*this); }
  HttpStream(const HttpStream&) = delete;
  HttpStream& operator=(const HttpStream&) = delete;

  ssize_t read(char* buffer, std::size_t limit) {
    if (abandoned_ || suspended_.stopping()) return MHD_CONTENT_READER_END_WITH_ERROR;
    const auto piece = stream_->read(limit);
    if (!piece) return MHD_CONTENT_READER_END_OF_STREAM;
    if (piece->empty()) {
      is_suspended_ = true;
      suspended_.add(*this);
      MHD_suspend_connection(connection_);
      return 0;
    }
    const std::size_t size = std::min(piece->size(), limit);
    std::copy_n(piece->data(), size, buffer);
    return static_cast<ssize_t>(size);
  }

  void resume() {
    if (!is_suspended_) return;
    is_suspended_ = false;
    suspended_.remove(*this);
    MHD_resume_connection(connection_);
    suspended_.wake();
  }
  void abandon() {
    abandoned_ = true;
    resume();
  }
  int socket() const { return socket_of(connection_); }

 private:
  MHD_Connection* connection_;
  std::unique_ptr<ApiStream> stream_;
  SuspendedStreams& suspended_;
  bool is_suspended_ = false;
  bool abandoned_ = false;
};

void SuspendedStreams::add(HttpStream& stream) {
  streams_.insert(&stream);
  if (!timer_) timer_ = loop_.after(k_stream_check, [this] { look(); });
}

void SuspendedStreams::remove(HttpStream& stream) {
  streams_.erase(&stream);
}

void SuspendedStreams::abandon_all() {
  stopping_ = true;
  timer_.reset();
  for (HttpStream* stream : std::set(streams_)) stream->abandon();
}

// Checks all streams with one system call.
void SuspendedStreams::look() {
  const std::vector<HttpStream*> streams(streams_.begin(), streams_.end());
  std::vector<pollfd> sockets;
  for (HttpStream* stream : streams) sockets.push_back({stream->socket(), POLLRDHUP, 0});
  ::poll(sockets.data(), sockets.size(), 0);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (sockets[i].revents != 0) streams[i]->abandon();
  }
  timer_.reset();
  if (!streams_.empty()) timer_ = loop_.after(k_stream_check, [this] { look(); });
}

MHD_Response* make_stream_response(MHD_Connection* connection, std::unique_ptr<ApiStream> stream,
                                   SuspendedStreams& suspended) {
  auto owned = std::make_unique<HttpStream>(connection, std::move(stream), suspended);
  const auto read = [](void* self, std::uint64_t, char* buffer, std::size_t limit) {
    return static_cast<HttpStream*>(self)->read(buffer, limit);
  };
  const auto free = [](void* self) { delete static_cast<HttpStream*>(self); };
  MHD_Response* response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, k_response_block,
                                                             read, owned.get(), free);
  if (response != nullptr) owned.release();
  return response;
}

}  // namespace trainctl::local
