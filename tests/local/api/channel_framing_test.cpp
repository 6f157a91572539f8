// How messages look to clients that speak an older framing of exec, attach and port-forward.
#include "local/api/channel_framing.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "kube/stream/channel_stream.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::local;

struct Peer : ApiSocket {
  void send(std::string_view head, std::string_view body) override {
    messages.push_back(cat(head, body));
  }
  std::size_t waiting() const override { return 0; }
  void pause(bool) override {}
  void close() override { closed = true; }
  std::vector<std::string> messages;
  bool closed = false;
};

// Sends each message back.
class Echo : public ApiSession {
 public:
  explicit Echo(std::vector<std::string>& taken) : taken_(taken) {}
  void begin(ApiSocket& socket) override { socket_ = &socket; }
  void take(std::string_view message) override {
    taken_.emplace_back(message);
    socket_->send(message.substr(0, 1), message.substr(1));
  }
  void on_drained() override {}

 private:
  std::vector<std::string>& taken_;
  ApiSocket* socket_ = nullptr;
};

struct Framed {
  Peer peer;
  std::vector<std::string> taken;
  std::unique_ptr<ApiSession> session;

  Framed(const std::string& protocol, bool for_ports = false) {
    const ChannelFraming* framing = chosen_framing(
        protocol.empty() ? std::vector<std::string>() : std::vector{protocol}, for_ports);
    REQUIRE(framing != nullptr);
    session = framed(std::make_unique<Echo>(taken), *framing, for_ports);
    session->begin(peer);
  }
};

const std::string k_failed = "\x03{\"status\":\"Failure\",\"message\":\"exit code 7\"}";
const std::string k_success = "\x03{\"status\":\"Success\"}";

TEST_CASE("each framing carries bytes and statuses as its clients read them") {
  struct Row {
    std::string protocol;
    std::vector<std::string> sent, taken, answered;
  };
  const std::string out = "\x01hi";
  const std::vector<std::string> plain = {out, k_failed, k_success};
  const std::vector<std::string> base64 = {
      "1aGk=", "3eyJzdGF0dXMiOiJGYWlsdXJlIiwibWVzc2FnZSI6ImV4aXQgY29kZSA3In0=",
      "3eyJzdGF0dXMiOiJTdWNjZXNzIn0="};
  const std::vector<std::string> words = {out,
                                          "\x03"
                                          "exit code 7"};
  const Row rows[] = {
      {"v5.channel.k8s.io", plain, plain, plain},
      {"v4.channel.k8s.io", plain, plain, plain},
      {"v4.base64.channel.k8s.io", base64, plain, base64},
      {"channel.k8s.io", plain, plain, words},
      {"", plain, plain, words},
      {"base64.channel.k8s.io", base64, plain, {"1aGk=", "3ZXhpdCBjb2RlIDc="}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.protocol);
    Framed world(row.protocol);
    for (const std::string& message : row.sent) world.session->take(message);
    CHECK(world.taken == row.taken);
    CHECK(world.peer.messages == row.answered);
  }
}

TEST_CASE("the second port of a forward keeps its bytes, although its channel is a status's") {
  Framed world("", true);
  world.session->take(k_success);
  CHECK(world.peer.messages == std::vector<std::string>{k_success});
}

TEST_CASE("a message that is no base64 ends the connection") {
  Framed world("base64.channel.k8s.io");
  world.session->take("");
  CHECK_FALSE(world.peer.closed);
  world.session->take("0%");
  CHECK(world.peer.closed);
  CHECK(world.taken.empty());
}

}  // namespace TEST_FILE
