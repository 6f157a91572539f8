// URLs: what a name with odd characters becomes, and which server addresses are accepted.
#include "net/url.h"

#include <doctest/doctest.h>

namespace url_test {

using namespace trainctl;

TEST_CASE("a selector survives the way into a query and back") {
  const std::string selector = "app in (a,b),x!=ü/100%";
  const std::string encoded = net::percent_encoded(selector);
  CHECK(encoded == "app%20in%20%28a%2Cb%29%2Cx%21%3D%C3%BC%2F100%25");
  CHECK(net::percent_decoded(encoded) == selector);
  CHECK(net::percent_encoded("aZ0-._~") == "aZ0-._~");
}

TEST_CASE("text that is no escape is left as it is") {
  CHECK(net::percent_decoded("100%") == "100%");
  CHECK(net::percent_decoded("%4") == "%4");
  CHECK(net::percent_decoded("%zz%-1%41") == "%zz%-1A");
  CHECK(net::percent_decoded("a+b") == "a+b");
}

TEST_CASE("a query is added only when there is one") {
  CHECK(net::with_query("/a/b", {}) == "/a/b");
  CHECK(net::with_query("/a", {{"x", "1 2"}, {"labelSelector", "a=b&c"}}) ==
        "/a?x=1%202&labelSelector=a%3Db%26c");
}

TEST_CASE("server addresses as kubeconfigs hold them are taken apart") {
  const auto plain = net::parse_url("https://kube.test:6443/prefix/");
  REQUIRE(plain);
  CHECK(plain->scheme == "https");
  CHECK(plain->host == "kube.test");
  CHECK(plain->port == 6443);
  CHECK(plain->path == "/prefix");

  const auto v6 = net::parse_url("HTTPS://[::1]");
  REQUIRE(v6);
  CHECK(v6->scheme == "https");
  CHECK(v6->host == "::1");
  CHECK(v6->port == 443);

  const auto proxy = net::parse_url("socks5://me:p@ss@proxy.test");
  REQUIRE(proxy);
  CHECK(proxy->user_info == "me:p@ss");
  CHECK(proxy->host == "proxy.test");
  CHECK(proxy->port == 1080);
}

TEST_CASE("an address that would lead elsewhere than it looks is refused") {
  for (const char* url :
       {"", "kube.test:6443", "//kube.test", "https://", "https://:6443",
        "https://kube.test:", "https://kube.test:0", "https://kube.test:65536",
        "https://kube.test:-1", "https://kube.test:6443x", "https://[::1", "https://[::1]6443",
        "https://a b", "https://a\r\nHost: b", "https://kube.test?x", "https://kube.test#x",
        "https://a\\b", "1https://a"}) {
    CAPTURE(url);
    const auto parsed = net::parse_url(url);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == Code::usage);
  }
}

TEST_CASE("a password in a URL that is refused is not repeated") {
  const auto parsed = net::parse_url("http://me:hush@proxy test");
  REQUIRE_FALSE(parsed);
  CHECK(parsed.error().message.find("hush") == std::string::npos);
}

}  // namespace url_test
