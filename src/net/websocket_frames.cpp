// Wraps libwslay, which frames and unframes; what its callbacks need is in State.
#include "net/websocket_frames.h"

#include <algorithm>
#include <utility>

#include <wslay/wslay.h>

#include "base/memory.h"
#include "base/text/text.h"
#include "net/websocket_handshake.h"

namespace trainctl::net {
namespace {

// The largest frame of an API server or of kubectl is 32 KiB and a channel's number.
constexpr std::size_t k_message_limit = std::size_t{4} << 20;
// Limits a server, which has many clients.
constexpr std::size_t k_request_limit = std::size_t{1} << 20;

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

struct WebSocketFrames::State {
  wslay_event_context_ptr context = nullptr;
  std::function<void(std::string_view)> on_message;
  std::string_view input;
  std::string output;
  std::string message;  // being sent
  std::optional<Close> closed;
  std::string violation;
  bool stopped = false;
  bool takes_text = false;

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
    } else if (arg->opcode == WSLAY_TEXT_FRAME && !state.takes_text) {
      state.violation = "a text message where only binary ones are allowed";
    } else if (arg->opcode == WSLAY_BINARY_FRAME || arg->opcode == WSLAY_TEXT_FRAME) {
      state.on_message(text);
    }
  }

  // Writes what is queued into `output`, which accepts everything.
  void flush() { need_memory(wslay_event_send(context) != WSLAY_ERR_NOMEM); }

  void queue(std::uint8_t opcode, std::string_view text) {
    const wslay_event_msg message_to_send{opcode, bytes_of(text), text.size()};
    need_memory(wslay_event_queue_msg(context, &message_to_send) != WSLAY_ERR_NOMEM);
    flush();
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
  state_->takes_text = serves;
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

void WebSocketFrames::send(std::string_view head, std::string_view body, Kind kind) {
  std::string& message = state_->message;
  message.assign(head);
  message += body;
  state_->queue(kind == Kind::text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, message);
}

void WebSocketFrames::ping() {
  state_->queue(WSLAY_PING, "");
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
