// Frames of a WebSocket, also those that a hostile or broken server sends.
#include <vector>

#include <doctest/doctest.h>

#include "net/websocket.h"

namespace trainctl::net {
namespace TEST_FILE {

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

TEST_CASE("what we send is masked, anew each time") {
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

}  // namespace TEST_FILE
}  // namespace trainctl::net
