// The way from page to page of a list, which a server must not make endless.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/json.h"
#include "base/result.h"

namespace trainctl::kube {

class Pages {
 public:
  // Of the next page; "" = this was the last. Code::unreachable for what is no list, for a token
  // that was given before, and for more pages than a cluster has objects.
  Result<std::string> token_behind(const Json& page);
  Status follow(std::string_view token);

 private:
  std::unordered_set<std::size_t> seen_;  // hashes: tokens may be as long as an answer
};

}  // namespace trainctl::kube
