// A repeated token would be requested again, and so on for ever.
#include "kube/pages.h"

#include <functional>

#include "kube/collection.h"

namespace trainctl::kube {

namespace {

constexpr std::size_t k_most_pages = 2000;  // a million objects

}  // namespace

Result<std::string> Pages::token_behind(const Json& page) {
  if (!is_list(page)) return Error{Code::unreachable, "the server sent no list", ""};
  std::string token = text_at(page, "/metadata/continue");
  if (!token.empty()) TRY(follow(token));
  return token;
}

Status Pages::follow(std::string_view token) {
  const auto broken = [](std::string_view what) {
    return Error{Code::unreachable, std::string(what),
                 "a server or proxy on the way is broken: try another way to the cluster"};
  };
  if (!seen_.insert(std::hash<std::string_view>{}(token)).second) {
    return broken("the list does not end: the server gave the same page token twice");
  }
  if (seen_.size() >= k_most_pages) {
    return broken("the list does not end: the server gave 2000 pages, and there are more");
  }
  return {};
}

}  // namespace trainctl::kube
