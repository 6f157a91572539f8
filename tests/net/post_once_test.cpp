// A POST goes over the wire once: libcurl would send it again on its own when a kept connection
// ends without an answer.
#include <doctest/doctest.h>

#include "base/value/json.h"
#include "net/curl_transport.h"
#include "support/cut_proxy.h"
#include "support/net_server.h"

namespace post_once_test {

using namespace trainctl;
using namespace trainctl::testing;

net::Request creation() {
  net::Request request;
  request.method = "POST";
  request.target = "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = R"({"metadata":{"generateName":"ddp-"}})";
  request.timeout = std::chrono::seconds(60);
  return request;
}

// The objects there are after the answer to a POST on a kept connection was lost.
std::string created(const NetServer& server, net::Endpoint endpoint) {
  UvLoop loop;
  CutProxy proxy(loop, server.port());
  const std::string scheme = endpoint.base_url.substr(0, endpoint.base_url.find("://"));
  endpoint.base_url = scheme + "://127.0.0.1:" + std::to_string(proxy.port());
  const auto transport = *net::make_curl_transport(loop, endpoint);
  // Its end comes with its last byte: nothing follows that could be taken for the POST's answer.
  REQUIRE(fetch(loop, *transport, "/frames/5"));
  proxy.cut_answer_now();
  bool transient = false;
  std::optional<Status> end;
  net::Handlers handlers;
  handlers.on_transient = [&](std::optional<Duration>) { transient = true; };
  handlers.on_done = [&](Status status) { end = std::move(status); };
  const HandlePtr post = transport->start(creation(), handlers);
  run_until(loop, [&] { return end.has_value(); });
  REQUIRE_FALSE(*end);
  CHECK(end->error().message.find("was lost before its answer ended") != std::string::npos);
  CHECK(transient);
  const auto listed = fetch(loop, *transport, "/apis/created");
  REQUIRE(listed);
  return listed->body;
}

TEST_CASE("RQ-25: a job whose answer is lost on a kept connection is not created a second time") {
  const NetServer plain({});
  CHECK(created(plain, plain_endpoint(plain)) == R"(["ddp-00000"])");
  const NetServer tls(NetServer::tls());
  CHECK(created(tls, tls_endpoint(tls)) == R"(["ddp-00000"])");
}

TEST_CASE("a POST's body arrives whole, however large") {
  const NetServer server(NetServer::tls());
  UvLoop loop;
  const auto transport = *net::make_curl_transport(loop, tls_endpoint(server));
  net::Request request = creation();
  request.target = "/echo";
  request.body = std::string(300'000, 'x') + std::string("\0end", 4);
  const auto answer = fetch(loop, *transport, request);
  REQUIRE(answer);
  CHECK(answer->body.ends_with(request.body));
  CHECK(answer->body.find("content-length: 300004") != std::string::npos);
}

}  // namespace post_once_test
