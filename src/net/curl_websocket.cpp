// Moves bytes between libcurl's connection and the frames; the loop says when.
#include "net/curl_websocket.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "net/curl_lane.h"
#include "net/curl_transfer.h"
#include "net/http.h"
#include "net/websocket.h"

namespace trainctl::net {
namespace {

// Bytes over a connection that libcurl has established and keeps. The connection of a transfer
// whose on_connection was called; it stays in its lane meanwhile.
class CurlPipe {
 public:
  // Handlers may destroy the pipe's owner: through `keep`, it lives until they have returned.
  struct Handlers {
    std::function<void(std::string_view)> on_bytes;
    std::function<void()> on_drained;
    std::function<void()> on_end;  // reading or sending has become impossible
  };
  CurlPipe(UvLoop& loop, std::shared_ptr<Transfer> transfer, std::weak_ptr<void> keep,
           Handlers handlers);

  // Sends at once what the system takes; the rest waits.
  void send(std::string bytes);
  std::size_t waiting() const { return sending_.size() - sent_ + staged_.size(); }
  // While paused, nothing is read.
  void pause(bool paused);
  bool is_paused() const { return paused_; }
  // No handler is called any more.
  void stop();

 private:
  CURL* easy() const { return transfer_->easy(); }
  std::function<void()> kept(void (CurlPipe::*act)());
  void watch();
  void on_ready(bool readable, bool writable);
  void read();
  bool write();
  void end_later();

  UvLoop& loop_;
  std::shared_ptr<Transfer> transfer_;
  std::weak_ptr<void> keep_;
  Handlers handlers_;
  // OpenSSL wants a write that it could not finish repeated with the same bytes at the same place,
  // so the bytes being sent stay in place, and later bytes wait in a second buffer.
  std::string sending_, staged_;
  std::size_t sent_ = 0;
  bool paused_ = false;
  bool over_ = false;
  int watched_ = 0;  // what the present watch is for
  HandlePtr watch_, again_, end_;
};

constexpr std::size_t k_piece = std::size_t{64} << 10;
// A server that sends without pause must not keep the loop from everything else.
constexpr int k_reads_a_turn = 16;
constexpr int k_reads = 1, k_writes = 2;

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

constexpr Duration k_answer_limit_of_upgrade = std::chrono::seconds(30);
// Unsent bytes wait in memory until the server takes them. Users stop long before this limit;
// answers to the pings of a server that reads nothing would grow without end.
constexpr std::size_t k_most_waiting = std::size_t{16} << 20;
constexpr int k_normal_closure = 1000;
constexpr int k_going_away = 1001;

class CurlWebSocket : public WebSocket, public std::enable_shared_from_this<CurlWebSocket> {
 public:
  CurlWebSocket(const WebSocketHome& home, Request request, Handlers handlers)
      : home_(home),
        request_(std::move(request)),
        handlers_(std::move(handlers)),
        key_(new_websocket_key()),
        frames_([this](std::string_view message) {
          if (!over_ && handlers_.on_data) handlers_.on_data(message);
        }),
        heartbeat_(
            home.loop,
            {home.settings.endpoint.heartbeat_after, home.settings.endpoint.heartbeat_patience},
            {[this] { ping(); }, [] { return true; }, [this] { give_up(); }}) {}

  void connect();
  void abandon();

  const std::string& protocol() const override { return protocol_; }
  void send(std::string_view head, std::string_view body) override;
  std::size_t waiting() const override { return pipe_ ? pipe_->waiting() : 0; }
  void pause(bool paused) override;

 private:
  std::weak_ptr<CurlWebSocket> weak() { return weak_from_this(); }

  Request request_for_connection() const;
  void on_connection();
  void take(std::string_view bytes);
  void take_answer(UpgradeAnswer::State state);
  void upgrade();
  void take_frames(std::string_view bytes);
  void send_frames();
  void ping();
  void give_up();
  void end_later(Status status);
  void on_end();
  void finish(Status status, bool transient = false);
  void release();

  WebSocketHome home_;
  Request request_;
  Handlers handlers_;
  std::string key_, protocol_;
  std::shared_ptr<Transfer> transfer_;
  UpgradeAnswer answer_;
  WebSocketFrames frames_;
  LaneHeartbeat heartbeat_;
  std::unique_ptr<CurlPipe> pipe_;  // once there is a connection
  bool open_ = false;
  bool over_ = false;
  HandlePtr deadline_, end_;
};

void CurlWebSocket::connect() {
  Handlers handlers;
  handlers.on_done = [weak = weak()](Status status) {
    if (const auto self = weak.lock()) self->finish(std::move(status));
  };
  handlers.on_transient = [weak = weak()](std::optional<Duration> pause) {
    const auto self = weak.lock();
    if (self && !self->over_ && self->handlers_.on_transient) self->handlers_.on_transient(pause);
  };
  handlers.on_unsent = [weak = weak()] {
    const auto self = weak.lock();
    if (self && !self->over_ && self->handlers_.on_unsent) self->handlers_.on_unsent();
  };
  transfer_ = std::make_shared<Transfer>(home_.settings, home_.learned, request_for_connection(),
                                         std::move(handlers));
  transfer_->on_connection = [weak = weak()] {
    if (const auto self = weak.lock()) self->on_connection();
  };
  if (Status ready = transfer_->prepare(); !ready) return end_later(std::move(ready));
  home_.lane.add(transfer_);
}

// The headers are for the server; here they are only checked.
Request CurlWebSocket::request_for_connection() const {
  Request request;
  request.target = request_.target;
  request.headers = request_.headers;
  request.identity = request_.identity;
  request.ca_pem = request_.ca_pem;
  request.lane = Lane::stream;
  return request;
}

void CurlWebSocket::abandon() {
  if (std::exchange(over_, true)) return;
  release();
}

void CurlWebSocket::on_connection() {
  if (over_) return;
  deadline_ = home_.loop.after(k_answer_limit_of_upgrade, [weak = weak()] {
    const auto self = weak.lock();
    if (self) self->finish(no_answer(self->home_.settings.server, k_answer_limit_of_upgrade), true);
  });
  std::vector<Header> headers = {{"Host", host_port(home_.settings.url)},
                                 {"User-Agent", home_.settings.endpoint.user_agent}};
  headers.insert(headers.end(), request_.headers.begin(), request_.headers.end());
  CurlPipe::Handlers handlers;
  handlers.on_bytes = [this](std::string_view bytes) { take(bytes); };
  handlers.on_drained = [this] {
    if (handlers_.on_drained) handlers_.on_drained();
  };
  handlers.on_end = [this] { on_end(); };
  pipe_ = std::make_unique<CurlPipe>(home_.loop, transfer_, weak(), std::move(handlers));
  pipe_->send(upgrade_request(home_.settings.url.path + request_.target, headers,
                              request_.protocols, key_));
}

void CurlWebSocket::take(std::string_view bytes) {
  heartbeat_.heard();
  if (open_) return take_frames(bytes);
  take_answer(answer_.feed(bytes));
}

// The connection has ended without a close.
void CurlWebSocket::on_end() {
  if (!open_ && answer_.end() == UpgradeAnswer::State::refused) {
    return take_answer(UpgradeAnswer::State::refused);
  }
  finish(connection_lost(home_.settings.server), true);
}

void CurlWebSocket::take_answer(UpgradeAnswer::State state) {
  switch (state) {
    case UpgradeAnswer::State::incomplete:
      return;
    case UpgradeAnswer::State::upgraded:
      return upgrade();
    case UpgradeAnswer::State::refused:
      if (handlers_.on_head) handlers_.on_head(answer_.head());
      if (!over_ && handlers_.on_data) handlers_.on_data(answer_.body());
      return finish({});
    case UpgradeAnswer::State::broken:
      return finish(cannot_reach(home_.settings.server, "it does not answer in HTTP"));
  }
}

void CurlWebSocket::upgrade() {
  Result<std::string> protocol =
      chosen_protocol(answer_.head(), key_, request_.protocols, home_.settings.server);
  if (!protocol) return finish(std::move(protocol).error());
  protocol_ = *std::move(protocol);
  deadline_.reset();
  open_ = true;
  heartbeat_.begin();
  if (handlers_.on_head) handlers_.on_head(answer_.head());
  if (!over_ && handlers_.on_socket) handlers_.on_socket(*this);
  const std::string first(answer_.rest());
  if (!first.empty()) take_frames(first);
}

void CurlWebSocket::take_frames(std::string_view bytes) {
  if (over_) return;
  frames_.feed(bytes);
  if (over_) return;
  send_frames();
  const std::string& server = home_.settings.server;
  if (pipe_->waiting() > k_most_waiting) {
    return finish(
        Error{Code::unreachable, cat(server, " sends pings but does not read the answers"), ""});
  }
  if (!frames_.violation().empty()) {
    return finish(Error{
        Code::unreachable,
        cat("the connection to ", server, " breaks the WebSocket protocol: ", frames_.violation()),
        "does a proxy in between block WebSockets?"});
  }
  const auto& closed = frames_.closed();
  if (!closed) return;
  const bool clean = closed->code == k_normal_closure || closed->code == k_no_close_code ||
                     closed->code == k_going_away;
  if (clean) return finish({});
  const std::string words = closed->reason.empty() ? "no reason given" : closed->reason;
  finish(Error{
      Code::unreachable,
      cat(server, " has closed the connection: ", printable_line(words), " (", closed->code, ")"),
      "try again"});
}

void CurlWebSocket::send(std::string_view head, std::string_view body) {
  if (over_) return;
  frames_.send(head, body);
  send_frames();
}

void CurlWebSocket::ping() {
  frames_.ping();
  send_frames();
}

void CurlWebSocket::give_up() {
  const Endpoint& endpoint = home_.settings.endpoint;
  end_later(no_sign_of_life(home_.settings.server,
                            endpoint.heartbeat_after + endpoint.heartbeat_patience));
}

void CurlWebSocket::send_frames() {
  pipe_->send(frames_.take_output());
}

// Not inside a call of the socket's user.
void CurlWebSocket::end_later(Status status) {
  if (end_) return;
  end_ = home_.loop.after({}, [weak = weak(), status = std::move(status)] {
    if (const auto self = weak.lock()) self->finish(status, true);
  });
}

void CurlWebSocket::pause(bool paused) {
  if (over_ || pipe_->is_paused() == paused) return;
  if (paused) {
    heartbeat_.end();  // an answer to a ping would not be read
  } else {
    heartbeat_.begin();
  }
  pipe_->pause(paused);
}

void CurlWebSocket::finish(Status status, bool transient) {
  if (std::exchange(over_, true)) return;
  const auto self = shared_from_this();
  release();
  if (!status && transient && handlers_.on_transient) handlers_.on_transient(std::nullopt);
  if (handlers_.on_done) handlers_.on_done(std::move(status));
}

void CurlWebSocket::release() {
  frames_.stop();
  heartbeat_.end();
  if (pipe_) pipe_->stop();
  deadline_.reset();
  if (!transfer_) return;
  transfer_->abandon();
  if (transfer_->lane != nullptr) transfer_->lane->drop(*transfer_);
}

class WebSocketHandle : public Handle {
 public:
  explicit WebSocketHandle(std::shared_ptr<CurlWebSocket> socket) : socket_(std::move(socket)) {}
  ~WebSocketHandle() override { socket_->abandon(); }

 private:
  std::shared_ptr<CurlWebSocket> socket_;
};

}  // namespace

HandlePtr open_websocket(const WebSocketHome& home, Request request, Handlers handlers) {
  auto socket = std::make_shared<CurlWebSocket>(home, std::move(request), std::move(handlers));
  socket->connect();
  return std::make_unique<WebSocketHandle>(std::move(socket));
}

}  // namespace trainctl::net
