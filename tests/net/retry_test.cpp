// Retries: what is asked again, when, and what never is.
#include "net/retry.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "net/http.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace retry_test {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

struct Fixture {
  explicit Fixture(std::vector<Exchange> exchanges, net::RetryPolicy policy = {}) {
    auto fake = std::make_unique<FakeTransport>(loop, std::move(exchanges));
    server = fake.get();
    transport = net::make_retry(loop, std::move(fake), policy,
                                [this](const std::string& reason, Duration wait) {
                                  notices.push_back(cat(reason, "; ", net::trying_again(wait)));
                                });
  }
  Result<net::Response> send(const std::string& method = "GET", Duration timeout = 60s) {
    net::Request request;
    request.method = method;
    request.target = "/x";
    request.timeout = timeout;
    return await<Result<net::Response>>(
        loop, [&](auto done) { return net::collect(*transport, request, done); });
  }
  Duration elapsed() const { return loop.now() - began; }

  FakeLoop loop;
  Time began = loop.now();
  FakeTransport* server = nullptr;
  std::unique_ptr<net::Transport> transport;
  std::vector<std::string> notices;
};

Exchange answer(int status, const std::string& body = "", const std::string& retry_after = "") {
  Exchange exchange;
  exchange.path = "/x";
  exchange.status = status;
  if (!retry_after.empty()) exchange.headers = {{"retry-after", retry_after}};
  if (!body.empty()) exchange.chunks = {{{}, body}};
  return exchange;
}

Exchange failing(const std::string& ending, const std::string& body = "") {
  Exchange exchange = answer(200, body);
  exchange.ending = ending;
  return exchange;
}

std::vector<Exchange> posted(std::vector<Exchange> exchanges) {
  for (Exchange& exchange : exchanges) exchange.method = "POST";
  return exchanges;
}

TEST_CASE("a busy server is asked again exactly when it says, whatever the method") {
  Fixture net(posted({answer(429, "", "3"), answer(503, "", "1"), answer(201, "made")}));
  const auto response = net.send("POST");
  REQUIRE(response);
  CHECK(response->head.status == 201);
  CHECK(response->body == "made");
  CHECK(net.elapsed() == 4s);
  CHECK(net.notices == std::vector<std::string>{"server busy (429); trying again in 3 s",
                                                "server failing (503); trying again in 1 s"});
}

TEST_CASE("without a Retry-After only a GET is repeated, after half a second that doubles") {
  Fixture get({answer(503), answer(502), answer(504), answer(200, "here")});
  const auto response = get.send();
  REQUIRE(response);
  CHECK(response->body == "here");
  CHECK(get.elapsed() >= 3500ms);
  CHECK(get.elapsed() <= 4200ms);

  Fixture post(posted({answer(503, "down")}));
  const auto refused = post.send("POST");
  REQUIRE(refused);
  CHECK(refused->head.status == 503);
  CHECK(refused->body == "down");
  CHECK(post.notices.empty());
}

TEST_CASE("an HTTP date, a fraction or a negative Retry-After is no integer") {
  for (const char* text : {"Wed, 21 Oct 2026 07:28:00 GMT", "1.5", "-1", " "}) {
    CAPTURE(text);
    Fixture net(posted({answer(429, "busy", text)}));
    const auto response = net.send("POST");
    REQUIRE(response);
    CHECK(response->head.status == 429);
  }
}

TEST_CASE("a 500 while etcd changes its leader is asked for again, but not for half a minute") {
  Fixture passing({answer(500, "etcdserver: leader changed"), answer(200, "here")});
  const auto response = passing.send();
  REQUIRE(response);
  CHECK(response->body == "here");

  Fixture lasting({answer(500), answer(500), answer(500), answer(500, "broken")});
  const auto refused = lasting.send();
  REQUIRE(refused);
  CHECK(refused->body == "broken");
  CHECK(lasting.elapsed() <= 4200ms);
}

TEST_CASE("a GET outlives refused and reset connections") {
  Fixture net({failing("refused"), failing("reset"), failing("reset", "half an ans"),
               answer(200, "whole")});
  const auto response = net.send();
  REQUIRE(response);
  CHECK(response->body == "whole");
  REQUIRE(net.notices.size() == 3);
  CHECK(net.notices[0].starts_with("cannot reach "));
}

TEST_CASE("a server that is known to be back is not waited for any longer") {
  Exchange back = failing("reset");
  back.pause = 0s;
  Fixture fixture({failing("refused"), failing("refused"), back, back, answer(200, "here")});
  const auto response = fixture.send();
  REQUIRE(response);
  CHECK(fixture.elapsed() < 2s);
  CHECK(fixture.notices.back().ends_with("; trying again"));
}

TEST_CASE("a server that never answered is given up soon, one that did is waited for") {
  Exchange down = failing("refused");
  down.repeat = true;
  Fixture unknown({down});
  CHECK_FALSE(unknown.send());
  CHECK(unknown.elapsed() < 5s);
  CHECK(unknown.server->seen.size() == 4);

  Exchange first = answer(200, "here");
  Fixture known({first, down});
  CHECK(known.send());
  CHECK_FALSE(known.send());
  CHECK(known.elapsed() > 15s);
}

TEST_CASE("a request with little time does not sleep through what is left of it") {
  Exchange down = failing("reset");
  down.repeat = true;
  Fixture fixture({answer(200, "here"), down});
  CHECK(fixture.send());
  CHECK_FALSE(fixture.send("GET", 8s));
  CHECK(fixture.server->seen.size() >= 8);
}

TEST_CASE("a POST that never left this machine is tried again, until one may have") {
  Fixture up(posted({failing("refused"), failing("refused"), answer(201, "made")}));
  const auto response = up.send("POST");
  REQUIRE(response);
  CHECK(response->head.status == 201);

  Fixture cut(posted({failing("refused"), failing("reset")}));
  CHECK_FALSE(cut.send("POST"));
  CHECK(cut.server->seen.size() == 2);
}

TEST_CASE("a POST whose answer was lost is never sent twice") {
  Fixture net(posted({failing("reset")}));
  const auto response = net.send("POST");
  REQUIRE_FALSE(response);
  CHECK(response.error().code == Code::unreachable);
  CHECK(net.server->seen.size() == 1);
}

TEST_CASE("it gives up with the last answer after so many attempts") {
  Exchange busy = answer(429, "still busy", "0");
  busy.repeat = true;
  Fixture net({busy});
  const auto response = net.send();
  REQUIRE(response);
  CHECK(response->head.status == 429);
  CHECK(response->body == "still busy");
  CHECK(net.server->seen.size() == 8);
}

TEST_CASE("it does not wait longer than the request or the budget allows") {
  Fixture budget({answer(429, "later", "31")});
  CHECK(budget.send()->head.status == 429);
  CHECK(budget.elapsed() == 0s);

  Fixture timeout({answer(429, "", "3"), answer(429, "later", "3")});
  CHECK(timeout.send("GET", 5s)->head.status == 429);
  CHECK(timeout.elapsed() == 3s);
}

TEST_CASE("a later attempt has only the time that is left") {
  Fixture net({answer(429, "", "3"), failing("never")});
  CHECK(net.send("GET", 5s)->head.status == 429);
  CHECK(net.elapsed() == 5s);
}

TEST_CASE("an attempt that ran out of time does not hide what was wrong before it") {
  Fixture net({failing("refused"), failing("never")});
  const auto response = net.send("GET", 1s);
  REQUIRE_FALSE(response);
  CHECK(response.error().message.starts_with("cannot reach "));

  Fixture first({failing("never")});
  CHECK(first.send("GET", 1s).error().message.starts_with("no answer from "));
}

TEST_CASE("a gateway that gave up waiting may have passed a POST on: it is not sent again") {
  for (const int status : {500, 502, 504}) {
    Fixture net(posted({answer(status, "too late", "1")}));
    const auto response = net.send("POST");
    REQUIRE(response);
    CHECK(response->head.status == status);
  }
}

TEST_CASE("a call whose owner tries again itself is left to it") {
  Fixture net({answer(429, "busy", "1")});
  net::Request request;
  request.target = "/x";
  request.timeout = 60s;
  request.owner_retries = true;
  const auto response = await<Result<net::Response>>(
      net.loop, [&](auto done) { return net::collect(*net.transport, request, done); });
  REQUIRE(response);
  CHECK(response->head.status == 429);
  CHECK(net.notices.empty());
}

TEST_CASE("watches and streams are left to their owners") {
  Fixture watch({answer(429, "busy", "1")});
  CHECK(watch.send("GET", 0s)->head.status == 429);
  CHECK(watch.elapsed() == 0s);
}

TEST_CASE("an abandoned request is not tried again") {
  Fixture net({answer(429, "", "1")});
  net::Request request;
  request.target = "/x";
  request.timeout = 60s;
  HandlePtr handle = net.transport->start(request, {});
  bool waited = false;
  const auto drop = net.loop.after(500ms, [&] { handle.reset(); });
  const auto later = net.loop.after(10s, [&] { waited = true; });
  net.loop.run_until([&] { return waited; });
  CHECK(net.server->seen.size() == 1);
  CHECK(net.notices.size() == 1);
}

}  // namespace retry_test
