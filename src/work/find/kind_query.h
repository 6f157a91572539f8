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

// A cluster's answer about several kinds: a listing for each.
struct Answers {
  std::vector<const job::Kind*> kinds;
  std::vector<Listing> listings;
};

// Asks of one kind, or of all (null), in parallel; `listing_of` makes the request for a kind. If
// the cluster lacks a kind and has its successor, the successor answers. `around` is filled in
// parallel.
Result<Answers> ask_of_kinds(Access& access, const job::Kind* kind, Surroundings* around,
                             const std::function<Listing(const job::Kind&)>& listing_of);

// Warns of kinds that could not be read and are left out; an error when no kind is left.
Status judge_shortfall(Access& access, const Answers& answers);

}  // namespace trainctl::work
