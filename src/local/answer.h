// A request to the embedded API server and its answer (one body or a stream), independent of any
// HTTP library.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/http.h"

namespace trainctl::local {

struct ApiRequest {
  std::string method;  // "GET"
  std::string target;  // path and query as sent, percent-encoded
  std::string accept;
  std::string content_type;
  std::string body;
};

// A body that is produced in pieces: a watch, a followed log.
class ApiStream {
 public:
  virtual ~ApiStream() = default;
  // Returns at most `limit` bytes; "" = nothing now, `ready` will be called; nullopt = the end.
  virtual std::optional<std::string> read(std::size_t limit) = 0;
  // Sets the function to call when read() has data again (or ends) after it returned "". It is
  // never called inside read().
  virtual void on_ready(std::function<void()> ready) = 0;
};

struct ApiAnswer {
  int code = 200;
  std::string content_type = "application/json";
  std::vector<net::Header> headers;  // Warning: 299 …
  std::string body;
  std::unique_ptr<ApiStream> stream;  // used instead of body
};

}  // namespace trainctl::local
