// An HTTP server with a handler that echoes its requests, for the tests of the embedded cluster's
// server.
#pragma once

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "local/daemon/http_server.h"
#include "local/daemon/kept_socket.h"
#include "net/curl_transport.h"
#include "support/net_server.h"

namespace trainctl::testing {

using local::ApiAnswer;
using local::ApiRequest;
using local::ApiSession;
using local::ApiStream;
using local::HttpServer;

// A stream that delivers what the test writes, when the test writes it.
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

// Sends each message back; "close" ends the session, "flood" sends as fast as the peer takes it.
struct EchoState {
  int alive = 0;
  int drained = 0;
  std::size_t most_waiting = 0;
  std::size_t flooded = 0;
};

class EchoSession : public ApiSession {
 public:
  explicit EchoSession(EchoState& state) : state_(state) { ++state_.alive; }
  ~EchoSession() override { --state_.alive; }
  void begin(local::ApiSocket& socket) override { socket_ = &socket; }
  void take(std::string_view message) override {
    if (message == "close") return socket_->close();
    if (message == "flood") return flood();
    socket_->send("", message);
  }
  void on_drained() override {
    ++state_.drained;
    if (state_.flooded > 0) flood();
  }

 private:
  void flood() {
    const std::string piece(std::size_t{32} << 10, 'f');
    while (socket_->waiting() < local::k_session_room && state_.flooded < k_flood) {
      socket_->send("", piece);
      state_.flooded += piece.size();
      state_.most_waiting = std::max(state_.most_waiting, socket_->waiting());
    }
  }
  static constexpr std::size_t k_flood = std::size_t{64} << 20;
  EchoState& state_;
  local::ApiSocket* socket_ = nullptr;
};

struct Served {
  UvLoop loop;
  TemporaryDirectory directory;
  std::vector<ApiRequest> seen;
  std::vector<std::shared_ptr<Tap>> taps;
  EchoState echo;
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
      if (request.target.starts_with("/echo") && request.upgrades) {
        if (!request.protocols.empty()) answer.protocol = request.protocols[0];
        answer.session = std::make_unique<EchoSession>(echo);
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
    open(*std::move(fd));
    endpoint.base_url = "http://localhost";
    endpoint.unix_socket = socket();
    connect();
  }

  void open(Descriptor listening) {
    auto started = HttpServer::start(loop, std::move(listening), handler());
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

}  // namespace trainctl::testing
