// Frames and unframes what passes through an upgraded connection, at the pace of its peer.
#include "local/daemon/http_server_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "base/text/text.h"
#include "local/daemon/http_server.h"
#include "net/websocket.h"

namespace trainctl::local {
namespace {

constexpr std::size_t k_read_size = std::size_t{64} << 10;
// One busy connection must not keep the loop from the others.
constexpr int k_frames_a_turn = 4;
constexpr std::size_t k_key_size = 24;  // 16 bytes in base64
// The time the peer has to answer our close, and to take what was sent before it.
constexpr Duration k_closing_patience = std::chrono::seconds(10);
constexpr Duration k_peer_check = std::chrono::seconds(1);

// nullopt = nothing now; 0 = the connection has ended.
std::optional<std::size_t> moved(ssize_t size) {
  if (size >= 0) return static_cast<std::size_t>(size);
  return errno == EAGAIN || errno == EINTR ? std::nullopt : std::optional(std::size_t{0});
}

std::vector<std::string> words_of(const std::string& value) {
  std::vector<std::string> words;
  for (const std::string& word : split(value, ',')) words.emplace_back(trim(word));
  return words;
}

}  // namespace

class HttpSocket : public ApiSocket, public std::enable_shared_from_this<HttpSocket> {
 public:
  HttpSocket(UpgradedSockets& home, MHD_Connection* connection, ApiAnswer answer)
      : home_(home),
        handle_(connection),
        socket_(socket_of(connection)),
        session_(std::move(answer.session)) {}

  void open(std::string head);
  void send(std::string_view head, std::string_view body) override;
  std::size_t waiting() const override { return output_.size() - sent_; }
  void pause(bool paused) override;
  void close() override;
  // Ends the session and closes the connection at once.
  void end();

 private:
  enum class Stage { open, closing, over };

  // A peer that takes nothing must not make us answer its pings for ever.
  bool may_read() const {
    if (stage_ == Stage::open) return !paused_ && waiting() <= 2 * k_session_room;
    return stage_ == Stage::closing;
  }
  bool peer_has_ended() const { return frames_.closed() || !frames_.violation().empty(); }
  void watch();
  void on_ready(bool readable, bool writable);
  void read();
  void feed(std::string_view bytes);
  bool write();
  void transmit();
  void end_later();
  void look_for_peer();

  UpgradedSockets& home_;
  MHD_Connection* handle_;
  int socket_;
  std::unique_ptr<ApiSession> session_;
  net::WebSocketFrames frames_{[this](std::string_view message) {
                                 if (stage_ == Stage::open) session_->take(message);
                               },
                               net::WebSocketFrames::Role::server};
  Stage stage_ = Stage::open;
  std::string output_;
  std::size_t sent_ = 0;  // of output_
  bool paused_ = false;
  int watched_ = 0;  // what the present watch is for
  HandlePtr watch_, end_, patience_, look_;
};

void HttpSocket::open(std::string head) {
  home_.add(shared_from_this());
  MHD_suspend_connection(handle_);
  output_ = std::move(head);
  write();
  session_->begin(*this);
  watch();
}

void HttpSocket::watch() {
  const int wanted = (may_read() ? POLLIN : 0) | (waiting() > 0 ? POLLOUT : 0);
  if (stage_ == Stage::over || wanted == watched_) return;
  watched_ = wanted;
  watch_.reset();  // reset first, since the loop allows one watch per descriptor
  if (wanted == 0) return;
  watch_ = home_.loop().on_fd(socket_, (wanted & POLLIN) != 0, (wanted & POLLOUT) != 0,
                              [this, self = shared_from_this()](bool readable, bool writable) {
                                on_ready(readable, writable);
                              });
}

void HttpSocket::on_ready(bool readable, bool writable) {
  if (writable && waiting() > 0 && write()) {
    if (stage_ == Stage::open) session_->on_drained();
    if (stage_ == Stage::closing && peer_has_ended()) end_later();
  }
  if (readable && stage_ != Stage::over) read();
  watch();
}

void HttpSocket::read() {
  std::array<char, k_read_size> piece{};
  for (int reads = 0; reads < k_frames_a_turn && may_read(); ++reads) {
    const auto size = moved(::recv(socket_, piece.data(), piece.size(), MSG_DONTWAIT));
    if (!size) return;
    if (*size == 0) return end_later();
    feed({piece.data(), *size});
  }
}

// While closing, only the peer's own close counts.
void HttpSocket::feed(std::string_view bytes) {
  if (bytes.empty()) return;
  frames_.feed(bytes);
  transmit();
  if (!peer_has_ended() || stage_ == Stage::over) return;
  // Our own close, which answers, may not be sent yet.
  if (waiting() == 0) return end_later();
  close();
}

void HttpSocket::send(std::string_view head, std::string_view body) {
  if (stage_ != Stage::open) return;
  frames_.send(head, body);
  transmit();
}

void HttpSocket::transmit() {
  if (stage_ == Stage::over) return;
  const bool idle = waiting() == 0;
  output_ += frames_.take_output();
  if (idle) write();
  watch();
}

// Returns true when nothing waits any more.
bool HttpSocket::write() {
  while (waiting() > 0) {
    const auto size = moved(::send(socket_, output_.data() + sent_, output_.size() - sent_,
                                   MSG_NOSIGNAL | MSG_DONTWAIT));
    if (!size) {
      // Sent bytes are dropped only when they are many, so that each byte moves once at most.
      if (sent_ > output_.size() / 2) output_.erase(0, std::exchange(sent_, 0));
      return false;
    }
    if (*size == 0) {
      end_later();
      return false;
    }
    sent_ += *size;
  }
  output_.clear();
  sent_ = 0;
  return true;
}

void HttpSocket::pause(bool paused) {
  if (paused_ == paused || stage_ != Stage::open) return;
  paused_ = paused;
  if (paused) look_for_peer();
  watch();
}

// Nobody reads from a paused connection, so its end would go unnoticed.
void HttpSocket::look_for_peer() {
  look_.reset();
  if (!paused_ || stage_ != Stage::open) return;
  pollfd socket{socket_, POLLRDHUP, 0};
  ::poll(&socket, 1, 0);
  if (socket.revents != 0) return end_later();
  look_ = home_.loop().after(k_peer_check, [this, self = shared_from_this()] { look_for_peer(); });
}

void HttpSocket::close() {
  if (stage_ != Stage::open) return;
  stage_ = Stage::closing;
  frames_.close();
  transmit();
  patience_ = home_.loop().after(k_closing_patience, [this] { end_later(); });
}

// Not inside a call of the session.
void HttpSocket::end_later() {
  if (end_ || stage_ == Stage::over) return;
  stage_ = Stage::closing;
  end_ = home_.loop().after({}, [this, self = shared_from_this()] { end(); });
}

void HttpSocket::end() {
  if (std::exchange(stage_, Stage::over) == Stage::over) return;
  const auto self = shared_from_this();
  const HandlePtr done = std::move(end_);
  watch_.reset();
  patience_.reset();
  look_.reset();
  session_.reset();
  MHD_resume_connection(handle_);
  home_.wake();
  home_.remove(self);
}

UpgradedSockets::UpgradedSockets(UvLoop& loop, std::function<void()> wake)
    : loop_(loop), wake_(std::move(wake)) {}

UpgradedSockets::~UpgradedSockets() = default;

void UpgradedSockets::add(std::shared_ptr<HttpSocket> socket) {
  sockets_.insert(std::move(socket));
}

void UpgradedSockets::remove(const std::shared_ptr<HttpSocket>& socket) {
  sockets_.erase(socket);
}

void UpgradedSockets::close_all() {
  for (const auto& socket : std::set(sockets_)) socket->end();
}

bool asks_for_websocket(MHD_Connection* connection) {
  const auto words = words_of(lower(header_of(connection, "Connection")));
  return lower(header_of(connection, "Upgrade")) == "websocket" &&
         std::ranges::find(words, "upgrade") != words.end() &&
         header_of(connection, "Sec-WebSocket-Version") == "13" &&
         header_of(connection, "Sec-WebSocket-Key").size() == k_key_size;
}

std::vector<std::string> offered_protocols(MHD_Connection* connection) {
  const std::string value = header_of(connection, "Sec-WebSocket-Protocol");
  return value.empty() ? std::vector<std::string>() : words_of(value);
}

std::shared_ptr<void> upgrade(MHD_Connection* connection, ApiAnswer answer,
                              UpgradedSockets& upgraded) {
  const auto key = header_of(connection, "Sec-WebSocket-Key");
  const std::string protocol =
      answer.protocol.empty() ? "" : cat("\r\nSec-WebSocket-Protocol: ", answer.protocol);
  auto socket = std::make_shared<HttpSocket>(upgraded, connection, std::move(answer));
  socket->open(cat("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade",
                   "\r\nSec-WebSocket-Accept: ", net::websocket_accept(key), protocol, "\r\n\r\n"));
  return socket;
}

}  // namespace trainctl::local
