// Requests about all objects of a kind: pages of a list, and a watch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/resource.h"
#include "net/http.h"

namespace trainctl::kube {

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int page_size = 500;
};

// `continue_token` is "" for the first one.
Result<net::Request> list_request(const Resource& resource, std::string_view ns,
                                  const ListOptions& options, const std::string& continue_token);

// With bookmarks, from `version`, ended by the server after `limit`.
Result<net::Request> watch_request(const Resource& resource, std::string_view ns,
                                   const ListOptions& options, const std::string& version,
                                   Duration limit);

// False for an answer that would pass for an empty list without being one.
bool is_list(const Json& answer);

// The objects of a list, moved out of it, with the types that a list does not repeat. What is no
// object is left out.
std::vector<Json> take_items(const Resource& resource, Json& list);

}  // namespace trainctl::kube
