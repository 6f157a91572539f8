// HTTP/1.1 for the embedded API server: libmicrohttpd on the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/loop.h"
#include "base/result.h"
#include "local/answer.h"
#include "local/daemon/connection_gate.h"

namespace trainctl::local {

struct Listener {
  int fd = -1;        // listening already; the server closes it
  std::string token;  // "Authorization: Bearer …" must equal it; "" = a Unix socket, whose
                      // peers must have this process's uid
  std::string certificate_pem;  // with the key: TLS
  std::string key_pem;
  GateLimits limits;  // of a port with a token
};

class HttpServer {
 public:
  using Handler = std::function<ApiAnswer(const ApiRequest&)>;
  static Result<std::unique_ptr<HttpServer>> start(UvLoop& loop, Listener listener,
                                                   Handler handler);
  virtual ~HttpServer() = default;  // closes every connection
  // Requests under way, streams included.
  virtual int active() const = 0;
};

}  // namespace trainctl::local
