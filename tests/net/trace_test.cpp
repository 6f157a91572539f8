// --verbose: everything that helps, nothing that must stay secret.
#include "net/trace.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace trace_test {

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

}  // namespace trace_test

namespace trace_test {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

// Calls answered after these times, one after the other: how often the user was asked to wait.
std::size_t notices(const std::vector<Duration>& answers, Duration timeout = 60s) {
  FakeLoop loop;
  std::vector<Exchange> exchanges;
  for (const Duration after : answers) {
    Exchange exchange;
    exchange.path = "/x";
    exchange.chunks = {{after, "{}"}};
    exchanges.push_back(exchange);
  }
  std::vector<std::string> notices;
  const auto transport = net::make_slow_request_notice(
      loop, std::make_unique<FakeTransport>(loop, std::move(exchanges)), "gpu.test:6443",
      [&](std::string text) { notices.push_back(std::move(text)); });
  net::Request request;
  request.target = "/x";
  request.timeout = timeout;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    (void)await<Result<net::Response>>(
        loop, [&](auto done) { return net::collect(*transport, request, done); });
  }
  for (const std::string& text : notices) CHECK(text == "waiting for gpu.test:6443 to answer");
  return notices.size();
}

TEST_CASE("an answer that takes longer than two seconds is said to be waited for") {
  CHECK(notices({1900ms}) == 0);
  CHECK(notices({2100ms}) == 1);
}

TEST_CASE("a slow server is complained of once, and again when it was fast between") {
  CHECK(notices({3s, 3s, 3s}) == 1);
  CHECK(notices({3s, 1s, 3s}) == 2);
}

TEST_CASE("a log or a watch may be silent for as long as it likes") {
  CHECK(notices({3s}, Duration::zero()) == 0);
}

}  // namespace trace_test

// A server that takes its time: the user learns what the command waits for.
