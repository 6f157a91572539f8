// HTTP as the rest of the program sees it: a request, its answer in pieces, and the transport that
// carries them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/loop/loop.h"
#include "base/result.h"
#include "base/text/time.h"

namespace trainctl::net {

// Finds the certificates this system trusts: each distribution keeps them in a place of its own.
struct SystemTrust {
  std::string file;       // of PEM certificates; "" = none was found
  std::string directory;  // of certificates by OpenSSL's hashes; "" = none was found
};

// SSL_CERT_FILE and SSL_CERT_DIR replace the places of the distributions.
SystemTrust find_system_trust(const Environment& env, Files& files);

// All places, in the order in which they are searched, for messages.
std::string system_trust_places();

struct Header {
  std::string name;
  std::string value;
};

// A client certificate and its key as PEM, kept in memory only.
struct ClientIdentity {
  std::string certificate_pem;
  std::string key_pem;
};

// The server's address and the way to connect to it. Everything here is known before the first
// request.
struct Endpoint {
  std::string base_url;         // "https://host:6443/prefix", no '/' at the end; or "http://…"
  std::string unix_socket;      // path; base_url then only supplies the host name
  std::string ca_pem;           // trust exactly these; "" = the system's bundle
  std::string ca_source;        // where ca_pem came from, for messages
  SystemTrust system_trust;     // the bundle; where none was found, libcurl's own
  std::string tls_server_name;  // SNI and the name verified, instead of the URL's host
  std::string proxy_url;        // http, https or socks5 (names resolved there); "" = direct
  std::string user_agent;
  bool insecure = false;    // do not verify the server's certificate
  bool compression = true;  // accept gzip on unary calls
  // A connection whose packets are not acknowledged for this long is dead, and its requests fail.
  Duration dead_after = std::chrono::seconds(40);
  // An HTTP/2 connection that was silent for heartbeat_after is probed, and is dead when nothing
  // comes within heartbeat_patience: a proxy in between may acknowledge packets and forward none.
  Duration heartbeat_after = std::chrono::seconds(30);
  Duration heartbeat_patience = std::chrono::seconds(15);
};

// A Request::timeout that never expires; 0 would turn a call into a stream.
constexpr Duration k_no_timeout = std::chrono::hours(24 * 20);

// Selects the connections that carry a request. Long streams must not starve control calls of
// HTTP/2 streams, so they never share a connection (kube-apiserver allows 100 streams on one).
enum class Lane { control, stream };

// Far above any object: the API server itself accepts 3 MiB at most.
constexpr std::size_t k_answer_limit = std::size_t{64} << 20;
constexpr std::size_t k_page_limit = std::size_t{256} << 20;
// Limits the bytes of answers that arrive together.
constexpr std::size_t k_shared_limit = std::size_t{512} << 20;

struct Request {
  std::string method = "GET";
  std::string target;  // path and query, percent-encoded, below Endpoint::base_url: "/api/v1/…"
  std::vector<Header> headers;
  std::string body;
  std::shared_ptr<const ClientIdentity> identity;  // null = no client certificate
  std::shared_ptr<const std::string> ca_pem;       // null = the endpoint's
  Lane lane = Lane::control;
  Duration timeout{};  // for the whole answer; 0 = none (watches, followed logs)
  std::size_t answer_limit = k_answer_limit;  // bytes of a unary call's answer after decompression
  std::shared_ptr<std::size_t>
      shared_room;             // bytes left to it and others together; null = no limit
  bool owner_retries = false;  // the caller itself retries and reports that (see net/retry.h)
  bool endless = false;        // the answer has no natural end: a followed log
  // When not empty, the request asks to leave HTTP for a WebSocket that speaks one of these. It has
  // a connection of its own, and no time limit once that is established.
  std::vector<std::string> protocols = {};
};

struct ResponseHead {
  int status = 0;
  std::vector<Header> headers;
  // The first value of a header, by case-insensitive name; "" when absent.
  std::string header(std::string_view name) const;
};

struct Response {
  ResponseHead head;
  std::string body;
};

// The connection of an upgraded request: messages in both directions.
class WebSocket {
 public:
  virtual ~WebSocket() = default;
  // The one of Request::protocols that the server has chosen.
  virtual const std::string& protocol() const = 0;
  // Sends a binary message made of both parts.
  virtual void send(std::string_view head, std::string_view body) = 0;
  // Bytes given to send() that the system has not taken yet. A caller that sends more than a little
  // waits for Handlers::on_drained while this is not 0.
  virtual std::size_t waiting() const = 0;
  // While paused, nothing is read from the connection; messages that have arrived still come.
  virtual void pause(bool paused) = 0;
};

// Callbacks of one request, in this order: on_head once, on_data any number of times, on_done once.
// on_done reports the transport's view: ok means that the answer ended cleanly, whatever its HTTP
// status (which for a log stream proves nothing: see kube/stream/log_stream.h). Errors are
// Code::unreachable with the host and the reason; on_head may not have been called then. None runs
// before start() returns.
struct Handlers {
  std::function<void(const ResponseHead&)> on_head;
  std::function<void(std::string_view)> on_data;
  std::function<void(Status)> on_done;
  // Optional: called just before an on_done with an error that another attempt may avoid (a
  // refused, cut or unresolvable connection, but not an untrusted certificate). `pause` is how long
  // to wait before that attempt, where the transport knows it, like a Retry-After.
  std::function<void(std::optional<Duration> pause)> on_transient = {};
  // Optional: called just before an on_done of a request that never left this machine, because no
  // connection was established.
  std::function<void()> on_unsent = {};
  // For a request with protocols: called behind an on_head of status 101. The socket lives until
  // on_done, or until the handle is destroyed; on_data is called once for each message.
  std::function<void(WebSocket&)> on_socket = {};
  // Everything that waited in the socket was taken.
  std::function<void()> on_drained = {};
};

class Transport {
 public:
  // Must not be destroyed from inside a handler.
  virtual ~Transport() = default;
  // Destroying the handle abandons the request. Handlers may destroy their own request's handle,
  // and stay alive until they have returned.
  [[nodiscard]] virtual HandlePtr start(Request request, Handlers handlers) = 0;
};

// Collects a whole answer of at most `limit` bytes.
[[nodiscard]] HandlePtr collect(Transport& transport, Request request,
                                std::function<void(Result<Response>)> done,
                                std::size_t limit = std::size_t{1} << 30);

// Messages for why no answer came, shared by the real transport and the scripted one. `server` is
// "host:port", or another name of the endpoint for the user. All errors are Code::unreachable.
Error cannot_reach(std::string_view server, std::string_view reason);
Error connection_lost(std::string_view server);
Error no_answer(std::string_view server, Duration limit);
// This process has reached its limit of `limit` open files and connections.
Error too_many_open(std::string_view server, std::uint64_t limit);
// True for that error: this process is to blame, not the server.
bool is_too_many_open(const Error& error);
// An open connection was silent for `limit` although an answer was due.
Error no_sign_of_life(std::string_view server, Duration limit);

// "trying again in 4 s"; without a wait "trying again".
std::string trying_again(Duration wait);

// "30 s", "0.5 s".
std::string seconds_text(Duration duration);

}  // namespace trainctl::net
