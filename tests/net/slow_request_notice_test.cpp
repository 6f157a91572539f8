// A server that takes its time: the user learns what the command waits for.
#include <doctest/doctest.h>

#include "net/trace.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace TEST_FILE {

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

}  // namespace TEST_FILE
