// A certificate and a key that cannot work must be reported before a server is blamed for it.
#include "kube/auth/client_certificate.h"

#include <doctest/doctest.h>

#include "kube/auth/credentials_setup.h"
#include "support/identities.h"
#include "support/net_server.h"

namespace client_certificate_test {

using namespace trainctl;
using namespace trainctl::testing;
using kube::IdentityFault;

IdentityFault fault(std::string_view certificate, std::string_view key) {
  return kube::check_identity({std::string(certificate), std::string(key)});
}

TEST_CASE("CF-26: a certificate with its own key is fine, with another's it is not") {
  CHECK(fault(k_ann_pem, k_ann_pem) == IdentityFault::none);
  CHECK(fault(k_ann_pem, k_bob_pem) == IdentityFault::not_a_pair);
}

TEST_CASE("CF-26: a missing certificate and a missing key are distinguished") {
  const std::size_t key = k_ann_pem.find("-----BEGIN EC");
  CHECK(fault("nothing", k_ann_pem) == IdentityFault::no_certificate);
  CHECK(fault(k_ann_pem.substr(key), k_ann_pem) == IdentityFault::no_certificate);
  CHECK(fault(k_ann_pem, k_ann_pem.substr(0, key)) == IdentityFault::no_key);
  CHECK(fault(k_ann_pem, "") == IdentityFault::no_key);
}

TEST_CASE("CF-26: an encrypted key is refused instead of asking for its password") {
  const TemporaryDirectory directory;
  const std::string key = directory.path() + "/encrypted.key";
  const std::string command =
      "openssl pkey -in " + certificates() + "/client.key -aes128 -passout pass:x -out " + key;
  REQUIRE(std::system(command.c_str()) == 0);
  CHECK(fault(file_text(certificates() + "/client.pem"), file_text(key)) ==
        IdentityFault::encrypted_key);
}

TEST_CASE("the end of a certificate is read, and a text that is none has no end") {
  const auto end = kube::certificate_end(k_ann_pem);
  REQUIRE(end);
  CHECK(format_time(*end) == "2126-10-29T00:22:37Z");
  CHECK_FALSE(kube::certificate_end("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"));
}

}  // namespace client_certificate_test

namespace client_certificate_test {

constexpr Time k_start{};

// Certificate and key in two files.
struct Rotated {
  MemoryFiles files;
  AuthInfo auth;

  Rotated() {
    auth.identity = std::make_shared<const net::ClientIdentity>(
        net::ClientIdentity{std::string(k_ann_pem), std::string(k_ann_pem)});
    auth.files = {"/u.pem", "/u.key", "/ca.pem"};
    files.files["/u.pem"] = k_ann_pem;
    files.files["/u.key"] = k_ann_pem;
    files.files["/ca.pem"] = k_ann_pem;
  }
};

TEST_CASE("a renewed client certificate is used once its key has come as well") {
  Rotated rotated;
  RotatedFiles pem(rotated.files, rotated.auth);
  pem.update(k_start);
  rotated.files.files["/u.pem"] = k_bob_pem;
  pem.update(k_start + 2s);
  CHECK(pem.identity() == rotated.auth.identity);
  rotated.files.files["/u.key"] = k_bob_pem;
  pem.update(k_start + 4s);
  CHECK(pem.identity()->certificate_pem == k_bob_pem);
  CHECK(pem.identity()->key_pem == k_bob_pem);
}

TEST_CASE("a renewed CA is trusted; one that is missing or half written is not") {
  Rotated rotated;
  RotatedFiles pem(rotated.files, rotated.auth);
  pem.update(k_start);
  CHECK(pem.ca_pem() == nullptr);
  rotated.files.files["/ca.pem"] = k_bob_pem;
  pem.update(k_start + 2s);
  REQUIRE(pem.ca_pem());
  CHECK(*pem.ca_pem() == k_bob_pem);
  const std::string bad = "-----BEGIN CERTIFICATE-----\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----\n";
  const std::string good(k_bob_pem.substr(0, k_bob_pem.find("-----BEGIN EC")));
  rotated.files.files["/ca.pem"] = good + bad;
  pem.update(k_start + 3s);
  CHECK(*pem.ca_pem() == good);
  rotated.files.files["/ca.pem"] = k_ann_pem.substr(0, 200);
  pem.update(k_start + 4s);
  rotated.files.files.erase("/ca.pem");
  pem.update(k_start + 6s);
  CHECK(*pem.ca_pem() == good);
}

TEST_CASE("files that stay as they are keep the object that connections hang on") {
  Rotated rotated;
  RotatedFiles pem(rotated.files, rotated.auth);
  pem.update(k_start);
  pem.update(k_start + 1h);
  CHECK(pem.identity() == rotated.auth.identity);
  const auto ca = pem.ca_pem();
  pem.update(k_start + 2h);
  CHECK(pem.ca_pem() == ca);
}

TEST_CASE("a thousand reconnecting streams read the files once") {
  Rotated rotated;
  RotatedFiles pem(rotated.files, rotated.auth);
  pem.update(k_start);
  rotated.files.files["/ca.pem"] = k_bob_pem;
  pem.update(k_start + 500ms);
  CHECK(pem.ca_pem() == nullptr);
}

}  // namespace client_certificate_test

// A follow of many hours outlives its certificates: what replaces them must be noticed, and no half
// of it.
