// WebSockets (RFC 6455) from and to bytes, without any connection: the opening handshake and
// frames.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace trainctl::net {

// A new value of Sec-WebSocket-Key, and the Sec-WebSocket-Accept that answers it.
std::string new_websocket_key();
std::string websocket_accept(std::string_view key);

// The bytes that request an upgrade. `target` and headers must hold no line breaks.
std::string upgrade_request(std::string_view target, const std::vector<Header>& headers,
                            const std::vector<std::string>& protocols, std::string_view key);

// Reads what comes back: the head of a 101, or of a refusal with its body.
class UpgradeAnswer {
 public:
  enum class State {
    incomplete,
    upgraded,  // rest() is the beginning of the WebSocket's data
    refused,   // body() is complete
    broken,    // no HTTP, or a head or body without end
  };
  State feed(std::string_view bytes);
  // The connection has ended, and with it a body without a length.
  State end();

  const ResponseHead& head() const { return head_; }
  const std::string& body() const { return body_; }
  std::string_view rest() const { return rest_; }

 private:
  State read_head();
  State read_body();
  State read_chunks();

  std::string rest_;  // not interpreted yet
  std::optional<std::size_t> length_;
  bool has_head_ = false;
  bool chunked_ = false;
  ResponseHead head_;
  std::string body_;
};

// The protocol that a 101 chose among those offered. Code::unreachable when the answer does not fit
// our request: then no Kubernetes API server sent it.
Result<std::string> chosen_protocol(const ResponseHead& head, std::string_view key,
                                    const std::vector<std::string>& offered,
                                    std::string_view server);

// The code of a close that named none (RFC 6455, section 7.4.1).
inline constexpr int k_no_close_code = 1005;

class WebSocketFrames {
 public:
  // A client masks its frames. A server demands that, and takes text messages for binary ones, as
  // API servers do: some clients send them.
  enum class Role { client, server };
  // `on_message` gets each complete binary message, and may call stop().
  explicit WebSocketFrames(std::function<void(std::string_view)> on_message,
                           Role role = Role::client);
  ~WebSocketFrames();
  WebSocketFrames(const WebSocketFrames&) = delete;
  WebSocketFrames& operator=(const WebSocketFrames&) = delete;

  // Takes what has arrived. Answers to pings and to a close are added to the output.
  void feed(std::string_view bytes);
  // No more messages are reported, not even of bytes that were fed already.
  void stop();

  // Add a message, a ping or a normal close of ours to the output; nothing after a close.
  void send(std::string_view head, std::string_view body);
  void ping();
  void close();
  // Removes and returns the output, which is to be written to the connection.
  std::string take_output();

  // The other side's end of the stream: its status code (1005 = none) and words.
  struct Close {
    int code = 0;
    std::string reason;
  };
  const std::optional<Close>& closed() const;
  // The other side's violation of the protocol; "" = none. Nothing is read after that.
  const std::string& violation() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainctl::net
