// Frames of a WebSocket, also those that a hostile or broken server sends.
#include "net/websocket.h"

#include <vector>

#include <doctest/doctest.h>

namespace trainctl::net {

namespace websocket_test {

// A frame as a server sends it: not masked.
std::string frame(unsigned char first, std::string_view payload) {
  std::string text(1, static_cast<char>(first));
  if (payload.size() < 126) {
    text += static_cast<char>(payload.size());
  } else {
    text += static_cast<char>(127);
    for (int shift = 56; shift >= 0; shift -= 8) {
      text += static_cast<char>((payload.size() >> static_cast<unsigned>(shift)) & 0xFFU);
    }
  }
  return text.append(payload);
}

constexpr unsigned char k_final = 0x80, k_text = 0x81, k_binary = 0x82, k_close = 0x88,
                        k_ping = 0x89;

struct Reader {
  std::vector<std::string> messages;
  WebSocketFrames frames{[this](std::string_view message) { messages.emplace_back(message); }};
};

// The payload of the first masked frame of what we send.
std::string unmasked(const std::string& sent) {
  REQUIRE(sent.size() >= 6);
  REQUIRE((static_cast<unsigned char>(sent[1]) & 0x80U) != 0);
  const std::size_t size = static_cast<unsigned char>(sent[1]) & 0x7FU;
  REQUIRE(size < 126);
  std::string payload = sent.substr(6, size);
  for (std::size_t i = 0; i < size; ++i)
    payload[i] = static_cast<char>(payload[i] ^ sent[2 + i % 4]);
  return payload;
}

TEST_CASE("messages are whole, however the connection cuts them") {
  const std::string bytes = frame(k_binary, "\x01hello") + frame(k_binary, "") +
                            frame(0x02,
                                  "\x01"
                                  "a") +
                            frame(0x00, "b") + frame(k_final, "c") +
                            frame(k_binary, std::string(70'000, 'x'));
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    Reader reader;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.frames.feed(std::string_view(bytes).substr(at, step));
    }
    REQUIRE(reader.messages.size() == 4);
    CHECK(reader.messages[0] == "\x01hello");
    CHECK(reader.messages[1].empty());
    CHECK(reader.messages[2] ==
          "\x01"
          "abc");
    CHECK(reader.messages[3].size() == 70'000);
    CHECK(reader.frames.violation().empty());
  }
}

TEST_CASE("sent frames are masked, anew each time") {
  Reader reader;
  reader.frames.send("\x01", "hello");
  const std::string first = reader.frames.take_output();
  reader.frames.send("\x01", "hello");
  const std::string second = reader.frames.take_output();
  CHECK(unmasked(first) == "\x01hello");
  CHECK(unmasked(second) == "\x01hello");
  CHECK(first != second);
  CHECK(reader.frames.take_output().empty());
}

TEST_CASE("a message of any length arrives as it was sent, from both sides") {
  for (const auto& [sender, receiver] :
       {std::pair(WebSocketFrames::Role::client, WebSocketFrames::Role::server),
        std::pair(WebSocketFrames::Role::server, WebSocketFrames::Role::client)}) {
    for (const std::size_t size : {0, 1, 7, 8, 9, 124, 125, 126, 65534, 65535, 65536, 70001}) {
      CAPTURE(size);
      std::string body(size, '\0');
      for (std::size_t i = 0; i < size; ++i) body[i] = static_cast<char>(i * 7);
      std::vector<std::string> got;
      WebSocketFrames from([](std::string_view) {}, sender);
      WebSocketFrames to([&](std::string_view message) { got.emplace_back(message); }, receiver);
      from.send("\x01", body);
      from.send("\x02", "next");
      to.feed(from.take_output());
      CHECK(to.violation() == "");
      CHECK(got == std::vector<std::string>{"\x01" + body, "\x02next"});
    }
  }
}

TEST_CASE("WS-11: a ping is answered with its content") {
  Reader reader;
  reader.frames.feed(frame(k_ping, "are you there"));
  const std::string sent = reader.frames.take_output();
  CHECK(static_cast<unsigned char>(sent[0]) == 0x8A);
  CHECK(unmasked(sent) == "are you there");
}

TEST_CASE("a close is answered, and nothing behind it is read") {
  Reader reader;
  reader.frames.feed(frame(k_close,
                           "\x03\xe8"
                           "bye") +
                     frame(k_binary, "\x01late"));
  REQUIRE(reader.frames.closed());
  CHECK(reader.frames.closed()->code == 1000);
  CHECK(reader.frames.closed()->reason == "bye");
  CHECK(reader.messages.empty());
  CHECK(static_cast<unsigned char>(reader.frames.take_output()[0]) == 0x88);
}

TEST_CASE("WS-07: a text message breaks the protocol") {
  Reader reader;
  reader.frames.feed(frame(k_text, "hello") + frame(k_binary, "\x01hello"));
  CHECK_FALSE(reader.frames.violation().empty());
  CHECK(reader.messages.empty());
}

TEST_CASE("hostile frames end the connection and are not kept") {
  const std::string masked = {'\x82', '\x81', 1, 2, 3, 4, 5};
  std::string huge = "\x82\x7f";
  huge += std::string("\x7f\xff\xff\xff\xff\xff\xff\xff", 8);
  for (const std::string& bytes :
       {masked, huge, frame(0xC2, "reserved bit"), frame(0x83, "unknown opcode"),
        frame(k_final, "continues nothing"), frame(0x09, "ping in parts"),
        frame(k_ping, std::string(200, 'x')), frame(k_binary, std::string(5 << 20, 'x'))}) {
    Reader reader;
    reader.frames.feed(bytes);
    reader.frames.feed(frame(k_binary, "\x01more"));
    CHECK_FALSE(reader.frames.violation().empty());
    CHECK(reader.messages.empty());
  }
}

TEST_CASE("a server demands masks, reads text as bytes, and refuses what is too large") {
  std::vector<std::string> messages;
  const auto take = [&](std::string_view message) { messages.emplace_back(message); };
  const std::string masked = {'\x82', '\x81', 1, 2, 3, 4, 'x' ^ 1};
  const std::string text = {'\x81', '\x81', 1, 2, 3, 4, 'y' ^ 1};
  WebSocketFrames server(take, WebSocketFrames::Role::server);
  server.feed(masked + text);
  CHECK(messages == std::vector<std::string>{"x", "y"});
  server.send("\x01", "out");
  CHECK(server.take_output() == frame(k_binary, "\x01out"));
  server.close();
  CHECK(server.take_output() == frame(k_close, "\x03\xe8"));
  for (const std::string& bytes :
       {frame(k_binary, "not masked"), std::string("\x82\xff\0\0\0\0\0\x20\0\0\0\0\0\0x", 15)}) {
    WebSocketFrames hostile(take, WebSocketFrames::Role::server);
    hostile.feed(bytes);
    CHECK_FALSE(hostile.violation().empty());
  }
  CHECK(messages.size() == 2);
}

TEST_CASE("no message is reported after stop(), not even of bytes that are there") {
  std::vector<std::string> messages;
  WebSocketFrames* self = nullptr;
  WebSocketFrames frames([&](std::string_view message) {
    messages.emplace_back(message);
    self->stop();
  });
  self = &frames;
  frames.feed(frame(k_binary, "one") + frame(k_binary, "two"));
  CHECK(messages == std::vector<std::string>{"one"});
}

}  // namespace websocket_test

// The opening handshake of a WebSocket: what is sent, and which answers are believed.
namespace websocket_test {

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

}  // namespace websocket_test

}  // namespace trainctl::net
