// Requests about all objects of a kind: pages of a list, and a watch.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "kube/client/resource.h"
#include "net/http.h"
#include "net/url.h"

namespace trainctl::kube {

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int page_size = 500;
  // Memory that this list and others take so far; null = it is bounded by itself.
  std::shared_ptr<std::size_t> together = {};
};

// The request for one page; `continue_token` is "" for the first.
Result<net::Request> list_request(const Resource& resource, std::string_view ns,
                                  const ListOptions& options, const std::string& continue_token);

// A watch from `version` with bookmarks, which the server ends after `limit`.
Result<net::Request> watch_request(const Resource& resource, std::string_view ns,
                                   const ListOptions& options, const std::string& version,
                                   Duration limit);

// False for an answer that could be mistaken for an empty list.
bool is_list(const Json& answer);

// Moves the objects out of a list and adds the types that a list does not repeat. Entries that are
// no objects are omitted.
std::vector<Json> take_items(const Resource& resource, Json& list);

// The query of every request that writes an object.
net::Query write_query();

struct CreateOptions {
  bool dry_run = false;  // dryRun=All
};
// A POST of the object; fields that the server does not know are refused.
Result<net::Request> create_request(const Resource& resource, std::string_view ns,
                                    const Json& object, const CreateOptions& options = {});

}  // namespace trainctl::kube
