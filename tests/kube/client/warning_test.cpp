// Warnings report deprecated fields: shown once, readable, and harmless to the terminal.
#include <doctest/doctest.h>

#include "kube/client/client.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::kube;

using Texts = std::vector<std::string>;

TEST_CASE("RQ-32: the server's warnings are shown as it means them") {
  CHECK(warning_texts(R"(299 - "unknown field \"spec.cleanPodPolicy\"")") ==
        Texts{R"(unknown field "spec.cleanPodPolicy")"});
  CHECK(
      warning_texts(R"(299 - "one" "Sat, 25 Aug 2012 23:34:45 GMT", 299 agent "two, still two")") ==
      Texts{"one", "two, still two"});
}

TEST_CASE("RQ-32: other codes, empty texts and control characters do not reach the terminal") {
  CHECK(warning_texts(R"(199 - "misc", 299 - "kept")") == Texts{"kept"});
  CHECK(warning_texts(R"(299 - "")").empty());
  CHECK(warning_texts("299 - \"bad \xff bytes\"").empty());
  const Texts escaped = warning_texts("299 - \"red \x1b[31m text\"");
  REQUIRE(escaped.size() == 1);
  CHECK(escaped[0].find('\x1b') == std::string::npos);
}

TEST_CASE("RQ-32: a malformed warning is left out, and what stands before it is kept") {
  CHECK(warning_texts(R"(299 - "good", 299 - "no end)") == Texts{"good"});
  for (const char* text : {"", ",", "299", "299 -", "299 - text", "29 - \"x\"", "\"299\""}) {
    CAPTURE(text);
    CHECK(warning_texts(text).empty());
  }
}

}  // namespace TEST_FILE
