// Requests, handlers and transports go in any order, and nobody is called back who has gone.
#include <map>

#include <doctest/doctest.h>

#include "net/curl_transport.h"
#include "support/net_server.h"

namespace lifetime_test {

using namespace trainctl;
using namespace trainctl::testing;

TEST_CASE("handlers may let go of any request, their own too, and hear no more of it") {
  const NetServer server(NetServer::tls());
  UvLoop loop;
  const auto transport = *net::make_curl_transport(loop, tls_endpoint(server));
  REQUIRE(fetch(loop, *transport, "/hello"));

  std::map<int, HandlePtr> handles;
  int after_end = 0;
  int finished = 0;
  const auto let_go = [&](int number) { handles.erase(number); };
  const auto alive = [&](int number) { after_end += handles.count(number) == 0 ? 1 : 0; };
  for (int i = 0; i < 60; ++i) {
    net::Request request;
    request.target = i % 3 == 2 ? "/hello" : "/big";
    request.lane = i % 2 == 0 ? net::Lane::stream : net::Lane::control;
    net::Handlers handlers;
    handlers.on_head = [&, i](const net::ResponseHead&) {
      alive(i);
      if (i % 3 == 0) let_go(i);
    };
    handlers.on_data = [&, i](std::string_view) {
      alive(i);
      if (i % 3 != 1) return;
      let_go(i - 1);  // a neighbour, perhaps of the same connection
      let_go(i);
    };
    handlers.on_done = [&, i](const Status&) {
      alive(i);
      ++finished;
      // A new request from within, on the lane that is calling.
      net::Handlers last;
      last.on_done = [&, i](const Status&) { let_go(i + 1000); };
      net::Request again;
      again.target = "/hello";
      again.lane = net::Lane::stream;
      handles[i + 1000] = transport->start(again, last);
      let_go(i);
    };
    handles[i] = transport->start(request, handlers);
  }
  run_until(loop, [&] { return handles.empty(); });
  CHECK(after_end == 0);
  CHECK(finished == 20);
}

TEST_CASE("a request may be started from within another's data") {
  const NetServer server(NetServer::tls());
  UvLoop loop;
  const auto transport = *net::make_curl_transport(loop, tls_endpoint(server));
  REQUIRE(fetch(loop, *transport, "/hello"));
  HandlePtr inner;
  bool done = false;
  net::Request request;
  request.target = "/hello";
  net::Handlers handlers;
  handlers.on_data = [&](std::string_view) {
    net::Handlers second;
    second.on_done = [&](const Status& status) { done = status.has_value(); };
    inner = transport->start(request, second);
    HandlePtr dropped_at_once = transport->start(request, {});
  };
  const HandlePtr outer = transport->start(request, handlers);
  run_until(loop, [&] { return done; });
}

TEST_CASE("a transport may go before the handles of its requests do") {
  const NetServer server(NetServer::tls());
  std::vector<HandlePtr> left;
  UvLoop loop;
  auto transport = *net::make_curl_transport(loop, tls_endpoint(server));
  for (int i = 0; i < 3; ++i) {
    net::Request request;
    request.target = "/hold";
    left.push_back(transport->start(request, {}));
  }
  REQUIRE(fetch(loop, *transport, "/hello"));
  transport.reset();
  left.clear();
}

TEST_CASE(
    "a transport may go before there is a connection, and the handles of its requests later") {
  const NetServer server(NetServer::tls());
  std::vector<HandlePtr> left;
  UvLoop loop;
  auto transport = *net::make_curl_transport(loop, tls_endpoint(server));
  for (const net::Lane lane :
       {net::Lane::control, net::Lane::control, net::Lane::stream, net::Lane::stream}) {
    net::Request request;
    request.target = "/hold";
    request.lane = lane;
    left.push_back(transport->start(request, {}));
  }
  transport.reset();
  left.clear();
}

}  // namespace lifetime_test
