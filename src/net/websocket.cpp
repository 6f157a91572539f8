// libwslay reads frames and answers pings and closes; the handshake and our messages are written
// here.
#include "net/websocket.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <openssl/evp.h>
#include <sys/random.h>
#include <wslay/wslay.h>

#include "base/file/system_libraries.h"
#include "base/memory.h"
#include "base/text/text.h"
#include "base/value/base64.h"

namespace trainctl::net {
namespace {

constexpr std::size_t k_head_limit = std::size_t{256} << 10;
constexpr std::size_t k_body_limit = std::size_t{1} << 20;  // of a refusal
constexpr std::size_t k_key_bytes = 16;
constexpr std::size_t k_sha1_bytes = 20;
constexpr std::string_view k_guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3
constexpr std::string_view k_line_end = "\r\n";
constexpr int k_switching = 101;
constexpr int k_hexadecimal = 16;

std::string_view view(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "HTTP/1.1 101 Switching Protocols"
std::optional<int> status_in(std::string_view line) {
  constexpr std::size_t k_status_at = 9;
  constexpr std::size_t k_status_size = 3;
  if (!line.starts_with("HTTP/1.") || line.size() < k_status_at + k_status_size) {
    return std::nullopt;
  }
  const auto status = parse_number<std::size_t>(line.substr(k_status_at, k_status_size));
  if (!status) return std::nullopt;
  return static_cast<int>(*status);
}

// True when a comma-separated header holds the word.
bool lists_word(std::string_view value, std::string_view word) {
  const auto words = split(value, ',');
  return std::ranges::any_of(words,
                             [&](const std::string& one) { return lower(trim(one)) == word; });
}

// Unpredictable bytes, for keys and masks.
void fill_random(std::span<unsigned char> bytes) {
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    throw std::runtime_error("the system has no random numbers");
  }
}

}  // namespace

std::string new_websocket_key() {
  std::array<unsigned char, k_key_bytes> bytes{};
  fill_random(bytes);
  return base64_encode(view(bytes));
}

std::string websocket_accept(std::string_view key) {
  const std::string text = cat(key, k_guid);
  std::array<unsigned char, k_sha1_bytes> digest{};
  start_crypto();
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha1(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL has no SHA-1, which WebSockets require");
  }
  return base64_encode(view(digest));
}

std::string upgrade_request(std::string_view target, const std::vector<Header>& headers,
                            const std::vector<std::string>& protocols, std::string_view key) {
  std::string text = cat("GET ", target, " HTTP/1.1\r\n");
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += cat(name, ": ", value, k_line_end);
  };
  for (const Header& header : headers) add(header.name, header.value);
  add("Connection", "Upgrade");
  add("Upgrade", "websocket");
  add("Sec-WebSocket-Version", "13");
  add("Sec-WebSocket-Key", key);
  add("Sec-WebSocket-Protocol", join(protocols, ", "));
  return text += k_line_end;
}

UpgradeAnswer::State UpgradeAnswer::feed(std::string_view bytes) {
  rest_ += bytes;
  if (has_head_) return read_body();
  return read_head();
}

UpgradeAnswer::State UpgradeAnswer::end() {
  const bool ends_so = has_head_ && !chunked_ && !length_;
  return ends_so ? State::refused : State::broken;
}

UpgradeAnswer::State UpgradeAnswer::read_head() {
  const std::size_t end = rest_.find("\r\n\r\n");
  if (end == std::string::npos) {
    const bool is_http =
        std::string_view("HTTP/1.").starts_with(rest_.substr(0, 7)) || rest_.starts_with("HTTP/1.");
    return is_http && rest_.size() <= k_head_limit ? State::incomplete : State::broken;
  }
  std::vector<std::string> lines = split(rest_.substr(0, end), '\n');
  rest_.erase(0, end + 4);
  const auto status = status_in(lines.front());
  if (!status) return State::broken;
  head_ = {*status, {}};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Halves halves = split_once(lines[i], ':');
    head_.headers.push_back({halves.first, std::string(trim(halves.second))});
  }
  if (*status == k_switching) return State::upgraded;
  if (*status < 200) return read_head();  // an interim answer
  has_head_ = true;
  chunked_ = lists_word(head_.header("Transfer-Encoding"), "chunked");
  const std::string length = head_.header("Content-Length");
  if (!length.empty() && !chunked_) {
    length_ = parse_number<std::size_t>(length);
    if (!length_) return State::broken;
  }
  return read_body();
}

UpgradeAnswer::State UpgradeAnswer::read_body() {
  if (chunked_) return read_chunks();
  body_ += rest_;
  rest_.clear();
  if (length_ && body_.size() >= *length_) {
    body_.resize(*length_);
    return State::refused;
  }
  return body_.size() > k_body_limit ? State::refused : State::incomplete;
}

UpgradeAnswer::State UpgradeAnswer::read_chunks() {
  for (;;) {
    if (body_.size() > k_body_limit) return State::refused;
    const std::size_t line = rest_.find(k_line_end);
    if (line == std::string::npos) {
      return rest_.size() > k_head_limit ? State::broken : State::incomplete;
    }
    const std::string first = split_once(rest_.substr(0, line), ';').first;
    const auto size = parse_number<std::size_t>(trim(first), k_hexadecimal);
    if (!size || *size > k_body_limit) return State::broken;
    if (*size == 0) return State::refused;
    const std::size_t begin = line + k_line_end.size();
    if (rest_.size() < begin + *size + k_line_end.size()) return State::incomplete;
    body_ += rest_.substr(begin, *size);
    rest_.erase(0, begin + *size + k_line_end.size());
  }
}

Result<std::string> chosen_protocol(const ResponseHead& head, std::string_view key,
                                    const std::vector<std::string>& offered,
                                    std::string_view server) {
  const auto wrong = [server](std::string_view what) {
    return Error{Code::unreachable,
                 cat("the answer of ", server, " does not open the WebSocket: ", what),
                 "a proxy in between may block WebSockets; is the server a Kubernetes API server?"};
  };
  const bool upgrades = lower(head.header("Upgrade")) == "websocket" &&
                        lists_word(head.header("Connection"), "upgrade");
  if (!upgrades) return wrong("it does not upgrade the connection");
  if (head.header("Sec-WebSocket-Accept") != websocket_accept(key)) {
    return wrong("its key does not match the request");
  }
  std::string chosen = head.header("Sec-WebSocket-Protocol");
  if (chosen.empty()) return wrong("it names no protocol");
  if (std::ranges::count(offered, chosen) == 0) {
    return wrong(cat("it has chosen ", printable_line(chosen), ", which was not offered"));
  }
  return chosen;
}

namespace {

// The largest frame of an API server or of kubectl is 32 KiB and a channel's number.
constexpr std::size_t k_message_limit = std::size_t{4} << 20;
// Limits a server, which has many clients.
constexpr std::size_t k_request_limit = std::size_t{1} << 20;

// The beginning of an unfragmented frame (RFC 6455, 5.2), without the mask.
void append_frame_head(std::string& text, std::uint8_t opcode, std::size_t size, bool masked) {
  constexpr std::size_t k_in_two_bytes = 126;
  const int bytes = size < k_in_two_bytes ? 0 : size <= UINT16_MAX ? 2 : 8;
  const std::size_t form = bytes == 0 ? size : bytes == 2 ? k_in_two_bytes : k_in_two_bytes + 1;
  text += static_cast<char>(0x80 | opcode);
  text += static_cast<char>((masked ? 0x80U : 0U) | form);
  for (int byte = bytes - 1; byte >= 0; --byte) text += static_cast<char>(size >> (8U * byte));
}

// Masks eight bytes at a time, which matters to a copy of many bytes.
void mask_from(std::string& text, std::size_t begin, const std::array<unsigned char, 4>& mask) {
  const std::uint64_t once = std::bit_cast<std::uint32_t>(mask);
  const std::uint64_t word = once << 32U | once;
  char* at = text.data() + begin;
  std::size_t left = text.size() - begin;
  for (; left >= sizeof word; at += sizeof word, left -= sizeof word) {
    std::uint64_t part = 0;
    std::memcpy(&part, at, sizeof part);
    part ^= word;
    std::memcpy(at, &part, sizeof part);
  }
  for (std::size_t i = 0; i < left; ++i) at[i] ^= static_cast<char>(mask.at(i % mask.size()));
}

}  // namespace

struct WebSocketFrames::State {
  wslay_event_context_ptr context = nullptr;
  std::function<void(std::string_view)> on_message;
  std::string_view input;
  std::string output;
  std::optional<Close> closed;
  std::string violation;
  bool stopped = false;
  bool serves = false;

  static State& of(void* self) { return *static_cast<State*>(self); }

  static ssize_t receive(wslay_event_context_ptr context, std::uint8_t* to, std::size_t room, int,
                         void* self) {
    State& state = of(self);
    const std::size_t size = std::min(room, state.input.size());
    if (size == 0 || state.stopped) {
      wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    std::copy_n(state.input.data(), size, reinterpret_cast<char*>(to));
    state.input.remove_prefix(size);
    return static_cast<ssize_t>(size);
  }

  static ssize_t transmit(wslay_event_context_ptr, const std::uint8_t* data, std::size_t size, int,
                          void* self) {
    of(self).output.append(reinterpret_cast<const char*>(data), size);
    return static_cast<ssize_t>(size);
  }

  static int mask(wslay_event_context_ptr, std::uint8_t* to, std::size_t size, void*) {
    fill_random({to, size});
    return 0;
  }

  static void received(wslay_event_context_ptr, const wslay_event_on_msg_recv_arg* arg,
                       void* self) {
    State& state = of(self);
    if (state.stopped || !state.violation.empty()) return;
    std::string_view text(reinterpret_cast<const char*>(arg->msg), arg->msg_length);
    if (arg->opcode == WSLAY_CONNECTION_CLOSE) {
      text.remove_prefix(std::min<std::size_t>(2, text.size()));
      state.closed = {arg->status_code == 0 ? k_no_close_code : arg->status_code,
                      std::string(text)};
    } else if (arg->opcode == WSLAY_TEXT_FRAME && !state.serves) {
      state.violation = "a text message where only binary ones are allowed";
    } else if (arg->opcode == WSLAY_BINARY_FRAME || arg->opcode == WSLAY_TEXT_FRAME) {
      state.on_message(text);
    }
  }

  // Writes what is queued into `output`, which accepts everything.
  void flush() { need_memory(wslay_event_send(context) != WSLAY_ERR_NOMEM); }

  // Writes a frame behind those of libwslay, which has nothing queued between two calls. It would
  // copy a message twice and mask it byte by byte.
  void send(std::uint8_t opcode, std::string_view head, std::string_view body) {
    if (wslay_event_get_close_sent(context) != 0) return;
    append_frame_head(output, opcode, head.size() + body.size(), !serves);
    std::array<unsigned char, 4> mask{};
    if (!serves) {
      fill_random(mask);
      output += view(mask);
    }
    const std::size_t begin = output.size();
    output += head;
    output += body;
    if (!serves) mask_from(output, begin, mask);
  }
};

WebSocketFrames::WebSocketFrames(std::function<void(std::string_view)> on_message, Role role)
    : state_(std::make_unique<State>()) {
  state_->on_message = std::move(on_message);
  wslay_event_callbacks callbacks{};
  callbacks.recv_callback = &State::receive;
  callbacks.send_callback = &State::transmit;
  callbacks.genmask_callback = &State::mask;
  callbacks.on_msg_recv_callback = &State::received;
  const bool serves = role == Role::server;
  state_->serves = serves;
  const auto make = serves ? &wslay_event_context_server_init : &wslay_event_context_client_init;
  need_memory(make(&state_->context, &callbacks, state_.get()) == 0);
  wslay_event_config_set_max_recv_msg_length(state_->context,
                                             serves ? k_request_limit : k_message_limit);
}

WebSocketFrames::~WebSocketFrames() {
  wslay_event_context_free(state_->context);
}

void WebSocketFrames::feed(std::string_view bytes) {
  if (state_->stopped || state_->closed || !state_->violation.empty()) return;
  state_->input = bytes;
  const int outcome = wslay_event_recv(state_->context);
  need_memory(outcome != WSLAY_ERR_NOMEM);
  const bool reads = wslay_event_get_read_enabled(state_->context) != 0;
  if (!state_->stopped && !state_->closed && !reads && state_->violation.empty()) {
    state_->violation = "a frame that breaks the protocol, or a message that is too large";
  }
  state_->flush();
}

void WebSocketFrames::stop() {
  state_->stopped = true;
}

void WebSocketFrames::send(std::string_view head, std::string_view body) {
  state_->send(WSLAY_BINARY_FRAME, head, body);
}

void WebSocketFrames::ping() {
  state_->send(WSLAY_PING, "", "");
}

void WebSocketFrames::close() {
  const int outcome =
      wslay_event_queue_close(state_->context, WSLAY_CODE_NORMAL_CLOSURE, nullptr, 0);
  need_memory(outcome != WSLAY_ERR_NOMEM);
  state_->flush();
}

std::string WebSocketFrames::take_output() {
  return std::exchange(state_->output, {});
}

const std::optional<WebSocketFrames::Close>& WebSocketFrames::closed() const {
  return state_->closed;
}

const std::string& WebSocketFrames::violation() const {
  return state_->violation;
}

}  // namespace trainctl::net
