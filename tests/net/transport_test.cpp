// The transport against a real server: what is sent, what comes back, and how failures read.
#include <cstdlib>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "net/curl_transport.h"
#include "support/net_server.h"

namespace transport_test {

using namespace trainctl;
using namespace trainctl::testing;

struct Fixture {
  explicit Fixture(net::Endpoint endpoint)
      : transport(*net::make_curl_transport(loop, std::move(endpoint))) {}
  Result<net::Response> get(const std::string& target) { return fetch(loop, *transport, target); }
  std::string failure(const std::string& target) {
    const auto answer = get(target);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == Code::unreachable);
    CHECK_FALSE(answer.error().hint.empty());
    return answer.error().message;
  }

  UvLoop loop;
  std::unique_ptr<net::Transport> transport;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

net::Endpoint nobody_listens() {
  net::Endpoint endpoint;
  endpoint.base_url = "http://127.0.0.1:1";
  return endpoint;
}

TEST_CASE("a request reaches the server as it was made") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  net::Request request;
  request.method = "PATCH";
  request.target = "/echo";
  request.headers = {{"Content-Type", "application/merge-patch+json"}, {"X-Empty", ""}};
  request.body = std::string("{\"a\":1}\0tail", 12);
  const auto answer = fetch(net.loop, *net.transport, request);
  REQUIRE(answer);
  CHECK(answer->head.status == 200);
  CHECK(contains(answer->body, "PATCH 1.1\n"));
  CHECK(contains(answer->body, "Content-Type: application/merge-patch+json\n"));
  CHECK(contains(answer->body, "X-Empty"));
  CHECK_FALSE(contains(answer->body, "Expect"));
  CHECK(answer->body.ends_with(request.body));
}

TEST_CASE("a POST without a body is still a POST, and no content type is made up") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  net::Request request;
  request.method = "POST";
  request.target = "/echo";
  const auto answer = fetch(net.loop, *net.transport, request);
  REQUIRE(answer);
  CHECK(contains(answer->body, "POST 1.1\n"));
  CHECK_FALSE(contains(lower(answer->body), "content-type"));
}

TEST_CASE("an error status is an answer, not a failure of the connection") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  const auto answer = net.get("/nothing");
  REQUIRE(answer);
  CHECK(answer->head.status == 404);
  CHECK(answer->head.header("CONTENT-LENGTH") == "12");
}

TEST_CASE("a compressed answer comes out plain, and watches are not compressed") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  const auto answer = net.get("/gzip");
  REQUIRE(answer);
  CHECK(answer->body.size() == 8000);
  CHECK(answer->body.starts_with("unpacked"));
  net::Request watch;
  watch.target = "/echo";
  const auto plain = fetch(net.loop, *net.transport, watch);
  REQUIRE(plain);
  CHECK_FALSE(contains(lower(plain->body), "accept-encoding"));
}

TEST_CASE("a base URL with a Unix socket reaches the embedded cluster") {
  const TemporaryDirectory directory;
  const std::string socket = directory.path() + "/api.sock";
  const NetServer server({"--unix", socket});
  net::Endpoint endpoint;
  endpoint.base_url = "http://localhost";
  endpoint.unix_socket = socket;
  Fixture net(endpoint);
  const auto answer = net.get("/hello");
  REQUIRE(answer);
  CHECK(answer->body == "hello");

  endpoint.unix_socket += ".gone";
  Fixture gone(endpoint);
  CHECK(gone.failure("/hello") == cat("cannot reach ", socket, ".gone: no such file or directory"));
}

TEST_CASE("a refused connection is reported with host and port, and is worth another attempt") {
  Fixture net(nobody_listens());
  CHECK(net.failure("/") == "cannot reach 127.0.0.1:1: connection refused");

  bool transient = false;
  bool done = false;
  net::Handlers handlers;
  handlers.on_transient = [&](std::optional<Duration>) { transient = true; };
  handlers.on_done = [&](const Status&) { done = true; };
  const auto request = net.transport->start({}, handlers);
  CHECK_FALSE(done);
  run_until(net.loop, [&] { return done; });
  CHECK(transient);
}

TEST_CASE("a server's name that does not resolve leads to the kubeconfig and the DNS") {
  net::Endpoint endpoint;
  // A label that is too long, so that no name server is asked.
  const std::string host = std::string(70, 'x') + ".test";
  endpoint.base_url = "https://" + host + ":6443";
  Fixture net(endpoint);
  const auto answer = net.get("/hello");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message ==
        cat("cannot reach ", host, ":6443: the name ", host, " cannot be resolved"));
  CHECK(contains(answer.error().hint, "DNS"));
}

TEST_CASE("several calls that meet a certificate nobody trusts ask for it once") {
  const NetServer server(NetServer::tls("misnamed"));
  UvLoop loop;
  const auto transport = *net::make_curl_transport(loop, tls_endpoint(server));
  std::vector<HandlePtr> handles;
  std::vector<std::string> messages;
  for (int i = 0; i < 3; ++i) {
    net::Request request;
    request.target = "/hello";
    handles.push_back(net::collect(*transport, request, [&](Result<net::Response> answer) {
      messages.push_back(answer ? "answered" : answer.error().message);
    }));
  }
  run_until(loop, [&] { return messages.size() == 3; });
  CHECK(contains(messages[0], "is not valid for the name '127.0.0.1'"));
  CHECK(messages[1] == messages[0]);
  CHECK(messages[2] == messages[0]);
  net::Endpoint trusted = tls_endpoint(server);
  trusted.tls_server_name = "kube.test";
  Fixture net(trusted);
  CHECK(net.get("/facts")->body == "2 0");  // one for the three, one for this
}

TEST_CASE("an answer that is cut is never taken for a whole one") {
  const NetServer server({});
  Fixture plain(plain_endpoint(server));
  const std::string lost =
      cat("the connection to ", server.address(), " was lost before its answer ended");
  CHECK(plain.failure("/cut") == lost);
  CHECK(plain.failure("/cut-headless") == lost);
  Fixture stranger(plain_endpoint(server));
  CHECK(stranger.failure("/cut-headless") ==
        cat("cannot reach ", server.address(), ": it closed the connection without an answer"));
  const NetServer tls_server(NetServer::tls());
  Fixture tls(tls_endpoint(tls_server));
  CHECK(contains(tls.failure("/cut"), "was lost before its answer ended"));
  CHECK(contains(tls.failure("/cut-headless"), "was lost before its answer ended"));
}

TEST_CASE("an answer whose trailers never end is given up before they fill the memory") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  CHECK(net.failure("/trailers") ==
        cat("the answer of ", server.address(), " has headers or trailers above 1 MiB"));
  CHECK(net.get("/hello")->body == "hello");
}

TEST_CASE("a server that never answers is given up after the request's timeout") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  net::Request request;
  request.target = "/silent";
  request.timeout = std::chrono::milliseconds(200);
  const auto answer = fetch(net.loop, *net.transport, request);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == cat("no answer from ", server.address(), " within 0.2 s"));
  CHECK(contains(answer.error().hint, "--request-timeout"));
}

TEST_CASE("the wrong scheme for a port is named, in both directions") {
  const NetServer tls_server(NetServer::tls());
  Fixture plain(plain_endpoint(tls_server));
  const auto refused = plain.get("/hello");
  REQUIRE_FALSE(refused);
  CHECK(contains(refused.error().hint, "https://"));

  const NetServer plain_server({});
  Fixture tls(tls_endpoint(plain_server));
  const auto garbled = tls.get("/hello");
  REQUIRE_FALSE(garbled);
  CHECK(contains(garbled.error().message, "it does not speak TLS"));
}

TEST_CASE("a proxy that fails is blamed by name, without its password") {
  const NetServer server({});
  net::Endpoint endpoint = plain_endpoint(server);
  endpoint.proxy_url = "http://me:hush@127.0.0.1:1";
  Fixture refused(endpoint);
  CHECK(refused.failure("/hello") == cat("cannot reach ", server.address(),
                                         " through the proxy http://127.0.0.1:1: "
                                         "connection refused"));
  // A server that knows no CONNECT.
  endpoint.base_url = "https://kube.test:6443";
  endpoint.proxy_url = "http://" + server.address();
  Fixture no_tunnel(endpoint);
  CHECK(no_tunnel.failure("/hello") == cat("cannot reach kube.test:6443 through the proxy http://",
                                           server.address(), ": the proxy answered 404"));
}

TEST_CASE("only the proxy that was chosen is used, whatever the environment says") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  setenv("all_proxy", "http://127.0.0.1:1", 1);
  CHECK(net.get("/hello"));
  unsetenv("http_proxy");
  unsetenv("all_proxy");

  // NO_PROXY cannot take a configured one away either: the server is asked for the whole URL.
  net::Endpoint endpoint;
  endpoint.base_url = "http://kube.test";
  endpoint.proxy_url = "http://" + server.address();
  setenv("no_proxy", "*", 1);
  Fixture proxied(endpoint);
  const auto answer = proxied.get("/hello");
  unsetenv("no_proxy");
  REQUIRE(answer);
  CHECK(answer->body == "no such path");
}

TEST_CASE("an endpoint that cannot work is refused before anything is sent") {
  UvLoop loop;
  const auto refusal = [&](const net::Endpoint& endpoint) {
    const auto made = net::make_curl_transport(loop, endpoint);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == Code::usage);
    return made.error().message;
  };
  net::Endpoint endpoint = nobody_listens();
  endpoint.proxy_url = "ftp://proxy.test";
  CHECK(refusal(endpoint) == "a proxy of kind 'ftp' cannot be used");
  endpoint = nobody_listens();
  endpoint.ca_pem = "not a certificate";
  endpoint.ca_source = "/home/u/ca.pem";
  CHECK(refusal(endpoint) == "/home/u/ca.pem holds no PEM certificate");
  endpoint.base_url = "file:///etc/passwd";
  endpoint.ca_pem = "";
  refusal(endpoint);
}

TEST_CASE("a token with a line break cannot smuggle in a header") {
  const NetServer server({});
  Fixture net(plain_endpoint(server));
  net::Request request;
  request.target = "/echo";
  request.headers = {{"Authorization", "Bearer a\r\nImpersonate-User: admin"}};
  const auto answer = fetch(net.loop, *net.transport, request);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::usage);
  CHECK_FALSE(contains(answer.error().message, "Bearer"));
}

}  // namespace transport_test
