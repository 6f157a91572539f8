// The HTTP side of the embedded API server, asked by the project's own client.
#include "local/daemon/http_server.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/text.h"
#include "local/daemon/certificate.h"
#include "local/daemon/listen.h"
#include "net/curl_transport.h"
#include "support/net_server.h"

namespace trainctl::testing {
namespace {

using local::ApiAnswer;
using local::ApiRequest;
using local::ApiStream;
using local::HttpServer;

// A stream that says what the test tells it to, when the test tells it.
struct Tap {
  std::string waiting;
  bool ended = false;
  bool alive = true;
  std::function<void()> ready;

  void say(const std::string& text) {
    waiting += text;
    if (ready) ready();
  }
  void end() {
    ended = true;
    if (ready) ready();
  }
};

class TapStream : public ApiStream {
 public:
  explicit TapStream(std::shared_ptr<Tap> tap) : tap_(std::move(tap)) {}
  ~TapStream() override {
    tap_->ready = nullptr;
    tap_->alive = false;
  }
  std::optional<std::string> read(std::size_t limit) override {
    if (tap_->waiting.empty() && tap_->ended) return std::nullopt;
    std::string piece = tap_->waiting.substr(0, limit);
    tap_->waiting.erase(0, piece.size());
    return piece;
  }
  void on_ready(std::function<void()> ready) override { tap_->ready = std::move(ready); }

 private:
  std::shared_ptr<Tap> tap_;
};

struct Served {
  UvLoop loop;
  TemporaryDirectory directory;
  std::vector<ApiRequest> seen;
  std::vector<std::shared_ptr<Tap>> taps;
  net::Endpoint endpoint;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<net::Transport> transport;

  std::string socket() const { return directory.path() + "/s"; }

  HttpServer::Handler handler() {
    return [this](const ApiRequest& request) {
      seen.push_back(request);
      ApiAnswer answer;
      if (request.target.starts_with("/stream")) {
        taps.push_back(std::make_shared<Tap>());
        answer.content_type = "text/plain";
        answer.stream = std::make_unique<TapStream>(taps.back());
        return answer;
      }
      answer.code = request.method == "POST" ? 201 : 200;
      answer.headers.push_back({"Warning", "299 - \"old\""});
      answer.body = cat(request.method, ' ', request.target, ' ', request.body.size());
      return answer;
    };
  }

  void serve_socket() {
    auto fd = local::listen_on_socket(socket());
    REQUIRE(fd);
    open({fd->release(), "", "", ""});
    endpoint.base_url = "http://localhost";
    endpoint.unix_socket = socket();
    connect();
  }

  void serve_tls(const std::string& token) {
    const auto certificate = local::certificate_at(directory.path() + "/tls.pem", loop.now());
    REQUIRE(certificate);
    auto port = local::listen_on_loopback("127.0.0.1:0");
    REQUIRE(port);
    open({port->fd.release(), token, certificate->certificate_pem, certificate->key_pem});
    endpoint.base_url = cat("https://127.0.0.1:", port->port);
    endpoint.ca_pem = certificate->certificate_pem;
    connect();
  }

  void open(local::Listener listener) {
    auto started = HttpServer::start(loop, std::move(listener), handler());
    REQUIRE(started);
    server = *std::move(started);
  }

  void connect() {
    auto made = net::make_curl_transport(loop, endpoint);
    REQUIRE(made);
    transport = *std::move(made);
  }

  net::Response get(const std::string& target) {
    auto answer = fetch(loop, *transport, target);
    REQUIRE_MESSAGE(answer, answer.error().message);
    return *std::move(answer);
  }
};

struct Stream {
  int status = 0;
  std::string text;
  std::optional<bool> ended_well;
  HandlePtr handle;

  void start(net::Transport& transport, const std::string& target,
             std::vector<net::Header> headers = {}) {
    net::Request request;
    request.target = target;
    request.headers = std::move(headers);
    request.lane = net::Lane::stream;
    handle = transport.start(std::move(request),
                             {[this](const net::ResponseHead& head) { status = head.status; },
                              [this](std::string_view data) { text += data; },
                              [this](const Status& end) { ended_well = end.has_value(); }});
  }
};

TEST_CASE("a request reaches the API with its path and query exactly as they were sent") {
  Served served;
  served.serve_socket();
  const auto answer = served.get("/api/v1/a%2Fb?x=%2C&y=1+2&z");
  CHECK(answer.head.status == 200);
  CHECK(answer.body == "GET /api/v1/a%2Fb?x=%2C&y=1+2&z 0");
  CHECK(answer.head.header("Warning") == "299 - \"old\"");
  CHECK(answer.head.header("Content-Type") == "application/json");
  CHECK(answer.head.header("Cache-Control") == "no-cache, private");
}

TEST_CASE("a manifest of megabytes arrives whole, and a larger one as more than the API takes") {
  Served served;
  served.serve_socket();
  const std::size_t limit = std::size_t{3} << 20U;
  for (const std::size_t size : {std::size_t{1}, limit, 2 * limit}) {
    net::Request request;
    request.method = "POST";
    request.target = "/x";
    request.body = std::string(size, 'j');
    request.headers = {{"Content-Type", "application/json"}};
    const auto answer = fetch(served.loop, *served.transport, request);
    REQUIRE(answer);
    CHECK(answer->head.status == 201);
    CHECK(served.seen.back().content_type == "application/json");
    CHECK(served.seen.back().body.size() == std::min(size, limit + 1));
  }
}

TEST_CASE("a stream opens before it has anything to say, and says each piece at once") {
  Served served;
  SUBCASE("on the Unix socket") {
    served.serve_socket();
  }
  SUBCASE("over TLS") {
    served.serve_tls("secret");
  }
  Stream stream;
  stream.start(*served.transport, "/stream", {{"Authorization", "Bearer secret"}});
  run_until(served.loop, [&] { return stream.status == 200; });
  CHECK(stream.text.empty());
  served.taps.at(0)->say("one\n");
  run_until(served.loop, [&] { return stream.text == "one\n"; });
  served.taps[0]->say(std::string(100000, 'x'));
  run_until(served.loop, [&] { return stream.text.size() == 100004; });
  served.taps[0]->end();
  run_until(served.loop, [&] { return stream.ended_well.has_value(); });
  CHECK(*stream.ended_well);
  run_until(served.loop, [&] { return served.server->active() == 0; });
  CHECK_FALSE(served.taps[0]->alive);
}

TEST_CASE("a follower that goes away while nothing is said is forgotten") {
  Served served;
  served.serve_socket();
  Stream stream;
  stream.start(*served.transport, "/stream");
  run_until(served.loop, [&] { return stream.status == 200; });
  CHECK(served.server->active() == 1);
  stream.handle.reset();
  served.transport.reset();
  run_until(served.loop, [&] { return served.server->active() == 0; });
  CHECK_FALSE(served.taps.at(0)->alive);
}

TEST_CASE("a hundred followers are served at once, each its own text") {
  Served served;
  served.serve_socket();
  std::vector<Stream> streams(100);
  for (Stream& stream : streams) stream.start(*served.transport, "/stream");
  run_until(served.loop, [&] { return served.taps.size() == 100; });
  for (std::size_t i = 0; i < 100; ++i) served.taps[i]->say(cat("line of ", i, '\n'));
  for (const auto& tap : served.taps) tap->end();
  run_until(served.loop, [&] {
    return std::all_of(streams.begin(), streams.end(),
                       [](const Stream& stream) { return stream.ended_well.has_value(); });
  });
  std::set<std::string> texts;
  for (const Stream& stream : streams) texts.insert(stream.text);
  CHECK(texts.size() == 100);
}

TEST_CASE("a server that ends cuts its streams, so that nobody takes the cut for the end") {
  Served served;
  served.serve_socket();
  Stream stream;
  stream.start(*served.transport, "/stream");
  run_until(served.loop, [&] { return stream.status == 200; });
  served.server.reset();
  CHECK_FALSE(served.taps.at(0)->alive);
  run_until(served.loop, [&] { return stream.ended_well.has_value(); });
  CHECK_FALSE(*stream.ended_well);
}

TEST_CASE("the loopback port lets in who has the token, and nobody else") {
  Served served;
  served.serve_tls("secret");
  for (const std::string_view wrong : {"", "Bearer wrong", "Bearer secre", "Bearer secret2",
                                       "Bearer ", "Basic secret", "secret"}) {
    net::Request request;
    request.target = "/api";
    if (!wrong.empty()) request.headers = {{"Authorization", std::string(wrong)}};
    const auto answer = fetch(served.loop, *served.transport, request);
    REQUIRE(answer);
    CHECK_MESSAGE(answer->head.status == 401, wrong);
    CHECK(answer->body.find("\"reason\":\"Unauthorized\"") != std::string::npos);
  }
  CHECK(served.seen.empty());
  net::Request request;
  request.target = "/api";
  request.headers = {{"Authorization", "Bearer secret"}};
  const auto answer = fetch(served.loop, *served.transport, request);
  REQUIRE(answer);
  CHECK(answer->body == "GET /api 0");
}

TEST_CASE("HEAD is answered as GET is, without the body") {
  Served served;
  served.serve_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  served.socket().copy(address.sun_path, sizeof address.sun_path - 1);
  const local::Descriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  constexpr std::string_view k_request =
      "HEAD /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  REQUIRE(::write(client.get(), k_request.data(), k_request.size()) > 0);
  std::string text;
  bool ended = false;
  const HandlePtr watch = served.loop.on_fd(client.get(), true, false, [&](bool, bool) {
    char buffer[4096];
    const ssize_t size = ::read(client.get(), buffer, sizeof buffer);
    if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
    if (size <= 0) ended = true;
  });
  run_until(served.loop, [&] { return ended; });
  CHECK(served.seen.at(0).method == "GET");
  CHECK(text.starts_with("HTTP/1.1 200 "));
  CHECK(lower(text).find("content-length: 10") != std::string::npos);
  CHECK(text.ends_with("\r\n\r\n"));
}

TEST_CASE("an address that other machines could reach is refused") {
  for (const char* address : {"0.0.0.0:1234", "192.168.0.1:0", "::", "localhost:x", "70000"}) {
    CHECK_MESSAGE(!local::listen_on_loopback(address), address);
  }
  for (const char* address : {"127.0.0.1:0", "localhost", "0"}) {
    CHECK_MESSAGE(local::listen_on_loopback(address), address);
  }
}

}  // namespace
}  // namespace trainctl::testing
