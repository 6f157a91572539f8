// The channels of a remote process, and how its end is read.
#include "kube/stream/channel_stream.h"

#include <doctest/doctest.h>

namespace trainctl::kube {

namespace channel_stream_test {

using namespace std::string_view_literals;

int code_of(std::string_view status) {
  const RemoteEnd end = read_end(status);
  const auto* exit = std::get_if<RemoteExit>(&end);
  return exit == nullptr ? -1 : exit->code;
}

std::string words_of(std::string_view status) {
  const RemoteEnd end = read_end(status);
  const auto* fault = std::get_if<RemoteFault>(&end);
  return fault == nullptr ? "" : fault->words;
}

TEST_CASE("WS-01: success is 0, and a failure has its exit code") {
  CHECK(code_of(R"({"metadata":{},"status":"Success"})") == 0);
  CHECK(code_of(R"({"status":"Failure","message":"command terminated with exit code 3",)"
                R"("reason":"NonZeroExitCode",)"
                R"("details":{"causes":[{"reason":"ExitCode","message":"3"}]}})") == 3);
  CHECK(code_of(R"({"status":"Failure",)"
                R"("details":{"causes":[{"reason":"ExitCode","message":"137"}]}})") == 137);
}

TEST_CASE("WS-02: an end without a usable exit code is no success") {
  CHECK(words_of(R"({"status":"Failure","reason":"InternalError","message":"no such file"})") ==
        "no such file");
  CHECK(words_of(R"({"status":"Failure","reason":"InternalError"})") == "InternalError");
  CHECK_FALSE(words_of(R"({"status":"Failure"})").empty());
  CHECK_FALSE(words_of("{}").empty());
  CHECK_FALSE(words_of("not JSON \x1b[2J").empty());
  CHECK_FALSE(words_of("[]").empty());
  for (const auto* code : {"", "x", "3 ", "0", "-1", "256", "99999999999"}) {
    CAPTURE(code);
    CHECK(code_of(R"({"status":"Failure","message":"m","details":{"causes":[)"
                  R"({"reason":"ExitCode","message":")" +
                  std::string(code) + R"("}]}})") == -1);
  }
}

TEST_CASE("WS-08: empty messages and unknown channels are ignored") {
  CHECK_FALSE(read_message(""));
  CHECK_FALSE(read_message("\x05hello"));
  CHECK_FALSE(read_message("\xfehello"));
  REQUIRE(read_message("\x01"));
  CHECK(read_message("\x01")->bytes.empty());
  CHECK(read_message("\x02\x00\x01"sv)->bytes == "\x00\x01"sv);
}

TEST_CASE("WS-10 and WS-13: the end of stdin, and the size of a terminal") {
  CHECK(closing_message(Channel::input) == "\xff\x00"sv);
  CHECK(channel_head(Channel::input) == "\x00"sv);
  CHECK(size_message(101, 33) == R"({"Width":101,"Height":33})");
}

}  // namespace channel_stream_test

}  // namespace trainctl::kube
