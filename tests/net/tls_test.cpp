// Whom the transport trusts, and how it says that it does not.
#include <cstdlib>

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text.h"
#include "net/curl_transport.h"
#include "support/net_server.h"

namespace tls_test {

using namespace trainctl;
using namespace trainctl::testing;

Result<net::Response> get(const net::Endpoint& endpoint, net::Request request = {}) {
  UvLoop loop;
  const auto transport = net::make_curl_transport(loop, endpoint);
  REQUIRE(transport);
  if (request.target.empty()) request.target = "/echo";
  request.timeout = std::chrono::seconds(60);
  return fetch(loop, **transport, request);
}

std::string failure(const net::Endpoint& endpoint, Code code = Code::unreachable) {
  const auto answer = get(endpoint);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == code);
  return answer.error().message + " | " + answer.error().hint;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Puts a directory over the system's CA directory, for this process alone.
bool replace_system_store(const std::string& directory) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return mount(directory.c_str(), "/etc/ssl/certs", nullptr, MS_BIND, nullptr) == 0;
}

TEST_CASE("a server with the cluster's certificate is spoken to in HTTP/2") {
  const NetServer server(NetServer::tls());
  const auto answer = get(tls_endpoint(server));
  REQUIRE(answer);
  CHECK(answer->body.starts_with("GET 2\n"));
  CHECK(contains(answer->body, "user-agent: trainctl/test\n"));
}

TEST_CASE("another CA than the cluster's is not trusted, and the message says which one was") {
  const NetServer server(NetServer::tls());
  net::Endpoint endpoint = tls_endpoint(server);
  endpoint.ca_pem = file_text(certificates() + "/other-ca.pem");
  CHECK(failure(endpoint) ==
        cat("cannot trust ", server.address(),
            ": certificate signed by unknown authority (trusted: /home/u/ca.pem) | check that the "
            "CA belongs to this cluster, or give --certificate-authority=FILE"));
  endpoint.ca_pem = "";
  CHECK(contains(failure(endpoint), "(trusted: the system's certificates)"));
}

TEST_CASE("a pipe in the place of the system's CAs does not block for ever") {
  const TemporaryDirectory directory;
  net::Endpoint endpoint;
  endpoint.base_url = "https://127.0.0.1:1";
  endpoint.system_trust.file = directory.path() + "/pipe";
  REQUIRE(::mkfifo(endpoint.system_trust.file.c_str(), 0600) == 0);
  UvLoop loop;
  const auto transport = net::make_curl_transport(loop, endpoint);
  REQUIRE_FALSE(transport);
  CHECK(transport.error().message == cat("cannot read CA certificates from ",
                                         endpoint.system_trust.file, ": not a regular file"));
}

TEST_CASE("a CA file of several certificates is read to its end") {
  const NetServer server(NetServer::tls());
  net::Endpoint endpoint = tls_endpoint(server);
  endpoint.ca_pem = file_text(certificates() + "/other-ca.pem") + endpoint.ca_pem;
  CHECK(get(endpoint));
}

TEST_CASE("a CA that the system trusts does not count beside the cluster's own") {
  const NetServer server(NetServer::tls());
  net::Endpoint endpoint = tls_endpoint(server);
  endpoint.ca_pem = file_text(certificates() + "/other-ca.pem");
  const TemporaryDirectory store;
  const std::string fill =
      cat("cp ", certificates(), "/*-ca.pem ", store.path(), " && openssl rehash ", store.path());
  REQUIRE(std::system(fill.c_str()) == 0);

  constexpr int k_not_permitted = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (!replace_system_store(store.path())) _exit(k_not_permitted);
    const auto answer = get(endpoint);
    _exit(!answer && contains(answer.error().message, "unknown authority") ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WEXITSTATUS(status) == k_not_permitted) {
    MESSAGE("not checked: this system allows no mount namespaces");
    return;
  }
  CHECK(status == 0);
}

TEST_CASE("a certificate for another name leads to --tls-server-name, which then helps") {
  const NetServer server(NetServer::tls("misnamed"));
  net::Endpoint endpoint = tls_endpoint(server);
  const std::string text = failure(endpoint);
  CHECK(contains(text, "its certificate is not valid for the name '127.0.0.1'"));
  CHECK(contains(text, "--tls-server-name"));

  endpoint.tls_server_name = "kube.test";
  const auto answer = get(endpoint);
  REQUIRE(answer);
  CHECK(contains(answer->body, ":authority: " + server.address()));

  endpoint.tls_server_name = "another.test";
  CHECK(contains(failure(endpoint), "not valid for the name 'another.test'"));
}

TEST_CASE("an expired server certificate is called expired") {
  const NetServer server(NetServer::tls("expired"));
  CHECK(contains(failure(tls_endpoint(server)), "its certificate has expired"));
}

TEST_CASE("--insecure-skip-tls-verify accepts any certificate, CA or not") {
  const NetServer server(NetServer::tls("misnamed"));
  net::Endpoint endpoint = tls_endpoint(server);
  endpoint.ca_pem = file_text(certificates() + "/other-ca.pem");
  endpoint.insecure = true;
  CHECK(get(endpoint));
}

TEST_CASE("a client certificate is shown to the server, from memory") {
  const auto with_client_ca = [](const std::string& protocol) {
    return tls_with({"--client-ca", certificates() + "/cluster-ca.pem", "--alpn", protocol});
  };
  const NetServer server(with_client_ca("http/1.1"));
  const NetServer http2_server(with_client_ca("h2"));
  net::Request request;
  request.identity = std::make_shared<net::ClientIdentity>(net::ClientIdentity{
      file_text(certificates() + "/client.pem"), file_text(certificates() + "/client.key")});
  CHECK(get(tls_endpoint(server), request));
  for (const NetServer* refusing : {&server, &http2_server}) {
    CHECK(contains(failure(tls_endpoint(*refusing), Code::auth),
                   refusing->address() + " does not accept the client certificate"));
  }

  request.identity = std::make_shared<net::ClientIdentity>(net::ClientIdentity{
      file_text(certificates() + "/client.pem"), file_text(certificates() + "/server.key")});
  const auto answer = get(tls_endpoint(server), request);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::auth);
}

}  // namespace tls_test
