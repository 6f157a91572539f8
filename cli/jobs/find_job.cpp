// Searches all kinds in parallel; kinds that are not installed or not permitted do not prevent the
// rest.
#include "cli/jobs/find_job.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/jobs/batch_fetch.h"
#include "cli/synonyms.h"
#include "job/status/ownership_index.h"
#include "kube/metadata.h"
#include "kube/names.h"

namespace trainctl::cli {
namespace {

// The embedded cluster runs what the training operator runs.
std::vector<const job::Kind*> wanted_kinds(const Context& context, const job::Kind* kind) {
  if (kind != nullptr) return {kind};
  std::vector<const job::Kind*> all;
  for (const job::Kind& each : context.local.chosen ? job::operator_kinds() : job::kinds()) {
    all.push_back(&each);
  }
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
  Status judge(Context& context, std::size_t asked) const {
    if (failures_ == 0) return {};
    if (serious_ && serious_->code != Code::auth) return *serious_;
    if (failures_ == asked && serious_) return *serious_;
    if (failures_ == asked) return asked == 1 ? *missing_ : nothing_installed();
    std::vector<std::string> plurals;
    for (const job::Kind* kind : forbidden_) {
      if (seen_groups_.contains(kind->resource.group)) plurals.emplace_back(kind->resource.plural);
    }
    if (!plurals.empty()) {
      context.console.warn(cat("not permitted to see ", join(plurals, ", "), ": left out"));
    }
    return {};
  }

 private:
  std::size_t failures_ = 0;
  std::optional<Error> missing_, serious_;
  // A whole group that is forbidden may not even be installed: whoever has rights for the other
  // generation of jobs alone is not told of it.
  std::vector<const job::Kind*> forbidden_;
  std::set<std::string_view> seen_groups_;
};

// The job a pod belongs to, when the user gave a pod's full name.
Result<std::vector<FoundJob>> job_of_pod(Context& context, const std::string& pod_name) {
  TRY_ASSIGN(kube::Client * client, context.client());
  TRY_ASSIGN(const Json pod, client->get(kube::k_pods, context.ns(), pod_name));
  for (const Json& owner : array_at(pod, "/metadata/ownerReferences")) {
    const job::Kind* kind = job::kind_of(owner);
    if (kind == nullptr) continue;
    TRY_ASSIGN(Json object, client->get(kind->resource, context.ns(), text_at(owner, "/name")));
    return std::vector<FoundJob>{{kind, std::move(object), pod_name}};
  }
  for (const job::Kind* kind : wanted_kinds(context, nullptr)) {
    if (!kind->owns_by_label()) continue;
    const std::string job = text_at(pod, kube::label_pointer(kind->labels.job));
    if (job.empty()) continue;
    TRY_ASSIGN(Json object, client->get(kind->resource, context.ns(), job));
    return std::vector<FoundJob>{{kind, std::move(object), pod_name}};
  }
  return Error{Code::not_found, cat("pod ", pod_name, " belongs to no training job"), ""};
}

Error no_such_job(Context& context, const job::JobRef& ref) {
  const std::string what = ref.kind == nullptr ? "job" : std::string(ref.kind->resource.kind);
  Error error{Code::not_found,
              cat("no ", what, " named ", ref.name, " in namespace ", context.ns()),
              "trainctl get -A lists the jobs of all namespaces"};
  if (auto line = line_for_resource(ref.name)) {
    error.hint = *std::move(line);
    return error;
  }
  const auto jobs = list_jobs(context, {ref.kind, false, ""});
  if (!jobs) return error;
  std::vector<std::string> names;
  for (const FoundJob& job : *jobs) names.push_back(job.name());
  const std::string near = nearest(ref.name, names);
  if (!near.empty()) error.hint = cat("did you mean ", near, "?");
  return error;
}

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

// One listing for each wanted kind, in their order.
Result<std::vector<Listing>> list_kinds(Context& context, const JobQuery& query,
                                        Surroundings* around = nullptr) {
  TRY_ASSIGN(kube::Client * client, context.client());
  const auto kinds = wanted_kinds(context, query.kind);
  std::vector<Listing> listings;
  for (const job::Kind* kind : kinds) {
    Listing listing{kind->resource, query.all_namespaces ? "" : context.ns(), {query.labels, ""}};
    if (query.first_only) listing.options.page_size = 1;
    listing.first_page_only = query.first_only;
    listings.push_back(std::move(listing));
  }
  list_with(*client, listings, around);
  Shortfall shortfall;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (listings[i].failure) {
      shortfall.add(*kinds[i], *listings[i].failure);
    } else {
      shortfall.add_answer(*kinds[i]);
    }
  }
  TRY(shortfall.judge(context, kinds.size()));
  return listings;
}

void sort_jobs(std::vector<FoundJob>& jobs) {
  std::stable_sort(jobs.begin(), jobs.end(), [](const FoundJob& a, const FoundJob& b) {
    return std::pair(a.ns(), a.name()) < std::pair(b.ns(), b.name());
  });
}

// Missing rights do not prevent deriving a job's state, but make it less precise.
Status warn_of_missing(Context& context, const Surroundings& around) {
  for (const Listing& listing : around.listings) {
    if (!listing.failure) continue;
    if (&listing == &around.exits() && around.warnings().failure) continue;  // reported already
    if (listing.failure->error.code != Code::auth) return listing.failure->error;
    context.console.warn(
        cat("judged without the ", listing.resource.plural, ": ", listing.failure->error.message));
  }
  return {};
}

std::vector<const job::Kind*> kinds_of(const std::vector<FoundJob>& jobs) {
  std::vector<const job::Kind*> kinds;
  for (const FoundJob& job : jobs) kinds.push_back(job.kind);
  return kinds;
}

std::string common_namespace(const std::vector<FoundJob>& jobs) {
  const std::string first = jobs.front().ns();
  const bool same =
      std::all_of(jobs.begin(), jobs.end(), [&](const FoundJob& job) { return job.ns() == first; });
  return same ? first : "";
}

// A job's name begins lines, and is a directory of saved logs. Only a hostile server has one that
// breaks the rules of Kubernetes.
bool has_possible_name(Context& context, const Json& job) {
  const std::string name = text_at(job, "/metadata/name");
  const std::string ns = text_at(job, "/metadata/namespace");
  const bool is_possible =
      kube::k_dns_subdomain.is_form_of(name) && (ns.empty() || kube::k_dns_label.is_form_of(ns));
  if (!is_possible && context.patient)
    context.console.warn(cat("left out a job with an impossible name: ", name));
  return is_possible;
}

}  // namespace

std::string resource_name(const job::Kind& kind, std::string_view name) {
  return cat(lower(kind.resource.kind), ".", kind.resource.group, "/", name);
}

Result<std::vector<FoundJob>> find_jobs(Context& context, const job::JobRef& ref,
                                        Surroundings* around) {
  TRY_ASSIGN(kube::Client * client, context.client());
  const auto kinds = wanted_kinds(context, ref.kind);
  std::vector<Listing> listings;
  listings.reserve(kinds.size());
  for (const job::Kind* kind : kinds) {
    listings.push_back({kind->resource, context.ns(), {}, ref.name});
  }
  list_with(*client, listings, around);
  std::vector<FoundJob> found;
  Shortfall shortfall;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (Json& object : listings[i].objects) {
      if (!has_possible_name(context, object)) continue;
      found.push_back({kinds[i], std::move(object), ref.replica});
    }
    const auto& failure = listings[i].failure;
    if (failure && !object_missing(*failure)) {
      shortfall.add(*kinds[i], *failure);
    } else {
      shortfall.add_answer(*kinds[i]);
    }
  }
  TRY(shortfall.judge(context, kinds.size()));
  add_other_pods(*client, kinds_of(found), ref.name, around);
  if (!found.empty()) return found;

  if (ref.kind == nullptr && ref.replica.empty()) {
    if (around != nullptr) around->listings.clear();
    auto by_pod = job_of_pod(context, ref.name);
    if (by_pod || by_pod.error().code != Code::not_found) return by_pod;
  }
  return no_such_job(context, ref);
}

Result<job::JobRef> job_ref(std::string_view text, const job::Kind* kind) {
  TRY_ASSIGN(job::JobRef ref, job::parse_job_ref(text));
  if (ref.kind == nullptr) ref.kind = kind;
  return ref;
}

Result<FoundJob> find_job(Context& context, const job::JobRef& ref, Surroundings* around) {
  TRY_ASSIGN(auto found, find_jobs(context, ref, around));
  if (found.size() == 1) return std::move(found.front());
  std::vector<std::string> kinds, ways;
  for (const FoundJob& job : found) {
    kinds.emplace_back(job.kind->resource.kind);
    ways.push_back(cat(job.kind->alias, "/", ref.name));
  }
  return Error{Code::usage, cat(ref.name, " is the name of a ", join(kinds, " and of a ")),
               cat("write ", join(ways, " or "))};
}

Result<std::vector<FoundJob>> list_jobs(Context& context, const JobQuery& query,
                                        Surroundings* around) {
  TRY_ASSIGN(auto listings, list_kinds(context, query, around));
  const auto kinds = wanted_kinds(context, query.kind);
  std::vector<FoundJob> jobs;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (Json& object : listings[i].objects) {
      if (has_possible_name(context, object)) jobs.push_back({kinds[i], std::move(object), ""});
    }
  }
  TRY_ASSIGN(kube::Client * client, context.client());
  add_other_pods(*client, kinds_of(jobs), "", around);
  sort_jobs(jobs);
  return jobs;
}

Result<std::vector<const job::Kind*>> installed_kinds(Context& context, const job::Kind* kind,
                                                      bool all_namespaces) {
  TRY_ASSIGN(const auto listings, list_kinds(context, {kind, all_namespaces, "", true}));
  const auto kinds = wanted_kinds(context, kind);
  std::vector<const job::Kind*> installed;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!listings[i].failure) installed.push_back(kinds[i]);
  }
  return installed;
}

Result<std::vector<job::JobState>> judge_jobs(Context& context, const std::vector<FoundJob>& jobs,
                                              Surroundings around) {
  if (jobs.empty()) return std::vector<job::JobState>{};
  if (around.listings.empty()) {
    TRY_ASSIGN(kube::Client * client, context.client());
    const std::string name = jobs.size() == 1 ? jobs[0].name() : "";
    around = surroundings(common_namespace(jobs), name, jobs[0].kind);
    fetch_together(*client, around.listings);
    add_other_pods(*client, kinds_of(jobs), name, &around);
  }
  TRY(warn_of_missing(context, around));
  job::OwnershipIndex all;
  for (const Json& pod : around.pods().objects) all.add_pod(pod);
  for (const Json& event : around.warnings().objects) all.add_event(event);
  for (const Json& event : around.exits().objects) all.add_event(event);
  std::vector<job::JobState> states;
  states.reserve(jobs.size());
  for (const FoundJob& job : jobs) {
    states.push_back(job::judge(all.evidence(*job.kind, job.object)));
  }
  return states;
}

}  // namespace trainctl::cli
