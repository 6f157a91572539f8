// A loopback server in its own process, and certificates for it (tests/net/server.py).
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "base/loop/loop.h"
#include "net/http.h"

namespace trainctl::testing {

// A directory that is removed with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The directory of certificates, created once: cluster-ca, other-ca (NAME.pem), and server,
// misnamed, expired, client signed by cluster-ca (NAME.pem, NAME.key).
const std::string& certificates();
std::string file_text(const std::string& path);

class NetServer {
 public:
  // Starts server.py with these arguments.
  explicit NetServer(const std::vector<std::string>& arguments);
  ~NetServer();
  NetServer(const NetServer&) = delete;
  NetServer& operator=(const NetServer&) = delete;
  // Arguments for TLS with the certificate NAME.
  static std::vector<std::string> tls(const std::string& name = "server");

  int port() const { return port_; }
  std::string address() const;  // 127.0.0.1:PORT

 private:
  int process_ = 0;
  int input_ = -1;
  int port_ = 0;
};

// NetServer::tls() and the server's other options.
std::vector<std::string> tls_with(std::initializer_list<std::string> more);

// Endpoints of the server; the first one trusts cluster-ca.
net::Endpoint tls_endpoint(const NetServer& server);
net::Endpoint plain_endpoint(const NetServer& server);

// Runs the loop until done; a test that would hang fails after some seconds instead.
void run_until(Loop& loop, const std::function<bool()>& done);

// Sends one GET (or another request) and awaits it.
Result<net::Response> fetch(Loop& loop, net::Transport& transport, const std::string& target);
Result<net::Response> fetch(Loop& loop, net::Transport& transport, net::Request request);

}  // namespace trainctl::testing
