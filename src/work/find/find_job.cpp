// Finds jobs by what they, or their pods, are called.
#include "work/find/find_job.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "base/text/text.h"
#include "base/text/words.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "manifest/array.h"
#include "status/judgement.h"
#include "status/ownership.h"
#include "status/projection.h"
#include "work/find/batch_fetch.h"
#include "work/find/lineage.h"
#include "work/find/seen_end.h"

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
    const bool is_graver =
        serious_ && serious_->code == Code::auth && failure.error.code != Code::auth;
    if (!serious_ || is_graver) serious_ = failure.error;
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

// Fetches `listings` and those of the listings_for in parallel.
void list_with(kube::Client& client, std::vector<Listing>& listings, JobListings* around) {
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

Result<Answers> ask_of_kinds(Access& access, const job::Kind* kind, JobListings* around,
                             const std::function<Listing(const job::Kind&)>& listing_of) {
  access.leave_worker();
  TRY_ASSIGN(kube::Client * client, access.client());
  Answers answers{wanted_kinds(access, kind), {}};
  for (const job::Kind* each : answers.kinds) answers.listings.push_back(listing_of(*each));
  list_with(*client, answers.listings, around);
  if (!access.embedded) ask_successors(*client, listing_of, answers);
  return answers;
}

namespace {

// Warns of kinds that could not be read and are left out; an error when no kind is left.
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

// The job a pod belongs to, when the user gave a pod's full name.
Result<std::vector<FoundJob>> job_of_pod(Access& access, const std::string& pod_name) {
  TRY_ASSIGN(kube::Client * client, access.client());
  TRY_ASSIGN(const Json pod, client->get(kube::k_pods, access.ns(), pod_name));
  for (const Json& owner : array_at(pod, "/metadata/ownerReferences")) {
    const job::Kind* kind = job::kind_of(owner);
    if (kind == nullptr) continue;
    TRY_ASSIGN(Json object, client->get(kind->resource, access.ns(), text_at(owner, "/name")));
    return std::vector<FoundJob>{{kind, std::move(object), pod_name}};
  }
  for (const job::Kind& kind : job::kinds()) {
    if (!kind.controller.owns_by_label()) continue;
    const std::string_view job = job::labelled_job(kind, pod);
    if (job.empty()) continue;
    TRY_ASSIGN(Json object, client->get(kind.resource, access.ns(), job));
    return std::vector<FoundJob>{{&kind, std::move(object), pod_name}};
  }
  return Error{Code::not_found, cat("pod ", pod_name, " belongs to no training job"), ""};
}

constexpr std::string_view k_for_pods = "trainctl describe JOB shows a job's pods";
constexpr std::string_view k_for_jobs = "trainctl get shows the jobs of every kind";
constexpr std::string_view k_for_nodes = "trainctl top --nodes shows the nodes";
constexpr Word<std::string_view> k_resources[] = {
    {"pods", k_for_pods},   {"pod", k_for_pods},   {"po", k_for_pods},
    {"jobs", k_for_jobs},   {"job", k_for_jobs},   {"all", k_for_jobs},
    {"nodes", k_for_nodes}, {"node", k_for_nodes}, {"no", k_for_nodes},
};

// The line to type when `name` is no job but a resource that kubectl would list.
std::optional<std::string> line_for_resource(const std::string& name) {
  if (const auto line = value_of(k_resources, name)) return std::string(*line);
  if (const job::Kind* kind = job::find_kind(name)) {
    return cat("trainctl get --kind ", kind->alias, " shows that kind; one job is ", kind->alias,
               "/NAME");
  }
  return std::nullopt;
}

bool is_of_array(const FoundJob& job, std::string_view array) {
  return text_at(job.object, kube::label_pointer(job::k_label_array)) == array;
}

// The array of that name, or what to say where there is no such job.
Result<std::vector<FoundJob>> array_or_nothing(Access& access, const job::JobRef& ref) {
  const std::string what = ref.kind == nullptr ? "job" : std::string(ref.kind->resource.kind);
  Error error{Code::not_found, cat("no ", what, " named ", ref.name, " in namespace ", access.ns()),
              "trainctl get -A lists the jobs of all namespaces"};
  if (auto line = line_for_resource(ref.name)) {
    error.hint = *std::move(line);
    return error;
  }
  auto jobs = list_jobs(access, {ref.kind, false, ""});
  if (!jobs) return jobs.error().code == Code::not_found ? std::move(jobs).error() : error;
  std::vector<std::string> names;
  for (const FoundJob& job : *jobs) names.push_back(job.name());
  std::erase_if(*jobs, [&ref](const FoundJob& job) { return !is_of_array(job, ref.name); });
  if (!jobs->empty()) {
    TRY_ASSIGN(auto members, own_members(access, ref.name, *std::move(jobs)));
    if (ref.replica.empty()) return members;
    return Error{Code::usage,
                 cat(ref.name, " is an array of ", plural(std::ssize(members), "job"),
                     ", each with replicas of its own"),
                 cat("name one of its jobs: ", members.front().name(), '/', ref.replica)};
  }
  const std::string near = nearest(ref.name, names);
  if (!near.empty()) error.hint = cat("did you mean ", near, "?");
  if (!runs_here(access, ref.name).empty()) {
    error.hint = cat("it has run here: trainctl history ", shell_quoted(ref.name));
  }
  const auto number = parse_number<std::int64_t>(ref.name);
  if (!number || !access.history) return error;
  const auto run = access.history->find(*number);
  if (run) error.hint = cat("name the job of run ", *number, ": ", shell_quoted(run->name));
  const bool is_none = !run && run.error().code == Code::not_found;
  if (is_none) error.message += cat(", and no run ", *number, " in the history");
  return error;
}

bool is_empty(const Answers& answers) {
  return std::ranges::all_of(answers.listings,
                             [](const Listing& listing) { return listing.objects.empty(); });
}

// An empty list looks the same where the namespace itself is missing: its name was mistyped. A user
// who may not ask for it gets the list.
Status check_namespace(Access& access) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto asked = client->get(kube::k_namespaces, "", access.ns());
  if (!asked && asked.error().code == Code::not_found) return std::move(asked).error();
  return {};
}

// A Role holds for one namespace.
Error for_one_namespace(Error error) {
  if (error.code == Code::auth) {
    error.hint =
        "trainctl get -n NAMESPACE shows the jobs of one namespace; -A needs a ClusterRole";
  }
  return error;
}

// One listing for each wanted kind, in their order.
Result<Answers> list_kinds(Access& access, const JobQuery& query, JobListings* around = nullptr) {
  TRY_ASSIGN(
      Answers answers, ask_of_kinds(access, query.kind, around, [&](const job::Kind& kind) {
        Listing listing{kind.resource, query.all_namespaces ? "" : access.ns(), {query.labels, ""}};
        listing.first_page_only = query.extent == JobExtent::first;
        if (listing.first_page_only) listing.options.page_size = 1;
        if (query.extent == JobExtent::rows) {
          listing.part = [&kind](Json job) { return job::row_projection(kind, std::move(job)); };
        }
        return listing;
      }));
  Status shortfall = judge_shortfall(access, answers);
  if (!shortfall && query.all_namespaces) return for_one_namespace(std::move(shortfall).error());
  TRY(std::move(shortfall));
  if (!query.all_namespaces && is_empty(answers)) TRY(check_namespace(access));
  return answers;
}

void sort_jobs(std::vector<FoundJob>& jobs) {
  std::ranges::stable_sort(jobs, [](const FoundJob& a, const FoundJob& b) {
    return a.ns() == b.ns() ? comes_before(a.name(), b.name()) : a.ns() < b.ns();
  });
}

// Missing rights do not prevent deriving a job's state, but make it less precise.
Status warn_of_missing(Access& access, const JobListings& around) {
  for (const Listing& listing : around.listings) {
    if (!listing.failure) continue;
    if (&listing == &around.exits() && around.warnings().failure) continue;  // reported already
    if (listing.failure->error.code != Code::auth) return listing.failure->error;
    if (!access.patient) continue;
    access.console.warn(cat("states may be wrong without the ", listing.resource.plural, ": ",
                            listing.failure->error.message));
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
      std::ranges::all_of(jobs, [&](const FoundJob& job) { return job.ns() == first; });
  return same ? first : "";
}

// A job's name begins lines, and is a directory of saved logs. Only a hostile server has one that
// breaks the rules of Kubernetes.
bool has_possible_name(Access& access, const Json& job) {
  const std::string name = text_at(job, "/metadata/name");
  const std::string ns = text_at(job, "/metadata/namespace");
  const bool is_possible =
      kube::k_dns_subdomain.is_form_of(name) && (ns.empty() || kube::k_dns_label.is_form_of(ns));
  if (!is_possible && access.patient)
    access.console.warn(cat("left out a job with an impossible name: ", name));
  return is_possible;
}

Status check_whole(const FoundJob& job, std::string_view text, std::string_view command,
                   std::string_view done) {
  if (job.replica.empty()) return {};
  return Error{Code::usage, cat(text, " is a replica, but only whole jobs can be ", done),
               cat("trainctl ", command, ' ', job.name())};
}

}  // namespace

std::string resource_name(const job::Kind& kind, std::string_view name) {
  return cat(lower(kind.resource.kind), ".", kind.resource.group, "/", name);
}

Result<std::vector<FoundJob>> find_jobs(Access& access, const job::JobRef& ref,
                                        JobListings* around) {
  TRY_ASSIGN(Answers answers, ask_of_kinds(access, ref.kind, around, [&](const job::Kind& kind) {
               return Listing{kind.resource, access.ns(), {}, ref.name};
             }));
  std::vector<FoundJob> found;
  for (std::size_t i = 0; i < answers.kinds.size(); ++i) {
    for (Json& object : answers.listings[i].objects) {
      if (!has_possible_name(access, object)) continue;
      found.push_back({answers.kinds[i], std::move(object), ref.replica});
    }
  }
  TRY(judge_shortfall(access, answers));
  TRY_ASSIGN(kube::Client * client, access.client());
  add_other_pods(*client, kinds_of(found), ref.name, around);
  if (!found.empty()) return found;

  if (around != nullptr) around->listings.clear();
  if (ref.kind == nullptr && ref.replica.empty()) {
    auto by_pod = job_of_pod(access, ref.name);
    if (by_pod || by_pod.error().code != Code::not_found) return by_pod;
  }
  return array_or_nothing(access, ref);
}

Result<job::JobRef> job_ref(std::string_view text, const job::Kind* kind) {
  TRY_ASSIGN(job::JobRef ref, job::parse_job_ref(text));
  if (ref.kind == nullptr) ref.kind = kind;
  return ref;
}

Result<std::vector<FoundJob>> find_job_or_array(Access& access, const job::JobRef& ref,
                                                JobListings* around) {
  TRY_ASSIGN(auto found, find_jobs(access, ref, around));
  if (found.size() == 1 || found.front().name() != ref.name) return found;
  std::vector<std::string> kinds, ways;
  for (const FoundJob& job : found) {
    kinds.emplace_back(job.kind->resource.kind);
    ways.push_back(cat(job.kind->alias, "/", ref.name));
  }
  return Error{Code::usage, cat(ref.name, " is the name of a ", join(kinds, " and of a ")),
               cat("write ", join(ways, " or "))};
}

Result<FoundJob> find_job(Access& access, const job::JobRef& ref, JobListings* around) {
  TRY_ASSIGN(auto found, find_job_or_array(access, ref, around));
  if (found.size() == 1) return std::move(found.front());
  return Error{Code::usage, cat(ref.name, " is an array of ", found.size(), " jobs"),
               cat("name one of them, as in ", found.front().name(), "; trainctl get ", ref.name,
                   " lists them")};
}

Result<FoundJob> find_whole_job(Access& access, std::string_view text, const job::Kind* kind,
                                std::string_view command, std::string_view done) {
  TRY_ASSIGN(const job::JobRef ref, job_ref(text, kind));
  TRY_ASSIGN(FoundJob job, find_job(access, ref));
  TRY(check_whole(job, text, command, done));
  return job;
}

Result<std::vector<FoundJob>> find_whole_jobs(Access& access, std::string_view text,
                                              const job::Kind* kind, std::string_view command,
                                              std::string_view done) {
  TRY_ASSIGN(const job::JobRef ref, job_ref(text, kind));
  TRY_ASSIGN(auto jobs, find_job_or_array(access, ref));
  for (const FoundJob& job : jobs) TRY(check_whole(job, text, command, done));
  return jobs;
}

bool add_members(Access& access, std::vector<std::string>& names, std::size_t at,
                 const job::Kind* kind, const Error& why) {
  if (why.code != Code::usage) return false;
  const auto ref = job_ref(names[at], kind);
  if (!ref) return false;
  const auto jobs = find_job_or_array(access, *ref);
  if (!jobs || jobs->size() < 2) return false;
  std::vector<std::string> members;
  for (const FoundJob& job : *jobs) members.push_back(cat(job.kind->alias, "/", job.name()));
  names.insert(names.begin() + static_cast<std::ptrdiff_t>(at) + 1, members.begin(), members.end());
  return true;
}

Result<std::vector<FoundJob>> find_job_or_array_in_time(Access& access, const job::JobRef& ref) {
  const LimitedCalls limited(access);
  return find_job_or_array(access, ref);
}

Result<std::vector<FoundJob>> list_jobs(Access& access, const JobQuery& query,
                                        JobListings* around) {
  if (around != nullptr && query.extent == JobExtent::rows) {
    around->listings.front().part = job::state_projection;
  }
  TRY_ASSIGN(Answers answers, list_kinds(access, query, around));
  auto& [kinds, listings] = answers;
  std::vector<FoundJob> jobs;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (Json& object : listings[i].objects) {
      if (has_possible_name(access, object)) jobs.push_back({kinds[i], std::move(object), ""});
    }
  }
  TRY_ASSIGN(kube::Client * client, access.client());
  add_other_pods(*client, kinds_of(jobs), "", around);
  sort_jobs(jobs);
  return jobs;
}

Result<std::vector<FoundJob>> labelled_jobs(Access& access, const job::Kind* kind,
                                            const std::string& labels) {
  TRY_ASSIGN(auto jobs, list_jobs(access, {kind, false, labels}));
  if (!jobs.empty()) return jobs;
  return Error{Code::not_found, cat("no jobs with the labels ", labels),
               "trainctl get lists all jobs of the namespace"};
}

Status check_choice(const std::vector<std::string>& names, const std::string& labels) {
  if (names.empty() || labels.empty()) return {};
  return Error{Code::usage, "jobs are chosen by name or by -l, not by both",
               "name jobs, or choose them by -l LABELS"};
}

Result<std::vector<const job::Kind*>> installed_kinds(Access& access, const job::Kind* kind,
                                                      bool all_namespaces) {
  TRY_ASSIGN(const Answers answers,
             list_kinds(access, {kind, all_namespaces, "", JobExtent::first}));
  const auto& [kinds, listings] = answers;
  std::vector<const job::Kind*> installed;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (!listings[i].failure) installed.push_back(kinds[i]);
  }
  return installed;
}

Result<std::vector<job::JobState>> judge_jobs(Access& access, const std::vector<FoundJob>& jobs,
                                              JobListings around) {
  if (jobs.empty()) return std::vector<job::JobState>{};
  if (around.listings.empty()) {
    TRY_ASSIGN(kube::Client * client, access.client());
    const std::string name = jobs.size() == 1 ? jobs[0].name() : "";
    around = listings_for(common_namespace(jobs), name, jobs[0].kind);
    fetch_together(*client, around.listings);
    add_other_pods(*client, kinds_of(jobs), name, &around);
  }
  TRY(warn_of_missing(access, around));
  job::OwnershipIndex all;
  for (const Json& pod : around.pods().objects) all.add_pod(pod);
  for (const Json& event : around.warnings().objects) all.add_event(event);
  for (const Json& event : around.exits().objects) all.add_event(event);
  std::vector<job::JobState> states;
  states.reserve(jobs.size());
  for (const FoundJob& job : jobs) {
    states.push_back(job::judge(all.evidence(*job.kind, job.object)));
  }
  compare_with_history(access, jobs, states);
  return states;
}

}  // namespace trainctl::work
