// A program that runs on every distribution must find each one's certificates.
#include "net/http.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace http_test {

using namespace trainctl;
using namespace trainctl::net;

using Variables = std::map<std::string, std::string, std::less<>>;

TEST_CASE("each distribution's bundle of CAs is found, the first place first") {
  const Environment none;
  for (const char* place :
       {"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/certs/ca-certificates.crt"}) {
    trainctl::testing::MemoryFiles alone;
    alone.files[place] = "PEM";
    CHECK(find_system_trust(none, alone).file == place);
    CHECK(system_trust_places().find(place) != std::string::npos);
  }
  trainctl::testing::MemoryFiles both;
  both.files["/etc/ssl/cert.pem"] = both.files["/etc/pki/tls/certs/ca-bundle.crt"] = "PEM";
  CHECK(find_system_trust(none, both).file == "/etc/pki/tls/certs/ca-bundle.crt");
}

TEST_CASE("SSL_CERT_FILE and SSL_CERT_DIR replace the system's certificates") {
  trainctl::testing::MemoryFiles files;
  files.files["/etc/ssl/certs/ca-certificates.crt"] = "PEM";
  const SystemTrust file =
      find_system_trust(Environment(Variables{{"SSL_CERT_FILE", "/own.pem"}}), files);
  CHECK(file.file == "/own.pem");
  CHECK(file.directory.empty());
  const SystemTrust directory =
      find_system_trust(Environment(Variables{{"SSL_CERT_DIR", "/own"}}), files);
  CHECK(directory.file.empty());
  CHECK(directory.directory == "/own");
}

TEST_CASE("a system without certificates has none") {
  trainctl::testing::MemoryFiles files;
  const SystemTrust trust = find_system_trust(Environment(), files);
  CHECK(trust.file.empty());
  CHECK(trust.directory.empty());
}

}  // namespace http_test
