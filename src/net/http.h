// HTTP as the rest of the program sees it: a request, its answer in pieces, and who carries them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "base/result.h"
#include "base/time.h"

namespace trainctl::net {

struct Header {
  std::string name;
  std::string value;
};

// A client certificate and its key, PEM, kept in memory only.
struct ClientIdentity {
  std::string certificate_pem;
  std::string key_pem;
};

// Where and how to connect. Everything here is known before the first request.
struct Endpoint {
  std::string base_url;         // "https://host:6443/prefix", no '/' at the end; or "http://…"
  std::string unix_socket;      // path; base_url then only names the host
  std::string ca_pem;           // trust exactly these; "" = the system's bundle
  std::string ca_source;        // where ca_pem came from, for messages
  std::string tls_server_name;  // SNI and the name verified, instead of the URL's host
  std::string proxy_url;        // http, https or socks5 (names resolved there); "" = direct
  std::string user_agent;
  bool insecure = false;    // do not verify the server's certificate
  bool compression = true;  // accept gzip on unary calls
  // A connection whose packets nobody acknowledges for so long is dead: its requests fail.
  Duration dead_after = std::chrono::seconds(40);
  // One of HTTP/2 that was silent for so long is asked for a sign of life, and is dead when none
  // comes: a proxy on the way may acknowledge packets and forward none.
  Duration heartbeat_after = std::chrono::seconds(30);
  Duration heartbeat_patience = std::chrono::seconds(15);
};

// A Request::timeout that never comes: 0 would make a stream of a call.
constexpr Duration k_no_timeout = std::chrono::hours(24 * 20);

// Which connections carry a request. Long streams must not starve control calls of HTTP/2 streams,
// so they never share a connection (kube-apiserver allows 100 streams on one).
enum class Lane { control, stream };

// Of an object the API server itself takes 3 MiB at most.
constexpr std::size_t k_answer_limit = std::size_t{64} << 20;
constexpr std::size_t k_page_limit = std::size_t{256} << 20;

struct Request {
  std::string method = "GET";
  std::string target;  // path and query, percent-encoded, below Endpoint::base_url: "/api/v1/…"
  std::vector<Header> headers;
  std::string body;
  std::shared_ptr<const ClientIdentity> identity;  // null = no client certificate
  std::shared_ptr<const std::string> ca_pem;       // null = the endpoint's
  Lane lane = Lane::control;
  Duration timeout{};  // for the whole answer; 0 = none (watches, followed logs)
  std::size_t answer_limit = k_answer_limit;  // bytes of a unary call's answer, inflated
  bool owner_retries = false;  // the caller itself tries again, and says so (see net/retry.h)
  bool endless = false;        // the answer goes on for as long as it likes: a followed log
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

// Callbacks of one request, in this order: on_head once, on_data any number of times, on_done once.
// on_done tells the transport's view: ok means the answer ended cleanly, whatever its HTTP status
// (which for a log stream proves nothing: see kube/log_stream.h). Errors are Code::unreachable with
// the host and the reason; on_head may never have come then. None runs before start() returns.
struct Handlers {
  std::function<void(const ResponseHead&)> on_head;
  std::function<void(std::string_view)> on_data;
  std::function<void(Status)> on_done;
  // Optional: comes just before an on_done whose error another attempt may not meet (a refused, cut
  // or unresolvable connection, as against a certificate that is not trusted). `pause`: how long
  // the next one had better wait, where the transport knows it, as it would in a Retry-After.
  std::function<void(std::optional<Duration> pause)> on_transient = {};
  // Optional: comes just before an on_done whose request never left this machine, since no
  // connection stood.
  std::function<void()> on_unsent = {};
};

class Transport {
 public:
  // Not from inside a handler.
  virtual ~Transport() = default;
  // Destroying the handle abandons the request; handlers may destroy their own request's handle,
  // and live until they have returned.
  [[nodiscard]] virtual HandlePtr start(Request request, Handlers handlers) = 0;
};

// Collects a whole answer of at most `limit` bytes.
[[nodiscard]] HandlePtr collect(Transport& transport, Request request,
                                std::function<void(Result<Response>)> done,
                                std::size_t limit = std::size_t{1} << 30);

}  // namespace trainctl::net
