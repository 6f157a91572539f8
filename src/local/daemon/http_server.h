// The HTTP/1.1 server of the embedded API server: libmicrohttpd on the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <microhttpd.h>

#include "base/file/descriptor.h"
#include "base/loop/loop.h"
#include "base/result.h"
#include "local/answer.h"

namespace trainctl::local {

// The first header of that name; "" when there is none.
std::string header_of(MHD_Connection* connection, const char* name);
int socket_of(MHD_Connection* connection);

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
