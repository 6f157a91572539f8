// Certificates and passwords pass through base64: a lost byte is a login that fails.
#include "base/value/base64.h"

#include <doctest/doctest.h>

namespace base64_test {

using namespace trainctl;

TEST_CASE("base64 keeps every byte, whatever the length") {
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    const auto decoded = base64_decode(base64_encode(bytes));
    REQUIRE(decoded);
    CHECK(*decoded == bytes);
    bytes += static_cast<char>(length * 37);
  }
}

TEST_CASE("base64 writes and reads what other tools do (RFC 4648 vectors)") {
  CHECK(base64_encode("") == "");
  CHECK(base64_encode("f") == "Zg==");
  CHECK(base64_encode("fo") == "Zm8=");
  CHECK(base64_encode("foo") == "Zm9v");
  CHECK(base64_encode("foobar") == "Zm9vYmFy");
  CHECK(base64_decode("Zm9v\nYmE=\r\n") == "fooba");
}

TEST_CASE("damaged base64 is noticed instead of giving a damaged certificate") {
  for (const char* text : {"Zg", "Zg=", "Zm9v=", "Zm=v", "Z===", "Zm9v!", "Zm 9v", "="}) {
    CAPTURE(text);
    CHECK_FALSE(base64_decode(text));
  }
}

}  // namespace base64_test
