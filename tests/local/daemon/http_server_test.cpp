// The HTTP side of the embedded API server, asked by the project's own client.
#include <algorithm>
#include <set>

#include <sys/socket.h>
#include <sys/un.h>

#include "local/daemon/http_world.h"

namespace trainctl::testing {
namespace http_server_test {

struct Stream {
  int status = 0;
  std::string text;
  std::optional<bool> ended_well;
  HandlePtr handle;

  void start(net::Transport& transport, const std::string& target) {
    net::Request request;
    request.target = target;
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
  served.serve_socket();
  Stream stream;
  stream.start(*served.transport, "/stream");
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

TEST_CASE("HEAD is answered as GET is, without the body") {
  Served served;
  served.serve_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  served.socket().copy(address.sun_path, sizeof address.sun_path - 1);
  const Descriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
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

}  // namespace http_server_test
}  // namespace trainctl::testing
