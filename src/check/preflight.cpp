// Collects what a cluster knows about a job's surroundings; src/check judges it.
#include "check/preflight.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/text.h"
#include "check/finding.h"
#include "check/judges.h"
#include "kube/client/client.h"
#include "kube/client/collection.h"
#include "kube/client/discovery.h"
#include "manifest/companions.h"
#include "manifest/manifest.h"
#include "manifest/needed_objects.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {
namespace {

// Asks a cluster several questions in one round trip, each with a callback for its answer.
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

constexpr Duration k_check_patience = std::chrono::seconds(10);

bool is_silent(const kube::Failure& failure) {
  return failure.error.code == Code::unreachable;
}

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

using job::Finding;
using job::Findings;
using job::Severity;
using kube::Failure;

constexpr kube::Resource k_quotas{"", "v1", "resourcequotas", "ResourceQuota"};
constexpr kube::Resource k_storage_classes{"storage.k8s.io", "v1", "storageclasses",
                                           "StorageClass"};
constexpr std::string_view k_queue_versions[] = {"v1beta2", "v1beta1"};

Finding unasked(const std::string& subject, const std::string& message, const std::string& right) {
  Finding finding{Severity::unchecked, subject, message, cat("needs the right to ", right)};
  finding.right = right;
  return finding;
}

class Checking {
 public:
  Checking(Access& access, kube::Client& client, const Manifest& manifest, Before before,
           const std::vector<job::NeededRight>& also)
      : access_(access),
        client_(client),
        manifest_(manifest),
        before_(before),
        also_(also),
        pods_(job::predicted_pods(*manifest.kind, manifest.object)) {}

  Result<Preflight> run() {
    Round first;
    ask_for_namesake(first);
    ask_for_needed(first);
    ask_for_own_claims(first);
    ask_for_room(first);
    ask_for_queue(first);
    ask_for_rights(first);
    first.ask(client_);
    if (auto silence = first.silence()) return *std::move(silence);
    // No more questions about a job that cannot be created.
    if (unserved_) return Preflight{{}, std::nullopt, std::move(unserved_)};
    if (before_ == Before::decision && !namesake_) {
      ask_for_the_job();
      ask_for_companions(manifest_.earlier);
      ask_for_companions(manifest_.companions);
    }
    second_.ask(client_);
    if (!third_.empty()) third_.ask(client_);
    add(job::judge_program(*manifest_.kind, manifest_.object));
    return Preflight{std::move(findings_), std::move(namesake_), std::move(unserved_)};
  }

 private:
  void add(Findings more) { std::ranges::move(more, std::back_inserter(findings_)); }

  // `right`: what the question needs, as "get secrets".
  void add_unasked(const std::string& subject, const std::string& right, const Failure& failure) {
    if (kind_missing(failure)) return;  // a cluster without this kind has none in the way
    const std::string& message = failure.error.message;
    add({failure.error.code == Code::auth ? unasked(subject, message, right)
                                          : Finding{Severity::unchecked, subject, message}});
  }

  // Asking for a job shows as well whether the cluster knows its kind.
  void ask_for_namesake(Round& round) {
    const std::string name = text_at(manifest_.object, "/metadata/name", "trainctl-check");
    Listing listing{.resource = manifest_.kind->resource, .ns = manifest_.ns};
    listing.name = name;
    round.add(std::move(listing), [this](const Listing& answer) {
      if (!answer.objects.empty()) namesake_ = answer.objects.front();
      if (answer.failure && kind_missing(*answer.failure)) unserved_ = answer.failure->error;
    });
  }

  // Known to the answers that come after that of ask_for_namesake().
  bool is_namesake_replaced() const { return namesake_ && before_ == Before::replacement; }

  bool comes_along(const job::NeededObject& needed) const {
    const auto is_it = [&needed](const job::DependentObject& one) {
      return one.title() == needed.title();
    };
    return std::ranges::any_of(manifest_.companions, is_it) ||
           std::ranges::any_of(manifest_.earlier, is_it);
  }

  void ask_for_needed(Round& round) {
    bool has_claims = false;
    for (const job::NeededObject& needed : job::needed_objects(manifest_.object)) {
      // The embedded cluster makes claims at their first use, and knows no classes or accounts.
      const bool is_served = !access_.embedded || job::goes_with_its_job(needed.resource);
      if (!is_served || comes_along(needed) || needed.need == job::Need::optional) continue;
      const bool is_claim = job::is_claim(needed.resource);
      if (is_claim && !std::exchange(has_claims, true)) ask_for_storage_classes(round);
      Listing listing{.resource = needed.resource,
                      .ns = needed.is_namespaced() ? manifest_.ns : ""};
      listing.name = needed.name;
      listing.metadata_only = !is_claim && needed.keys.empty();
      round.add(std::move(listing),
                [this, needed](const Listing& answer) { judge_needed(needed, answer); });
    }
  }

  // A claim that is made for this job alone must not exist.
  void ask_for_own_claims(Round& round) {
    for (const job::DependentObject& companion : manifest_.companions) {
      if (!job::is_claim(companion.resource) || companion.sharing != job::Sharing::none) continue;
      Listing listing{.resource = companion.resource, .ns = manifest_.ns};
      listing.name = companion.name();
      listing.metadata_only = true;
      round.add(std::move(listing), [this](const Listing& answer) {
        if (answer.objects.empty() || is_namesake_replaced()) return;
        add(job::judge_own_claim(answer.objects.front(), *manifest_.kind,
                                 text_at(manifest_.object, "/metadata/name")));
      });
    }
  }

  void ask_for_storage_classes(Round& round) {
    round.add({.resource = k_storage_classes, .ns = ""}, [this](const Listing& answer) {
      if (!answer.failure) storage_classes_ = answer.objects;
    });
  }

  void judge_needed(const job::NeededObject& needed, const Listing& answer) {
    const std::string title = needed.title();
    if (answer.failure) {
      if (!object_missing(*answer.failure)) {
        return add_unasked(title, cat("get ", needed.resource.plural), *answer.failure);
      }
      return add(job::judge_missing(needed, manifest_.ns));
    }
    if (answer.objects.empty()) return;
    const Json& object = answer.objects.front();
    if (job::is_claim(needed.resource)) {
      return add(job::judge_claim(object, job::mounts_of(pods_, needed.name),
                                  storage_classes_ ? &*storage_classes_ : nullptr));
    }
    add(job::judge_present(needed, object));
  }

  // Whether nodes and quotas have room.
  void ask_for_room(Round& round) {
    round.add({.resource = kube::k_nodes, .ns = ""}, [this](const Listing& answer) {
      const auto scheduler =
          access_.embedded ? job::Scheduler::embedded : job::Scheduler::kubernetes;
      if (answer.failure) return add_unasked("nodes", "list nodes", *answer.failure);
      // A cluster that has queues and no nodes lets MultiKueue run its jobs elsewhere.
      if (answer.objects.empty() && !job::queue_of(manifest_.object).empty()) return;
      add(job::judge_nodes(pods_, answer.objects, scheduler));
    });
    if (access_.embedded) return;
    if (before_ == Before::decision) ask_for_refusing_nodes(round);
    round.add({.resource = k_quotas, .ns = manifest_.ns}, [this](const Listing& answer) {
      if (answer.failure) return add_unasked("quotas", "list resourcequotas", *answer.failure);
      has_quotas_ = !answer.objects.empty();
      if (is_namesake_replaced()) return;
      add(job::judge_quotas(pods_, answer.objects));
    });
  }

  // Advice only: without the right to list events nothing is missing.
  void ask_for_refusing_nodes(Round& round) {
    round.add({.resource = kube::k_events, .ns = manifest_.ns}, [this](const Listing& answer) {
      for (const job::RefusingNode& node : job::refusing_nodes(answer.objects, {})) {
        add(job::judge_refusing(pods_, node));
      }
    });
  }

  // An older version is asked for where there is no newer one: Kueue warns of it.
  void ask_for_queue(Round& round, std::size_t version = 0) {
    const std::string queue = job::queue_of(manifest_.object);
    if (queue.empty()) return;
    Listing listing{
        .resource = {"kueue.x-k8s.io", k_queue_versions[version], "localqueues", "LocalQueue"},
        .ns = manifest_.ns};
    listing.name = queue;
    round.add(std::move(listing), [this, queue, version](const Listing& answer) {
      judge_queue(queue, version, answer);
    });
  }

  void judge_queue(const std::string& queue, std::size_t version, const Listing& answer) {
    if (answer.failure && kind_missing(*answer.failure)) {
      const bool is_last = version + 1 == std::size(k_queue_versions);
      return is_last ? add(job::judge_missing_kueue(queue)) : ask_for_queue(second_, version + 1);
    }
    if (answer.failure) {
      return object_missing(*answer.failure)
                 ? add(job::judge_missing_queue(queue, manifest_.ns))
                 : add_unasked(cat("queue ", queue), "get localqueues", *answer.failure);
    }
    if (answer.objects.empty()) return;
    const Json& local_queue = answer.objects.front();
    add(job::judge_local_queue(local_queue));
    Listing listing{
        .resource = {"kueue.x-k8s.io", k_queue_versions[version], "clusterqueues", "ClusterQueue"},
        .ns = ""};
    listing.name = job::cluster_queue_of(local_queue);
    if (listing.name.empty()) return;
    Round& next = version == 0 ? second_ : third_;
    next.add(std::move(listing), [this](const Listing& found) {
      if (found.failure) {
        return add_unasked("cluster queue", "get clusterqueues", *found.failure);
      }
      if (found.objects.empty()) return;
      add(job::judge_cluster_queue(pods_, found.objects.front()));
      if (before_ != Before::decision) return;  // each submit would repeat the advice
      add(job::judge_preemption(pods_, found.objects.front()));
    });
  }

  void ask_for_rights(Round& round) {
    if (access_.embedded) return ask_for_admission();
    std::vector<job::NeededRight> rights = job::needed_rights(manifest_.kind->resource);
    rights.insert(rights.end(), also_.begin(), also_.end());
    for (const job::NeededRight& right : rights) {
      round.add(kube::review_request(right.action, manifest_.ns),
                [this, right](const auto& answer) {
                  add(job::judge_right(right, kube::is_allowed(answer), manifest_.ns));
                });
    }
    const kube::Action pods{"create", kube::k_pods};
    round.add(kube::review_request(pods, manifest_.ns), [this](const auto& answer) {
      if (kube::is_allowed(answer).value_or(false)) return ask_for_admission();
      add({unasked("pods", "you may not create pods, so their admission cannot be tested",
                   "create pods")});
    });
  }

  // Policies and webhooks judge the job as well. Creating it would say the same.
  void ask_for_the_job() {
    ask_for_admission_of("the job", manifest_.kind->resource, manifest_.object);
  }

  // Objects that are created with the job need rights and quotas of their own. Those that exist are
  // shared, or have been judged.
  void ask_for_companions(const std::vector<job::DependentObject>& companions) {
    for (const job::DependentObject& one : companions) {
      dry_run(
          second_, one.resource, one.object, [this, title = one.title()](const Failure* failure) {
            const bool exists = failure != nullptr && failure->refusal.reason == "AlreadyExists";
            if (failure == nullptr || exists) return;
            job::Finding refused = job::judge_refusal(title, failure->error);
            if (refused.code == Code::auth) refused.severity = Severity::fails;
            add({std::move(refused)});
          });
    }
  }

  void ask_for_admission_of(const std::string& subject, const kube::Resource& resource,
                            const Json& object) {
    dry_run(second_, resource, object,
            [this, subject](const Failure* failure) { judge_admission(subject, failure); });
  }

  void judge_admission(const std::string& subject, const Failure* failure) {
    add({failure == nullptr ? Finding{Severity::passes, subject, "the cluster admits it"}
                            : job::judge_refusal(subject, failure->error)});
  }

  // The image and the resources of the operator's own init container are guessed: a refusal counts
  // for certain only where the pod is refused without it as well.
  void ask_for_admission_of_pod(const std::string& subject, const Json& pod) {
    dry_run(second_, kube::k_pods, pod, [this, subject, pod](const Failure* failure) {
      const auto known = job::without_operators_init(pod);
      if (failure == nullptr || !known) return judge_admission(subject, failure);
      dry_run(third_, kube::k_pods, *known, [this, subject, refused = *failure](const auto* other) {
        if (other != nullptr) return judge_admission(subject, &refused);
        add({job::judge_guessed_init(subject, refused.error)});
      });
    });
  }

  void dry_run(Round& round, const kube::Resource& resource, const Json& object,
               std::function<void(const Failure*)> judge) {
    auto request = kube::create_request(resource, manifest_.ns, object, {.dry_run = true});
    if (!request) return;
    round.add(*std::move(request), [judge = std::move(judge)](const auto& answer) {
      judge(std::get_if<Failure>(&answer));
    });
  }

  // Quotas, limit ranges, pod security and webhooks judge the pods, and only when they are created.
  void ask_for_admission() {
    for (const job::PredictedPod& each : pods_) {
      const std::string subject = cat("pod of ", each.role);
      ask_for_admission_of_pod(subject, each.pod);
      const auto bare = has_quotas_ ? job::without_init_requests(each.pod) : std::nullopt;
      if (!bare) continue;
      dry_run(second_, kube::k_pods, *bare, [this, subject](const Failure* failure) {
        if (failure != nullptr) add(job::judge_bare_init(subject, failure->error));
      });
    }
  }

  Access& access_;
  kube::Client& client_;
  const Manifest& manifest_;
  Before before_;
  const std::vector<job::NeededRight>& also_;
  std::vector<job::PredictedPod> pods_;
  Round second_, third_;
  std::optional<std::vector<Json>> storage_classes_;
  bool has_quotas_ = false;
  std::optional<Json> namesake_;
  std::optional<Error> unserved_;
  Findings findings_;
};

}  // namespace

Result<Preflight> preflight(Access& access, const Manifest& manifest, Before before,
                            const std::vector<job::NeededRight>& also) {
  TRY_ASSIGN(kube::Client * client, access.client());
  return Checking(access, *client, manifest, before, also).run();
}

std::string unchecked_words(const job::Findings& findings) {
  std::vector<std::string> subjects;
  for (const Finding& one : findings) {
    if (one.severity != Severity::unchecked) continue;
    subjects.push_back(one.right.empty() ? one.subject : cat(one.subject, " (", one.right, ")"));
  }
  if (subjects.empty()) return "";
  return cat(plural(std::ssize(subjects), "thing"), subjects.size() == 1 ? " was" : " were",
             " not checked: ", join(subjects, ", "));
}

Status outcome_of(const job::Findings& findings, bool allow_unchecked) {
  const auto failed = std::ranges::find_if(
      findings, [](const Finding& one) { return one.severity == Severity::fails; });
  if (failed == findings.end()) {
    const std::string unchecked = unchecked_words(findings);
    if (unchecked.empty() || allow_unchecked) return {};
    return Error{Code::unchecked, unchecked,
                 "trainctl rbac --for check --name trainctl-check prints the rights; "
                 "--allow-unchecked does without"};
  }
  return Error{failed->code, cat(failed->subject, ": ", failed->message), failed->remedy};
}

Status summary_of(const job::Findings& findings, bool allow_unchecked) {
  Status outcome = outcome_of(findings, allow_unchecked);
  if (outcome || outcome.error().code == Code::unchecked) return outcome;
  const auto failed = std::ranges::count(findings, Severity::fails, &Finding::severity);
  return Error{outcome.error().code,
               cat("the job would not run: ", failed, " of ", std::ssize(findings),
                   std::size(findings) == 1 ? " check failed" : " checks failed"),
               ""};
}

Status check_before_creation(Access& access, const Manifest& manifest, Before before,
                             const std::vector<job::NeededRight>& also) {
  const auto checked = preflight(access, manifest, before, also);
  // Creating the job will say why the cluster does not answer.
  if (!checked || checked->unserved) return {};
  if (checked->namesake && before != Before::replacement) return {};
  bool has_failed = false;
  for (const Finding& one : checked->findings) {
    const bool is_error = one.severity == Severity::fails && !std::exchange(has_failed, true);
    const bool is_told = one.severity == Severity::fails || one.severity == Severity::may_fail;
    if (is_told && !is_error) access.console.warn(cat(one.subject, ": ", one.message));
  }
  const std::string unchecked = unchecked_words(checked->findings);
  if (!unchecked.empty()) access.console.notice(unchecked);
  Status outcome = outcome_of(checked->findings, true);
  if (outcome) return outcome;
  Error error = outcome.error();
  error.message += "; nothing was created";
  return error;
}

}  // namespace trainctl::work
