// Creates a job, and handles the three other outcomes: the name is taken, the answer is lost, the
// server refuses.
#include "work/create/create.h"

#include <set>

#include "base/text/text.h"
#include "base/text/time.h"
#include "kube/object/metadata.h"
#include "manifest/kind/names.h"
#include "manifest/kind/replica.h"
#include "manifest/rerun.h"
#include "status/ownership.h"
#include "status/workload.h"
#include "work/create/companions.h"
#include "work/create/marked_create.h"
#include "work/create/removal.h"
#include "work/find/default_job.h"
#include "work/find/find_job.h"
#include "work/find/lineage.h"

namespace trainctl::work {
namespace {

std::string phase_of(Access& access, const FoundJob& job) {
  const auto states = judge_jobs(access, {job});
  return states ? std::string(job::phase_name(states->front().phase)) : "";
}

}  // namespace

std::string describe_namesake(Access& access, const FoundJob& job) {
  std::string text = phase_of(access, job);
  const auto created = parse_time(text_at(job.object, "/metadata/creationTimestamp"));
  if (created) {
    text +=
        cat(text.empty() ? "" : ", ", "created ", format_age(access.loop.now() - *created), " ago");
  }
  const std::string owner = owner_of(job.object);
  if (!owner.empty()) text += cat(" by ", owner);
  return printable_line(text);
}

namespace {

// Refuses a job whose pods could not be created, because pods of another owner have their names,
// mostly those of a job of another kind and this name: the server would accept the job, and it
// would wait for ever. One request.
Status check_pod_names(Access& access, const Manifest& manifest) {
  const std::string name = text_at(manifest.object, "/metadata/name");
  // No pods are in the way when the job's name or its pods' names are generated.
  const job::PodNaming& naming = manifest.kind->controller.pod_naming;
  if (name.empty() || (naming.random_tail > 0 && naming.tail_behind_index)) return {};
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> pods = {pods_listing(manifest.ns, nullptr, name)};
  fetch_together(*client, pods);
  if (pods[0].failure) {
    // A user who may not list pods may still create jobs.
    if (pods[0].failure->error.code == Code::auth) return {};
    return pods[0].failure->error;
  }
  std::set<std::string> wanted;
  for (const job::ReplicaId& replica : job::expected_replicas(*manifest.kind, manifest.object)) {
    wanted.insert(job::pod_name(*manifest.kind, name, replica));
  }
  for (const Json& pod : pods[0].objects) {
    if (!wanted.contains(text_at(pod, "/metadata/name"))) continue;
    job::TakenName taken = job::describe_taken_name(*manifest.kind, manifest.object, pod);
    if (!taken.passes) return Error{Code::refused, std::move(taken.message), std::move(taken.hint)};
  }
  return {};
}

constexpr Duration k_cache_patience = std::chrono::seconds(10);

// The runtime that comes with the job and that its refusal calls missing; null for other refusals.
const job::DependentObject* missed_runtime(const Error& error, const Manifest& manifest) {
  const bool names_one =
      text_at(manifest.object, "/spec/runtimeRef/kind") == job::k_training_runtimes.kind;
  if (error.code != Code::refused || !names_one) return nullptr;
  for (const job::DependentObject& companion : manifest.companions) {
    if (companion.resource.plural != job::k_training_runtimes.plural) continue;
    // Trainer quotes the name as Go does, Kueue as a person.
    for (const char quote : {'"', '\''}) {
      const std::string missing = cat(quote, companion.name(), quote, " not found");
      if (error.message.find(missing) != std::string::npos) return &companion;
    }
  }
  return nullptr;
}

class Creation {
 public:
  Creation(Access& access, kube::Client& client, const Manifest& manifest,
           std::optional<IfExists> if_exists, const CreateLimits& limits)
      : access_(access),
        client_(client),
        manifest_(manifest),
        if_exists_(if_exists),
        limits_(limits),
        name_(text_at(manifest.object, "/metadata/name")),
        mark_(access.unique_id()),
        transaction_(access, manifest.ns),
        companions_(access, client, manifest, mark_, transaction_, if_exists) {}

  Result<Created> run() {
    TRY_ASSIGN(Json created, attempt());
    if (!taken_) return Created{std::move(created)};
    if (is_forgery()) return not_a_run();
    if (if_exists_ != IfExists::replace) companions_.adopt(*taken_);
    switch (if_exists_.value_or(IfExists::fail)) {
      case IfExists::fail:
        return name_taken();
      case IfExists::skip:
        return keep(limits_.stays ? "; following it as it is" : "; left as it is");
      case IfExists::attach:
        return keep("; attaching to it: the flags typed here do not change it");
      case IfExists::replace:
        break;
    }
    return replace();
  }

 private:
  Result<Created> keep(std::string_view what_becomes_of_it) {
    access_.console.notice(cat(title(), " already exists (", namesake(), ")", what_becomes_of_it));
    return Created{std::move(*taken_), false};
  }

  // Others may replace the job at the same time: the last one to create it gets the name. Each of
  // them creates once, so this terminates.
  Result<Created> replace() {
    for (int round = 0; round < k_rivals; ++round) {
      TRY(companions_.check_replaceable(*taken_));
      TRY(prepare());
      access_.console.notice(cat(title(), " already exists (", namesake(), "); replacing it"));
      std::vector<FoundJob> old = attempts_after(access_, {manifest_.kind, *taken_, ""});
      for (const FoundJob& attempt : old) {
        access_.console.notice(cat("deleting ", attempt.name(), ", a later attempt at it"));
      }
      old.push_back({manifest_.kind, *taken_, ""});
      for (const FoundJob& job : old) TRY(remove_job(access_, *job.kind, job.object));
      for (const FoundJob& job : old) {
        const Status gone = wait_until_gone(access_, *job.kind, job.object);
        if (!gone) return never_replaced(gone.error());
      }
      taken_.reset();
      TRY_ASSIGN(Json created, attempt());
      if (!taken_) return Created{std::move(created)};
    }
    return Error{Code::refused,
                 cat(title(), " was recreated by someone else each time it was deleted"),
                 "choose another --name, or find out who submits a job of this name"};
  }

  // The old job is deleted by then, even if creating the new one fails.
  Error never_replaced(Error why) const {
    why.message += cat("; ", title(), " was deleted, and the new one was not created");
    if (why.code == Code::timeout) why.hint = "submit it again, with a longer --timeout";
    return why;
  }

  // Creates the job and its companions, and returns the job; null, with taken_ set, when somebody
  // else's job has the name.
  Result<Json> attempt() {
    if (companions_.any() || limits_.prepare) {
      TRY(look_for_namesake());
      if (taken_) return Json();
      TRY(prepare());
      Status made = companions_.create();
      if (!made) return transaction_.roll_back(std::move(made).error());
    }
    Outcome outcome = send_job();
    if (auto* failed = std::get_if<NotMade>(&outcome)) {
      return failed->unknown ? transaction_.leave(std::move(failed->error))
                             : transaction_.roll_back(std::move(failed->error));
    }
    if (auto* taken = std::get_if<Taken>(&outcome)) {
      taken_ = std::move(taken->object);
      transaction_.roll_back();
      return Json();
    }
    Json job = std::move(std::get<Made>(outcome).object);
    // A job whose config maps would outlive it is not what was asked for.
    transaction_.add_job(resource_name(*manifest_.kind, text_at(job, "/metadata/name")),
                         [this, job] { return remove_job(access_, *manifest_.kind, job); });
    if (Status owned = companions_.own(job); !owned) {
      return transaction_.roll_back(std::move(owned).error());
    }
    if (job::is_dispatched(job)) warn_of_worker();
    return job;
  }

  // Kueue copies the job, and nothing that it names.
  void warn_of_worker() const {
    if (manifest_.companions.empty()) return;
    std::vector<std::string> titles;
    for (const job::DependentObject& one : manifest_.companions) titles.push_back(one.title());
    access_.console.warn(cat("MultiKueue copies the job alone to its worker cluster, where ",
                             join(titles, ", "), " must exist as well"));
  }

  Status prepare() const { return limits_.prepare ? limits_.prepare() : Status(); }

  // Trainer and Kueue look for a runtime in a cache, which may not hold one that is a moment old.
  Outcome send_job() {
    const Json owned = with_proof(access_, *manifest_.kind, manifest_.ns,
                                  with_owner(manifest_.object, access_.user_name()), mark_);
    name_ = text_at(owned, "/metadata/name");
    const auto end = access_.loop.now() + k_cache_patience;
    for (bool told = false;; told = true) {
      Outcome outcome = create_marked(
          access_, client_,
          {manifest_.kind->resource, manifest_.ns, owned, mark_, "job", "trainctl get"});
      const auto* failed = std::get_if<NotMade>(&outcome);
      const auto* runtime = failed ? missed_runtime(failed->error, manifest_) : nullptr;
      if (runtime == nullptr || access_.loop.now() >= end) return outcome;
      if (!told) {
        access_.console.notice(
            cat("the cluster does not know ", runtime->title(), " yet; trying again"));
      }
      if (!client_.pause(k_removal_poll)) return outcome;
    }
  }

  // Checks the name before creating companions.
  Status look_for_namesake() {
    if (name_.empty()) return {};
    auto found = client_.get(manifest_.kind->resource, manifest_.ns, name_);
    if (found) taken_ = *std::move(found);
    return found || found.error().code == Code::not_found ? Status() : Status(found.error());
  }

  std::string title() const { return cat(lower(manifest_.kind->resource.kind), " ", name_); }

  std::string namesake() const { return describe_namesake(access_, {manifest_.kind, *taken_, ""}); }

  // The name of another run follows from a uid that everybody can read.
  bool is_forgery() const {
    const bool is_rerun =
        !text_at(manifest_.object, kube::annotation_pointer(job::k_rerun_annotation)).empty();
    return is_rerun && if_exists_ != IfExists::replace &&
           !has_proof(access_, {manifest_.kind, *taken_, ""});
  }

  Error not_a_run() const {
    return {Code::refused,
            cat(title(), " already exists (", namesake(), "), but was not submitted from here"),
            cat("check who made it: trainctl describe ", name_,
                "; if you do not need it: trainctl delete ", name_)};
  }

  Error name_taken() const {
    return {Code::refused,
            cat(title(), " already exists in namespace ", manifest_.ns, " (", namesake(), ")"),
            if_exists_ ? "choose another --name, or --if-exists=replace|attach|skip"
                       : "choose another --name"};
  }

  Access& access_;
  kube::Client& client_;
  const Manifest& manifest_;
  std::optional<IfExists> if_exists_;
  const CreateLimits& limits_;
  std::string name_;  // "" when the server generates one
  std::string mark_;
  Transaction transaction_;
  Companions companions_;
  std::optional<Json> taken_;
};

Result<Json> dry_run_on_server(kube::Client& client, const kube::Resource& resource,
                               const std::string& ns, const Json& object) {
  kube::CreateOptions options;
  options.dry_run = true;
  auto answer = client.create(resource, ns, object, options);
  if (auto* failure = std::get_if<kube::Failure>(&answer)) return std::move(failure->error);
  return std::get<Json>(std::move(answer));
}

}  // namespace

Result<Created> create_job(Access& access, const Manifest& manifest,
                           std::optional<IfExists> if_exists, const CreateLimits& limits) {
  TRY_ASSIGN(kube::Client * client, access.client());
  TRY_ASSIGN(Created created, Creation(access, *client, manifest, if_exists, limits).run());
  // Hints and commands for a CI system will contain the name.
  const std::string name = text_at(created.object, "/metadata/name");
  if (const auto fault = job::object_name_fault(name); !fault.empty()) {
    return Error{Code::error, cat("the server answers with a job called \"", name, "\": ", fault),
                 "check that --context or --server names the right cluster"};
  }
  return created;
}

Result<Manifest> dry_run_on_server(Access& access, const Manifest& manifest) {
  TRY_ASSIGN(kube::Client * client, access.client());
  Manifest admitted = manifest;
  for (job::DependentObject& companion : admitted.companions) {
    auto object = dry_run_on_server(*client, companion.resource, manifest.ns, companion.object);
    // Another job has brought the same content.
    const bool is_there = !object && companion.sharing == job::Sharing::by_content &&
                          object.error().code == Code::refused;
    if (is_there) continue;
    if (!object) return companion_refused(companion, std::move(object).error());
    companion.object = *std::move(object);
  }
  auto object = dry_run_on_server(*client, manifest.kind->resource, manifest.ns, manifest.object);
  if (object) {
    admitted.object = *std::move(object);
  } else if (const auto* runtime = missed_runtime(object.error(), manifest)) {
    // A dry run creates nothing that the job's own check could find.
    access.console.notice(cat("the cluster cannot check the ", text_at(manifest.object, "/kind"),
                              " further until ", runtime->title(), " exists"));
  } else {
    return std::move(object).error();
  }
  TRY(check_pod_names(access, manifest));
  return admitted;
}

}  // namespace trainctl::work
