// --verbose: everything that helps, nothing that must stay secret.
#include "net/trace.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

std::string traced(Exchange exchange, const std::vector<net::Header>& headers) {
  FakeLoop loop;
  std::string text;
  exchange.path = "/api";
  const auto transport =
      net::make_trace(loop, std::make_unique<FakeTransport>(loop, std::vector{exchange}),
                      [&](const std::string& line) { text += line + '\n'; });
  net::Request request;
  request.target = "/api?limit=5";
  request.headers = headers;
  (void)await<Result<net::Response>>(
      loop, [&](auto done) { return net::collect(*transport, request, done); });
  return text;
}

TEST_CASE("a request and its answer are shown with their headers") {
  Exchange exchange;
  exchange.status = 403;
  exchange.headers = {{"Content-Type", "application/json"}};
  exchange.chunks = {{{}, "the body"}};
  CHECK(traced(exchange, {{"Accept", "application/json"}}) ==
        "GET /api?limit=5 403 0 ms\n"
        "  > Accept: application/json\n"
        "  < Content-Type: application/json\n");
}

TEST_CASE("no credential appears in the trace, however its header is spelled") {
  Exchange exchange;
  exchange.headers = {{"set-cookie", "session=hush"}, {"X-Auth-Token", "hush"}};
  const std::string text = traced(exchange, {{"authorization", "Bearer hush"},
                                             {"Proxy-Authorization", "Basic hush"},
                                             {"Cookie", "hush"},
                                             {"X-Api-Key", "hush"}});
  CHECK(text.find("hush") == std::string::npos);
  CHECK(text.find("  > authorization: ***\n") != std::string::npos);
  CHECK(text.find("  < set-cookie: ***\n") != std::string::npos);
}

TEST_CASE("a failure is shown with its reason and how long it took") {
  Exchange exchange;
  exchange.ending = "reset";
  exchange.ends_after = 250ms;
  exchange.chunks = {{{}, "part"}};
  const std::string text = traced(exchange, {});
  CHECK(text.find("GET /api?limit=5 failed after 250 ms: the connection to ") != std::string::npos);
}

TEST_CASE("a header of the server cannot drive the terminal") {
  Exchange exchange;
  exchange.headers = {{"Server", "x\x1b[2Jy"}};
  CHECK(traced(exchange, {}).find('\x1b') == std::string::npos);
}

}  // namespace TEST_FILE
