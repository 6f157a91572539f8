// A request to the API server with its path and query parsed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/loop.h"
#include "local/answer.h"
#include "local/api_error.h"
#include "local/pod_logs.h"
#include "local/pod_streams.h"
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

// The query as Go's url.ParseQuery reads it.
class ApiQuery {
 public:
  explicit ApiQuery(std::string_view text);

  std::optional<std::string> get(std::string_view name) const;  // the first value
  std::string text(std::string_view name) const { return get(name).value_or(""); }
  std::vector<std::string> all(std::string_view name) const;
  // Anything but "0" and "false" is true, even an empty value.
  bool flag(std::string_view name) const;
  // A number; 400 with Go's message when the value is none.
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

ApiError method_not_allowed();

}  // namespace trainctl::local
