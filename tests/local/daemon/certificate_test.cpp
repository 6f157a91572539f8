// The certificate and the token of the loopback port, and how long they stay.
#include "local/daemon/certificate.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "support/net_server.h"

namespace trainctl::testing {
namespace TEST_FILE {

using local::certificate_at;
using local::expiry_of;
using local::token_at;

constexpr Time k_now{std::chrono::seconds(1767323045)};
constexpr auto k_day = std::chrono::hours(24);

unsigned mode_of(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 0777U : 0;
}

TEST_CASE("a kubeconfig that was printed stays good: certificate and token are kept") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/tls.pem";
  const auto first = certificate_at(path, k_now);
  const auto again = certificate_at(path, k_now + 300 * k_day);
  REQUIRE(first);
  REQUIRE(again);
  CHECK(again->certificate_pem == first->certificate_pem);
  CHECK(again->key_pem == first->key_pem);
  CHECK(mode_of(path) == 0600);
  const auto token = token_at(directory.path() + "/token");
  REQUIRE(token);
  CHECK(token->size() == 64);
  CHECK(*token_at(directory.path() + "/token") == *token);
  CHECK(mode_of(directory.path() + "/token") == 0600);
}

TEST_CASE("a certificate is made anew before it expires, and where the file is damaged") {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/tls.pem";
  const auto first = certificate_at(path, k_now);
  REQUIRE(first);
  const auto end = expiry_of(first->certificate_pem);
  REQUIRE(end);
  CHECK(*end == k_now + 365 * k_day);
  const auto renewed = certificate_at(path, *end - k_day);
  REQUIRE(renewed);
  CHECK(*expiry_of(renewed->certificate_pem) == *end + 364 * k_day);
  REQUIRE(::truncate(path.c_str(), 100) == 0);
  const auto repaired = certificate_at(path, k_now);
  REQUIRE(repaired);
  CHECK(expiry_of(repaired->certificate_pem).has_value());
}

TEST_CASE("two users have two tokens") {
  const TemporaryDirectory directory;
  CHECK(*token_at(directory.path() + "/a") != *token_at(directory.path() + "/b"));
}

TEST_CASE("what cannot be written is reported with its path") {
  const auto made = certificate_at("/no/such/directory/tls.pem", k_now);
  REQUIRE_FALSE(made);
  CHECK(made.error().message.find("/no/such/directory/tls.pem") != std::string::npos);
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
