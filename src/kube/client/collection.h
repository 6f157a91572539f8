// Requests about all objects of a kind: pages of a list, and a watch.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
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

// The limit for one list, and for all lists that share ListOptions::together.
inline constexpr std::size_t k_most_list_memory = std::size_t{4} << 30;

// Estimates the bytes that an answer takes in memory.
std::size_t memory_of(const Json& value);

// The error of a watch that reports ever more objects.
Error too_many_objects(std::size_t most);

class Pages {
 public:
  Pages() = default;
  explicit Pages(std::shared_ptr<std::size_t> together) : together_(std::move(together)) {}
  // The token of the next page; "" = this was the last. Code::unreachable for an answer that is not
  // a list, for a token that was given before, and for a list without end: with more pages, more
  // nearly empty pages or more memory than a list of 100,000 large jobs has.
  Result<std::string> token_behind(const Json& page);
  // Starts over, and drops everything read so far.
  void restart();
  // Checks a token as token_behind does, for a page that was read elsewhere.
  Status follow(std::string_view token);

 private:
  Status add(const Json& page);

  std::shared_ptr<std::size_t> together_;
  std::size_t objects_ = 0;
  std::size_t memory_ = 0;
  std::unordered_set<std::size_t> seen_;  // hashes, since tokens may be as long as an answer
};

}  // namespace trainctl::kube
