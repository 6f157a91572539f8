// Asks a cluster several questions in one round trip, each with a callback for its answer.
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "kube/client/client.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {

class Round {
 public:
  void add(Listing listing, std::function<void(const Listing&)> judge);
  void add(net::Request request,
           std::function<void(const std::variant<Json, kube::Failure>&)> judge);

  bool empty() const { return listings_.empty() && calls_.empty(); }
  // Asks everything in one round trip, and hands over the answers in the order of add(), those of
  // listings first.
  void ask(kube::Client& client);
  // The first failure when no question was answered at all.
  std::optional<Error> silence() const;

 private:
  std::vector<Listing> listings_;
  std::vector<std::function<void(const Listing&)>> listing_judges_;
  std::vector<Call> calls_;
  std::vector<std::function<void(const std::variant<Json, kube::Failure>&)>> call_judges_;
};

}  // namespace trainctl::work
