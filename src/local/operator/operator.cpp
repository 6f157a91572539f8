// The operator's work queue: changed jobs, retries, and jobs with a deadline.
#include "local/operator/operator.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/text/text.h"
#include "job/status/state.h"
#include "local/operator/events.h"
#include "local/operator/pass.h"

namespace trainctl::local {

namespace {

constexpr int k_jobs_a_turn = 10;

struct Key {
  const ServedResource* resource = nullptr;
  std::string ns, name;
  auto operator<=>(const Key&) const = default;
};

// The delay doubles from 5 ms with every failure, as in controller-runtime's rate limiter.
Duration retry_delay(int failures) {
  constexpr Duration k_first_retry = std::chrono::milliseconds(5);
  constexpr Duration k_longest_retry = std::chrono::seconds(1000);
  constexpr int k_retry_doublings = 18;
  return std::min(k_longest_retry,
                  Duration(k_first_retry * (1LL << std::min(failures, k_retry_doublings))));
}

const ServedResource* job_resource(const Json& owner) {
  for (const ServedResource& resource : served_resources()) {
    if (resource.job_kind == nullptr || text_at(owner, "/kind") != resource.resource.kind) continue;
    if (text_at(owner, "/apiVersion") == resource.resource.api_version()) return &resource;
  }
  return nullptr;
}

}  // namespace

struct Operator::State {
  struct Job {
    int failures = 0;
    HandlePtr timer;
    Recreations recreations;
  };

  Loop& loop;
  Store& store;
  std::set<Key> due;
  std::map<Key, Job> jobs;
  EventCorrelator correlator;
  HandlePtr turn;
  HandlePtr subscription;

  State(Loop& the_loop, Store& the_store) : loop(the_loop), store(the_store) {
    subscription = store.subscribe([this](const Change& change) { look_at(change); });
    for (const ServedResource& resource : served_resources()) {
      if (resource.job_kind == nullptr) continue;
      for (const ObjectPtr& job : store.list(resource, "")) enqueue(key_of(resource, *job));
    }
  }

  static Key key_of(const ServedResource& resource, const Json& object) {
    return {&resource, text_at(object, "/metadata/namespace"), text_at(object, "/metadata/name")};
  }

  void look_at(const Change& change) {
    if (change.resource->job_kind != nullptr) {
      if (change.type == ChangeType::deleted) {
        correlator.forget(text_at(*change.object, "/metadata/uid"));
        jobs.erase(key_of(*change.resource, *change.object));
      }
      return enqueue(key_of(*change.resource, *change.object));
    }
    // Compares owners by name, not by uid, since a new job of that name waits for the old one's
    // pods to go.
    for (const Json& owner : array_at(*change.object, "/metadata/ownerReferences")) {
      const ServedResource* resource =
          true_at(owner, "/controller") ? job_resource(owner) : nullptr;
      if (resource == nullptr) continue;
      enqueue({resource, text_at(*change.object, "/metadata/namespace"), text_at(owner, "/name")});
    }
  }

  void enqueue(const Key& key) {
    due.insert(key);
    if (!turn) turn = loop.after(Duration(0), [this] { work(); });
  }

  // Handles a few jobs at a time: after a start there may be hundreds, and clients wait for answers
  // meanwhile.
  void work() {
    turn.reset();
    for (int left = k_jobs_a_turn; left > 0 && !due.empty(); --left) {
      pass(due.extract(due.begin()).value());
    }
    if (!due.empty() && !turn) turn = loop.after(Duration(0), [this] { work(); });
  }

  void pass(const Key& key) {
    const ObjectPtr object = store.get(*key.resource, key.ns, key.name);
    if (object == nullptr) {
      jobs.erase(key);
      return;
    }
    Job& job = jobs[key];
    job.timer.reset();
    const Time now = loop.now();
    const PassResult result =
        reconcile(store, now, *key.resource, *object, job.failures, job.recreations);
    correlator.record(store, now, *object, key.resource->job_kind->operator_name, result.events);
    job.failures = result.failed ? job.failures + 1 : 0;
    if (result.failed) return wake(key, job, retry_delay(job.failures - 1));
    if (result.again) wake(key, job, std::max(Duration(0), *result.again - now));
  }

  void rest() {
    std::erase_if(jobs, [](const auto& entry) {
      return entry.second.failures == 0 && entry.second.timer == nullptr;
    });
    for (const ServedResource& resource : served_resources()) {
      if (resource.job_kind == nullptr) continue;
      for (const ObjectPtr& job : store.list(resource, "")) {
        if (!job::is_final(job::judge(*resource.job_kind, *job, {}, {}).phase)) continue;
        correlator.forget(text_at(*job, "/metadata/uid"));
      }
    }
  }

  void wake(const Key& key, Job& job, Duration delay) {
    job.timer = loop.after(delay, [this, key] { enqueue(key); });
  }
};

Operator::Operator(Loop& loop, Store& store) : state_(std::make_unique<State>(loop, store)) {}

Operator::~Operator() = default;

void Operator::rest() {
  state_->rest();
}

}  // namespace trainctl::local
