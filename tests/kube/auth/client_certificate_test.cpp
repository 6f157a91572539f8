// A certificate and a key that cannot work must be reported before a server is blamed for it.
#include "kube/auth/client_certificate.h"

#include <doctest/doctest.h>

#include "support/identities.h"
#include "support/net_server.h"

namespace TEST_FILE {

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

}  // namespace TEST_FILE
