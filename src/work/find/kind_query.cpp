// Kinds that are not installed or not permitted do not prevent the rest.
#include "work/find/kind_query.h"

#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "base/text/text.h"

namespace trainctl::work {
namespace {

// The embedded cluster runs what the training operator runs. Successors of kinds are asked for
// where a cluster lacks the kind.
std::vector<const job::Kind*> wanted_kinds(const Access& access, const job::Kind* kind) {
  if (kind != nullptr) return {kind};
  if (!access.embedded) return job::first_versions();
  std::vector<const job::Kind*> all;
  for (const job::Kind& each : job::operator_kinds()) all.push_back(&each);
  return all;
}

Error nothing_installed() {
  return {Code::not_found, "this cluster knows none of the training job kinds",
          "install the Kubeflow training operator: kubectl apply --server-side -k "
          "'github.com/kubeflow/training-operator.git/manifests/overlays/standalone?ref=v1.9.0'"};
}

// Decides what to do about kinds that could not be listed when others could.
class Shortfall {
 public:
  void add(const job::Kind& kind, const kube::Failure& failure) {
    ++failures_;
    if (kind_missing(failure)) {
      if (!missing_) missing_ = failure.error;
      return;
    }
    if (!serious_ || serious_->code == Code::auth) serious_ = failure.error;
    if (failure.refusal.status == 403) forbidden_.push_back(&kind);
  }
  void add_answer(const job::Kind& kind) { seen_groups_.insert(kind.resource.group); }

  // `asked` is the total number of kinds. Warns about omitted kinds; an error when none is left.
  Status judge(Access& access, std::size_t asked) const {
    if (failures_ == 0) return {};
    if (serious_ && serious_->code != Code::auth) return *serious_;
    if (failures_ == asked && serious_) return *serious_;
    if (failures_ == asked) return asked == 1 ? *missing_ : nothing_installed();
    std::vector<std::string> plurals;
    for (const job::Kind* kind : forbidden_) {
      if (seen_groups_.contains(kind->resource.group)) plurals.emplace_back(kind->resource.plural);
    }
    if (!plurals.empty() && access.patient) {
      access.console.warn(cat("not permitted to see ", join(plurals, ", "), ": left out"));
    }
    return {};
  }

 private:
  std::size_t failures_ = 0;
  std::optional<Error> missing_, serious_;
  // A forbidden group may not even be installed: a user who has rights for the other generation of
  // jobs gets no warning.
  std::vector<const job::Kind*> forbidden_;
  std::set<std::string_view> seen_groups_;
};

// Fetches `listings` and those of the surroundings in parallel.
void list_with(kube::Client& client, std::vector<Listing>& listings, Surroundings* around) {
  if (around == nullptr) return fetch_together(client, listings);
  const auto own = static_cast<std::ptrdiff_t>(listings.size());
  std::move(around->listings.begin(), around->listings.end(), std::back_inserter(listings));
  fetch_together(client, listings);
  around->listings.assign(std::make_move_iterator(listings.begin() + own),
                          std::make_move_iterator(listings.end()));
  listings.resize(static_cast<std::size_t>(own));
}

// Kinds that the cluster lacks give way to their successors, where it has these.
void ask_successors(kube::Client& client,
                    const std::function<Listing(const job::Kind&)>& listing_of, Answers& answers) {
  std::vector<Listing> others;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < answers.kinds.size(); ++i) {
    const job::Kind* successor = job::successor_of(*answers.kinds[i]);
    const auto& failure = answers.listings[i].failure;
    if (successor == nullptr || !failure || !kind_missing(*failure)) continue;
    others.push_back(listing_of(*successor));
    places.push_back(i);
  }
  fetch_together(client, others);
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i].failure && kind_missing(*others[i].failure)) continue;
    const job::Kind*& kind = answers.kinds[places[i]];
    kind = job::successor_of(*kind);
    answers.listings[places[i]] = std::move(others[i]);
  }
}

}  // namespace

Result<Answers> ask_of_kinds(Access& access, const job::Kind* kind, Surroundings* around,
                             const std::function<Listing(const job::Kind&)>& listing_of) {
  TRY_ASSIGN(kube::Client * client, access.client());
  Answers answers{wanted_kinds(access, kind), {}};
  for (const job::Kind* each : answers.kinds) answers.listings.push_back(listing_of(*each));
  list_with(*client, answers.listings, around);
  if (!access.embedded) ask_successors(*client, listing_of, answers);
  return answers;
}

Status judge_shortfall(Access& access, const Answers& answers) {
  Shortfall shortfall;
  for (std::size_t i = 0; i < answers.kinds.size(); ++i) {
    const auto& failure = answers.listings[i].failure;
    if (failure && !object_missing(*failure)) {
      shortfall.add(*answers.kinds[i], *failure);
    } else {
      shortfall.add_answer(*answers.kinds[i]);
    }
  }
  return shortfall.judge(access, answers.kinds.size());
}

}  // namespace trainctl::work
