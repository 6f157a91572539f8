// Bounds each question: a check that takes long helps nobody.
#include "work/check/round.h"

#include <algorithm>
#include <utility>

namespace trainctl::work {
namespace {

constexpr Duration k_check_patience = std::chrono::seconds(10);

bool is_silent(const kube::Failure& failure) {
  return failure.error.code == Code::unreachable;
}

}  // namespace

void Round::add(Listing listing, std::function<void(const Listing&)> judge) {
  listing.patience = k_check_patience;
  listings_.push_back(std::move(listing));
  listing_judges_.push_back(std::move(judge));
}

void Round::add(net::Request request,
                std::function<void(const std::variant<Json, kube::Failure>&)> judge) {
  request.timeout = k_check_patience;
  request.owner_retries = true;  // one attempt
  calls_.push_back({std::move(request)});
  call_judges_.push_back(std::move(judge));
}

void Round::ask(kube::Client& client) {
  fetch_together(client, listings_, &calls_);
  for (std::size_t at = 0; at < listings_.size(); ++at) listing_judges_[at](listings_[at]);
  for (std::size_t at = 0; at < calls_.size(); ++at) call_judges_[at](calls_[at].answer);
}

std::optional<Error> Round::silence() const {
  std::optional<Error> first;
  for (const Listing& listing : listings_) {
    if (!listing.failure || !is_silent(*listing.failure)) return std::nullopt;
    if (!first) first = listing.failure->error;
  }
  for (const Call& call : calls_) {
    const auto* failure = std::get_if<kube::Failure>(&call.answer);
    if (failure == nullptr || !is_silent(*failure)) return std::nullopt;
    if (!first) first = failure->error;
  }
  return first;
}

}  // namespace trainctl::work
