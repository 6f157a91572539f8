// A proxy used against the user's wish leaks traffic; one not used leaves the cluster out of reach.
#include "kube/config/proxy.h"

#include <doctest/doctest.h>

namespace proxy_test {

using namespace trainctl;
using namespace trainctl::kube;

Environment variables(std::map<std::string, std::string, std::less<>> values) {
  return Environment(std::move(values));
}

std::string proxy_for(const Environment& env, const std::string& url,
                      const std::string& configured = "") {
  const auto parts = net::parse_url(url);
  REQUIRE(parts);
  const auto proxy = resolve_proxy(env, configured, *parts);
  REQUIRE(proxy);
  return *proxy;
}

bool goes_past_proxy(const std::string& no_proxy, const std::string& host, int port = 443) {
  const Environment env = variables({{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", no_proxy}});
  net::UrlParts server;
  server.scheme = "https";
  server.host = host;
  server.port = port;
  const auto proxy = resolve_proxy(env, "", server);
  return proxy && proxy->empty();
}

TEST_CASE("the loopback is known by every spelling that leads there") {
  for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "127.1",
                           "2130706433", "0x7f.1", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"}) {
    CAPTURE(host);
    CHECK(goes_past_proxy("", host));
  }
  for (const char* host : {"128.0.0.1", "10.0.0.1", "::2", "::ffff:10.0.0.1", "127.example", ""}) {
    CAPTURE(host);
    CHECK_FALSE(goes_past_proxy("", host));
  }
}

TEST_CASE("TL-19: a proxy variable is never used for the loopback") {
  const Environment env = variables({{"HTTPS_PROXY", "http://p:3128"}});
  CHECK(proxy_for(env, "https://127.0.0.1:6443") == "");
  CHECK(proxy_for(env, "https://localhost:6443") == "");
  CHECK(proxy_for(env, "https://[::1]:6443") == "");
  CHECK(proxy_for(env, "https://k.example") == "http://p:3128");
}

TEST_CASE("TL-20: the variable fits the scheme, ALL_PROXY is ignored, lower case works") {
  CHECK(proxy_for(variables({{"ALL_PROXY", "http://p:1"}}), "https://k.example") == "");
  CHECK(proxy_for(variables({{"HTTP_PROXY", "http://p:1"}}), "https://k.example") == "");
  CHECK(proxy_for(variables({{"HTTP_PROXY", "http://p:1"}}), "http://k.example") == "http://p:1");
  CHECK(proxy_for(variables({{"https_proxy", "p:1"}}), "https://k.example") == "http://p:1");
}

TEST_CASE("TL-22: a proxy of another kind is refused by name") {
  const auto parts = net::parse_url("https://k.example");
  const auto refused = resolve_proxy(Environment(), "ftp://p:21", *parts);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::usage);
  CHECK(refused.error().message.find("\"ftp\"") != std::string::npos);
}

TEST_CASE("NO_PROXY takes hosts, suffixes, addresses, blocks and ports as Go does") {
  CHECK(goes_past_proxy("*", "k.example", 443));
  CHECK(goes_past_proxy("a, Example.com ,b", "example.com", 443));
  CHECK(goes_past_proxy("example.com", "k.example.com", 443));
  CHECK(goes_past_proxy(".example.com", "k.example.com", 443));
  CHECK_FALSE(goes_past_proxy(".example.com", "example.com", 443));
  CHECK(goes_past_proxy("*.example.com", "k.example.com", 443));
  CHECK_FALSE(goes_past_proxy("example.com", "badexample.com", 443));
  CHECK(goes_past_proxy("10.0.0.0/8", "10.20.30.40", 6443));
  CHECK_FALSE(goes_past_proxy("10.0.0.0/9", "10.200.0.1", 6443));
  CHECK_FALSE(goes_past_proxy("10.0.0.0/8", "ten.example", 6443));
  CHECK(goes_past_proxy("fd00::/8", "fd12::1", 6443));
  CHECK_FALSE(goes_past_proxy("::/0", "10.20.30.40", 6443));
  CHECK_FALSE(goes_past_proxy("0.0.0.0/0", "fd12::1", 6443));
  CHECK(goes_past_proxy("::1", "::1", 6443));
  CHECK(goes_past_proxy("[fd12::1]:6443", "fd12::1", 6443));
  CHECK_FALSE(goes_past_proxy("[fd12::1]:443", "fd12::1", 6443));
  CHECK(goes_past_proxy("k.example:6443", "k.example", 6443));
  CHECK_FALSE(goes_past_proxy("k.example:443", "k.example", 6443));
  CHECK_FALSE(goes_past_proxy("", "k.example", 443));
  CHECK_FALSE(goes_past_proxy(",,:, [,]/8,/", "10.0.0.1", 443));
}

}  // namespace proxy_test
