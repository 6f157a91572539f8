// The HTTP/1.1 server of the embedded API server: libmicrohttpd on the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/loop/loop.h"
#include "base/result.h"
#include "local/answer.h"
#include "local/daemon/connection_gate.h"

namespace trainctl::local {

struct Listener {
  int fd = -1;  // a listening socket; the server closes it
  // Required as "Authorization: Bearer …"; "" = a Unix socket, whose peers must have this process's
  // uid instead.
  std::string token;
  std::string certificate_pem;  // with the key, enables TLS
  std::string key_pem;
  GateLimits limits;  // used for a port with a token
};

class HttpServer {
 public:
  using Handler = std::function<ApiAnswer(const ApiRequest&)>;
  static Result<std::unique_ptr<HttpServer>> start(UvLoop& loop, Listener listener,
                                                   Handler handler);
  virtual ~HttpServer() = default;  // closes every connection
  // The number of running requests, including streams.
  virtual int active() const = 0;
};

}  // namespace trainctl::local
