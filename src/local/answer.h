// A request to the embedded API server and its answer (one body, a stream or a session of
// messages), independent of any HTTP library.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace trainctl::local {

struct ApiRequest {
  std::string method;  // "GET"
  std::string target;  // path and query as sent, percent-encoded
  std::string content_type;
  std::string body;
  // A request to leave HTTP for a WebSocket, and the protocols that it offers, best first.
  bool upgrades = false;
  std::vector<std::string> protocols = {};
};

// A body that is produced in pieces: a watch, a followed log.
class ApiStream {
 public:
  virtual ~ApiStream() = default;
  // Returns at most `limit` bytes; "" = nothing now, `ready` will be called; nullopt = the end.
  virtual std::optional<std::string> read(std::size_t limit) = 0;
  // Sets the function to call when read() has data again (or ends) after it returned "". It is
  // never called inside read().
  virtual void on_ready(std::function<void()> ready) = 0;
};

// The connection of an upgraded request: messages in both directions.
class ApiSocket {
 public:
  virtual ~ApiSocket() = default;
  // Sends a message made of both parts: binary.
  virtual void send(std::string_view head, std::string_view body) = 0;
  // Bytes given to send() that the system has not taken yet. A caller that sends more than a little
  // waits for ApiSession::on_drained while this is not 0.
  virtual std::size_t waiting() const = 0;
  // While paused, nothing is read from the connection; a message that has arrived still comes.
  virtual void pause(bool paused) = 0;
  // Closes the connection when everything is sent. Messages are dropped from now on, and the
  // session is destroyed on a later turn.
  virtual void close() = 0;
};

// The answering side of a WebSocket. It is destroyed when the client has gone.
class ApiSession {
 public:
  virtual ~ApiSession() = default;
  // Called once, and first. `socket` outlives the session.
  virtual void begin(ApiSocket& socket) = 0;
  virtual void take(std::string_view message) = 0;
  // Everything that waited in the socket was taken.
  virtual void on_drained() = 0;
};

// The bytes that may wait in a session in one direction before its source is paused.
inline constexpr std::size_t k_session_room = std::size_t{256} << 10;

struct ApiAnswer {
  int code = 200;
  std::string content_type = "application/json";
  std::vector<net::Header> headers;  // Warning: 299 …
  std::string body;
  std::unique_ptr<ApiStream> stream;  // used instead of body
  // Used instead of both for a request that upgrades; `protocol` is one of those offered, or "".
  std::unique_ptr<ApiSession> session;
  std::string protocol;
};

}  // namespace trainctl::local
