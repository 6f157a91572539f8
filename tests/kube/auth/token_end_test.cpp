// Whoever is refused must learn that the token was simply too old, whatever else it holds.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/auth/credentials.h"

namespace TEST_FILE {

using namespace trainctl;
using kube::token_end;

std::string token(const std::string& claims) {
  std::string body = base64_encode(claims);
  while (body.ends_with('=')) body.pop_back();
  return cat("aGVhZA.", body, ".c2ln");
}

TEST_CASE("the end of a web token is read, with a fraction too") {
  CHECK(token_end(token(R"({"exp":1700000000})")) == parse_time("2023-11-14T22:13:20Z"));
  CHECK(token_end(token(R"({"sub":"a","exp":1700000000.5})")) ==
        parse_time("2023-11-14T22:13:20Z"));
}

TEST_CASE("web-safe letters in the claims do not hide the end") {
  // The claims hold "???" and ">>>", which base64 writes with its last two letters.
  CHECK(token_end("a.eyJpc3MiOiI_Pz8-Pj4iLCJleHAiOjE3MDAwMDAwMDB9.b") ==
        parse_time("2023-11-14T22:13:20Z"));
}

TEST_CASE("a token that does not contain its end is not thought to have one") {
  for (const std::string& other :
       {std::string(), std::string("opaque"), std::string("a.b"), std::string("a.%%%.c"),
        token("[1]"), token("{}"), token(R"({"exp":"soon"})"), token(R"({"exp":-1})"),
        token(R"({"exp":1e300})")}) {
    CAPTURE(other);
    CHECK_FALSE(token_end(other));
  }
}

}  // namespace TEST_FILE
