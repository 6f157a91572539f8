// A loopback server in its own process, and certificates for it (tests/net/server.py).
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "base/loop.h"
#include "net/http.h"

namespace trainctl::testing {

// A directory that disappears with the object.
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

// Made once: cluster-ca, other-ca (NAME.pem), and server, misnamed, expired, client signed by
// cluster-ca (NAME.pem, NAME.key).
const std::string& certificates();
std::string file_text(const std::string& path);

class NetServer {
 public:
  // Arguments of server.py.
  explicit NetServer(const std::vector<std::string>& arguments);
  ~NetServer();
  NetServer(const NetServer&) = delete;
  NetServer& operator=(const NetServer&) = delete;
  // With TLS, as the certificate NAME.
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

// Trusts cluster-ca.
net::Endpoint tls_endpoint(const NetServer& server);
net::Endpoint plain_endpoint(const NetServer& server);

// Runs the loop until done; a test that would hang fails after some seconds instead.
void run_until(Loop& loop, const std::function<bool()>& done);

// One GET (or another request), awaited.
Result<net::Response> fetch(Loop& loop, net::Transport& transport, const std::string& target);
Result<net::Response> fetch(Loop& loop, net::Transport& transport, net::Request request);

}  // namespace trainctl::testing
