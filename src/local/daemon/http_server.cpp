// Runs libmicrohttpd without a thread of its own: its epoll descriptor and its timeout are on our
// loop.
#include "local/daemon/http_server.h"

#include <chrono>
#include <memory>
#include <optional>

#include <microhttpd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text/text.h"
#include "local/api_error.h"
#include "local/daemon/http_server_socket.h"
#include "local/daemon/http_server_stream.h"

namespace trainctl::local {

std::string header_of(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

int socket_of(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == nullptr ? -1 : info->connect_fd;
}

namespace {

// The kernel reports the user at the other end of a Unix socket.
bool is_own_peer(MHD_Connection* connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket_of(connection), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::getuid();
}

// One byte more than the API accepts, so that the API itself can refuse a body as too large.
constexpr std::size_t k_body_limit = (std::size_t{3} << 20U) + 1;
// Limit on the bodies of all running requests together.
constexpr std::size_t k_bodies_limit = std::size_t{64} << 20U;

constexpr unsigned k_connections = 8192;

// One request from its first line to the end of its answer.
struct Exchange {
  enum class Stage { head, body, too_much };
  std::string target;
  std::string body;
  Stage stage = Stage::head;
  std::shared_ptr<void> socket;  // of a request that has upgraded
};

ApiAnswer refusal(int code, std::string_view reason, std::string_view message) {
  ApiError error;
  error.code = code;
  error.reason = reason;
  error.message = message;
  ApiAnswer answer;
  answer.code = code;
  answer.body = dump(status_object(error)) + '\n';
  return answer;
}

MHD_Response* make_whole_response(std::string body) {
  auto* kept = new std::string(std::move(body));
  const auto free = [](void* text) { delete static_cast<std::string*>(text); };
  return MHD_create_response_from_buffer_with_free_callback_cls(kept->size(), kept->data(), free,
                                                                kept);
}

class MicroHttpServer : public HttpServer {
 public:
  MicroHttpServer(UvLoop& loop, Descriptor listening, Handler handler)
      : loop_(loop),
        listening_(std::move(listening)),
        handler_(std::move(handler)),
        suspended_(loop, [this] { wake(); }),
        upgraded_(loop, [this] { wake(); }) {}

  ~MicroHttpServer() override {
    suspended_.abandon_all();
    upgraded_.close_all();
    watch_.reset();
    timer_.reset();
    if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
  }
  MicroHttpServer(const MicroHttpServer&) = delete;
  MicroHttpServer& operator=(const MicroHttpServer&) = delete;

  Status open() {
    daemon_ = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr,
                               &on_request, this,                                 //
                               MHD_OPTION_LISTEN_SOCKET, listening_.get(),        //
                               MHD_OPTION_URI_LOG_CALLBACK, &on_target, this,     //
                               MHD_OPTION_NOTIFY_COMPLETED, &on_completed, this,  //
                               MHD_OPTION_CONNECTION_LIMIT, k_connections,        //
                               MHD_OPTION_END);
    if (daemon_ == nullptr) return Error{Code::error, "cannot serve HTTP on the socket", ""};
    listening_.release();  // libmicrohttpd closes it
    const auto* info = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD);
    watch_ = loop_.on_fd(info->epoll_fd, true, false, [this](bool, bool) { turn(); });
    turn();
    return {};
  }

  int active() const override { return active_; }

 private:
  void turn() {
    MHD_run(daemon_);
    timer_.reset();
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    if (MHD_get_timeout(daemon_, &milliseconds) != MHD_YES) return;
    timer_ = loop_.after(std::chrono::milliseconds(milliseconds), [this] { turn(); });
  }

  void wake() {
    timer_ = loop_.after(Duration::zero(), [this] { turn(); });
  }

  static void* on_target(void* self, const char* target, MHD_Connection*) {
    ++static_cast<MicroHttpServer*>(self)->active_;
    auto* exchange = new Exchange;
    exchange->target = target;
    return exchange;
  }

  static MHD_Result on_request(void* self, MHD_Connection* connection, const char*,
                               const char* method, const char*, const char* data, std::size_t* size,
                               void** state) {
    auto& server = *static_cast<MicroHttpServer*>(self);
    auto& exchange = *static_cast<Exchange*>(*state);
    if (exchange.stage == Exchange::Stage::head) return server.take_head(connection, exchange);
    if (*size > 0) {
      server.take_body(exchange, {data, *size});
      *size = 0;
      return MHD_YES;
    }
    if (exchange.socket) return MHD_NO;
    ApiAnswer answer = server.answer(connection, method, exchange);
    if (answer.session) {
      exchange.socket = upgrade(connection, std::move(answer), server.upgraded_);
      return MHD_YES;
    }
    return server.send(connection, std::move(answer));
  }

  static void on_completed(void* self, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
    if (*state == nullptr) return;
    auto& server = *static_cast<MicroHttpServer*>(self);
    const auto* exchange = static_cast<Exchange*>(*state);
    server.bodies_ -= exchange->body.size();
    delete exchange;
    *state = nullptr;
    --server.active_;
  }

  // A client that is not allowed is refused before any of its body is kept.
  MHD_Result take_head(MHD_Connection* connection, Exchange& exchange) {
    exchange.stage = Exchange::Stage::body;
    if (is_own_peer(connection)) return MHD_YES;
    return send(connection,
                refusal(403, "Forbidden", "this cluster serves the user who started it"));
  }

  void take_body(Exchange& exchange, std::string_view bytes) {
    bytes = bytes.substr(0, k_body_limit - exchange.body.size());
    if (exchange.stage == Exchange::Stage::too_much) return;
    if (bodies_ + bytes.size() > k_bodies_limit) {
      exchange.stage = Exchange::Stage::too_much;
      bodies_ -= std::exchange(exchange.body, {}).size();
      return;
    }
    exchange.body += bytes;
    bodies_ += bytes.size();
  }

  ApiAnswer answer(MHD_Connection* connection, std::string_view method, Exchange& exchange) {
    if (exchange.stage == Exchange::Stage::too_much) {
      ApiAnswer later =
          refusal(429, "TooManyRequests", "too much is being sent to this cluster at once");
      later.headers.push_back({"Retry-After", "1"});
      return later;
    }
    ApiRequest request;
    request.method = method == "HEAD" ? "GET" : method;
    request.target = std::move(exchange.target);
    request.content_type = header_of(connection, "Content-Type");
    bodies_ -= exchange.body.size();
    request.body = std::exchange(exchange.body, {});
    request.upgrades = method == "GET" && asks_for_websocket(connection);
    if (request.upgrades) request.protocols = offered_protocols(connection);
    return handler_(request);
  }

  MHD_Result send(MHD_Connection* connection, ApiAnswer answer) {
    MHD_Response* response =
        answer.stream ? make_stream_response(connection, std::move(answer.stream), suspended_)
                      : make_whole_response(std::move(answer.body));
    if (response == nullptr) return MHD_NO;
    if (!answer.content_type.empty()) {
      MHD_add_response_header(response, "Content-Type", answer.content_type.c_str());
    }
    bool has_cache_header = false;
    for (const net::Header& each : answer.headers) {
      has_cache_header = has_cache_header || lower(each.name) == "cache-control";
      MHD_add_response_header(response, each.name.c_str(), each.value.c_str());
    }
    if (!has_cache_header) MHD_add_response_header(response, "Cache-Control", "no-cache, private");
    const auto queued =
        MHD_queue_response(connection, static_cast<unsigned>(answer.code), response);
    MHD_destroy_response(response);
    return queued;
  }

  UvLoop& loop_;
  Descriptor listening_;
  Handler handler_;
  SuspendedStreams suspended_;
  UpgradedSockets upgraded_;
  std::size_t bodies_ = 0;  // bytes of bodies not passed on yet
  MHD_Daemon* daemon_ = nullptr;
  HandlePtr watch_;
  HandlePtr timer_;
  int active_ = 0;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(UvLoop& loop, Descriptor listening,
                                                      Handler handler) {
  auto server = std::make_unique<MicroHttpServer>(loop, std::move(listening), std::move(handler));
  TRY(server->open());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace trainctl::local
