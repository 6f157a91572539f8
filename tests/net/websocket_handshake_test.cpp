// The opening handshake of a WebSocket: what is sent, and which answers are believed.
#include <doctest/doctest.h>

#include "net/websocket.h"

namespace trainctl::net {
namespace TEST_FILE {

constexpr std::string_view k_key = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr std::string_view k_accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";  // RFC 6455, 1.3
const std::vector<std::string> k_offered = {"v5.channel.k8s.io", "v4.channel.k8s.io"};

using State = UpgradeAnswer::State;

std::string answer_with(std::string_view accept, std::string_view protocol) {
  std::string text =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: keep-alive, "
      "Upgrade\r\n";
  text += "Sec-WebSocket-Accept: ";
  text += accept;
  if (!protocol.empty()) {
    text += "\r\nSec-WebSocket-Protocol: ";
    text += protocol;
  }
  return text + "\r\n\r\n";
}

Result<std::string> chosen_by(const std::string& text) {
  UpgradeAnswer answer;
  REQUIRE(answer.feed(text) == State::upgraded);
  return chosen_protocol(answer.head(), k_key, k_offered, "cluster:6443");
}

TEST_CASE("the accept of a key is the one of RFC 6455") {
  CHECK(websocket_accept(k_key) == k_accept);
  CHECK(new_websocket_key() != new_websocket_key());
}

TEST_CASE("an upgrade offers the protocols in order") {
  const std::string text = upgrade_request("/exec?command=a", {{"Host", "h"}}, k_offered, k_key);
  CHECK(text ==
        "GET /exec?command=a HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Protocol: v5.channel.k8s.io, v4.channel.k8s.io\r\n\r\n");
}

TEST_CASE("the first messages may come in one piece with the answer, or the answer byte by byte") {
  UpgradeAnswer whole;
  REQUIRE(whole.feed(answer_with(k_accept, "v5.channel.k8s.io") + "\x82\x01\x01") ==
          State::upgraded);
  CHECK(whole.rest() == "\x82\x01\x01");
  UpgradeAnswer slow;
  State state = State::incomplete;
  for (const char byte : answer_with(k_accept, "v4.channel.k8s.io")) {
    REQUIRE(state == State::incomplete);
    state = slow.feed({&byte, 1});
  }
  CHECK(state == State::upgraded);
}

TEST_CASE("WS-04: a protocol that was not offered, or none, is refused") {
  CHECK(*chosen_by(answer_with(k_accept, "v4.channel.k8s.io")) == "v4.channel.k8s.io");
  CHECK(chosen_by(answer_with(k_accept, "")).error().message.find("no protocol") !=
        std::string::npos);
  CHECK(chosen_by(answer_with(k_accept, "v9.channel.k8s.io")).error().message.find("v9") !=
        std::string::npos);
}

TEST_CASE("WS-17: an answer to another request is refused") {
  const auto chosen = chosen_by(answer_with("AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "v5.channel.k8s.io"));
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().code == Code::unreachable);
}

TEST_CASE("WS-05: the body of a refusal is read by length, in chunks or to the end") {
  UpgradeAnswer sized;
  CHECK(sized.feed("HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\n\r\nhel") == State::incomplete);
  CHECK(sized.feed("lo, and more") == State::refused);
  CHECK(sized.body() == "hello");
  CHECK(sized.head().status == 403);

  UpgradeAnswer chunked;
  CHECK(chunked.feed(
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n") ==
        State::incomplete);
  CHECK(chunked.feed("2\r\nlo\r\n0\r\n\r\n") == State::refused);
  CHECK(chunked.body() == "hello");

  UpgradeAnswer endless;
  CHECK(endless.feed("HTTP/1.0 502 Bad Gateway\r\n\r\nhello") == State::incomplete);
  CHECK(endless.end() == State::refused);
  CHECK(endless.body() == "hello");
}

TEST_CASE("an answer that is no HTTP, or has no end, is not waited for") {
  CHECK(UpgradeAnswer().feed("SSH-2.0-OpenSSH_9.2\r\n") == State::broken);
  CHECK(UpgradeAnswer().feed("HTTP/1.1 x01\r\n\r\n") == State::broken);
  CHECK(UpgradeAnswer().feed("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n") == State::broken);
  CHECK(UpgradeAnswer().feed("HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x')) ==
        State::broken);
  CHECK(UpgradeAnswer().feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n") ==
        State::broken);
  CHECK(UpgradeAnswer().feed("HTTP/1.1 200 OK\r\n\r\n" + std::string(2 << 20, 'x')) ==
        State::refused);
  UpgradeAnswer cut;
  CHECK(cut.feed("HTTP/1.1 403 Forb") == State::incomplete);
  CHECK(cut.end() == State::broken);
}

}  // namespace TEST_FILE
}  // namespace trainctl::net
