// Asks a cluster about several kinds of jobs at once.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "job/kind/kind.h"
#include "work/access.h"
#include "work/find/batch_fetch.h"
#include "work/find/surroundings.h"

namespace trainctl::work {

// What a cluster says of several kinds: a listing for each.
struct Answers {
  std::vector<const job::Kind*> kinds;
  std::vector<Listing> listings;
};

// Asks of one kind, or of all (null), in parallel; `listing_of` says what. Where the cluster lacks
// a kind and has its successor, the answer is the successor's. `around` is filled in parallel.
Result<Answers> ask_of_kinds(Access& access, const job::Kind* kind, Surroundings* around,
                             const std::function<Listing(const job::Kind&)>& listing_of);

// What is to be done about kinds that could not be read: warns of those that are left out; an error
// when nothing is left.
Status judge_shortfall(Access& access, const Answers& answers);

}  // namespace trainctl::work
