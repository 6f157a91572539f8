// The frames of a WebSocket (RFC 6455, section 5) from and to bytes, without any connection.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace trainctl::net {

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
  enum class Kind { binary, text };
  void send(std::string_view head, std::string_view body, Kind kind = Kind::binary);
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
