// Follows a list from page to page, and stops when a server makes the list or a watch endless.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::kube {

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
