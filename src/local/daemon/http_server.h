// The HTTP/1.1 server of the embedded API server: libmicrohttpd on the event loop.
#pragma once

#include <functional>
#include <memory>

#include "base/file/descriptor.h"
#include "base/loop/loop.h"
#include "base/result.h"
#include "local/answer.h"

namespace trainctl::local {

class HttpServer {
 public:
  using Handler = std::function<ApiAnswer(const ApiRequest&)>;
  // `listening` is a Unix socket, whose peers must have this process's uid. The server closes it.
  static Result<std::unique_ptr<HttpServer>> start(UvLoop& loop, Descriptor listening,
                                                   Handler handler);
  virtual ~HttpServer() = default;  // closes every connection
  // The number of running requests, including streams.
  virtual int active() const = 0;
};

}  // namespace trainctl::local
