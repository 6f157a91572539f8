// A request to the API server with its path and query parsed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/loop.h"
#include "local/answer.h"
#include "local/api_error.h"
#include "local/pod_requests.h"
#include "local/resources.h"
#include "local/store/store.h"
#include "net/url.h"

namespace trainctl::local {

// The parts of the server that every handler uses.
struct ApiParts {
  Loop& loop;
  Store& store;
  PodLogs& logs;
  PodStreams& streams;
};

using Objects = std::vector<std::shared_ptr<const Json>>;

class ApiQuery {
 public:
  explicit ApiQuery(std::string_view text);

  std::optional<std::string> get(std::string_view name) const;  // the first value
  std::string text(std::string_view name) const { return get(name).value_or(""); }
  std::vector<std::string> all(std::string_view name) const;
  bool flag(std::string_view name) const;  // anything but "0" and "false" is true
  // A number; 400 when the value is none.
  Answered<std::optional<std::int64_t>> number(std::string_view name) const;

 private:
  net::Query pairs_;
};

struct ApiCall {
  const ServedResource* resource = nullptr;
  std::string ns;
  std::string name;
  std::string subresource;
  ApiQuery query{""};
  const ApiRequest* request = nullptr;

  bool is_collection() const { return name.empty(); }
};

// nullopt for paths that are not served.
std::optional<ApiCall> call_of(const ApiRequest& request);

ApiAnswer answer_with(const Json& body, int code = 200);
ApiAnswer answer_with(const ApiError& error);

// The body, which must be a JSON object: 413 when it is too large, 415 for another media type, 400
// when it is none.
Answered<Json> body_of(const ApiRequest& request, std::string_view media_type = "application/json");

ApiError method_not_allowed();

}  // namespace trainctl::local
