// A repeated token would be requested again, and so on for ever; so would ever new ones.
#include "kube/client/pages.h"

#include <functional>

#include "base/text/text.h"
#include "kube/client/collection.h"

namespace trainctl::kube {

namespace {

constexpr std::size_t k_most_pages = 500;  // a quarter of a million objects
// A server fills its pages, except for some whose objects are gone meanwhile.
constexpr std::size_t k_thin_pages = 100;
constexpr std::size_t k_objects_of_a_page = 50;
constexpr std::size_t k_value_memory = 64;  // about what a value and its name take

Error broken(std::string_view what) {
  return {Code::unreachable, std::string(what),
          "a server or proxy in between is broken: try another route to the cluster"};
}

}  // namespace

std::size_t memory_of(const Json& value) {
  std::size_t sum = k_value_memory;
  if (const auto* text = value.get_ptr<const std::string*>()) sum += text->size();
  if (!value.is_structured()) return sum;
  for (const Json& each : value) sum += memory_of(each);
  return sum;
}

void Pages::restart() {
  if (together_) *together_ -= memory_;
  *this = Pages(std::move(together_));
}

Error too_many_objects(std::size_t most) {
  return broken(cat("the server reports more than ", most, " objects"));
}

Result<std::string> Pages::token_behind(const Json& page) {
  if (!is_list(page)) return Error{Code::unreachable, "the server sent no list", ""};
  std::string token = text_at(page, "/metadata/continue");
  if (token.empty() && !together_) return token;
  if (!token.empty()) TRY(follow(token));
  TRY(add(page));
  return token;
}

Status Pages::follow(std::string_view token) {
  if (!seen_.insert(std::hash<std::string_view>{}(token)).second) {
    return broken("the list does not end: the server gave the same page token twice");
  }
  if (seen_.size() >= k_most_pages) {
    return broken("the list does not end: the server gave 500 pages, and there are more");
  }
  return {};
}

Status Pages::add(const Json& page) {
  objects_ += array_at(page, "/items").size();
  const std::size_t memory = memory_of(page);
  memory_ += memory;
  if (together_) *together_ += memory;
  if (seen_.size() > k_thin_pages + objects_ / k_objects_of_a_page) {
    return broken(
        "the list does not end: the server gives page after page with hardly any objects");
  }
  if (memory_ > k_most_list_memory) return broken("the list is larger than 4 GiB");
  if (together_ && *together_ > k_most_list_memory) {
    return Error{Code::unreachable, "the lists are together larger than 4 GiB", ""};
  }
  return {};
}

}  // namespace trainctl::kube
