// The operator's work queue: changed jobs, retries, and jobs with a deadline.
#include "local/operator/operator.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/text/text.h"
#include "base/value/json.h"
#include "local/operator/reconcile.h"
#include "local/operator/status.h"
#include "local/store/store.h"
#include "status/judgement.h"
#include "status/state.h"

namespace trainctl::local {
namespace {

// Decides which events of a job are written, like client-go's correlator, without which a crash
// loop would fill the store.
class EventCorrelator {
 public:
  // Records the events of a job, but at most 25 at once and then one in five minutes (counted for
  // each job); from the tenth message of one reason on, they are combined into one.
  void record(Store& store, Time now, const Json& job, std::string_view component,
              const std::vector<OperatorEvent>& events);
  // Forgets a deleted job.
  void forget(const std::string& uid);

 private:
  struct Similar {
    std::set<std::string> messages;
    Time last{};
    std::string combined;  // name of the event that combines all further ones
  };
  struct Allowance {
    double left = 0;
    Time since{};
    std::map<std::string, Similar> similar;  // by type and reason
  };
  bool spend(Allowance& allowance, Time now);
  std::map<std::string, Allowance> jobs_;  // by uid
};

constexpr double k_burst = 25;
constexpr double k_seconds_per_event = 300;
constexpr std::size_t k_distinct_messages = 10;
constexpr Duration k_similar_for = std::chrono::seconds(600);

// The name of the latest event of a job with this reason and message.
std::string name_of_event(const Store& store, const Json& job, const OperatorEvent& event) {
  const std::string uid = text_at(job, "/metadata/uid");
  for (const auto& stored :
       store.list(resource_of(kube::k_events), text_at(job, "/metadata/namespace"))) {
    if (text_at(*stored, "/involvedObject/uid") == uid &&
        text_at(*stored, "/reason") == event.reason &&
        text_at(*stored, "/message") == event.message) {
      return text_at(*stored, "/metadata/name");
    }
  }
  return "";
}

void count_up(Store& store, Time now, const Json& job, const std::string& name,
              const std::string& message) {
  modify(store, resource_of(kube::k_events), text_at(job, "/metadata/namespace"), name,
         [&](Json& event) {
           member(event, "message") = message;
           member(event, "count") = int_at(event, "/count").value_or(1) + 1;
           member(event, "lastTimestamp") = format_time(now);
         });
}

bool EventCorrelator::spend(Allowance& allowance, Time now) {
  const bool fresh = allowance.since == Time{};
  const std::chrono::duration<double> passed = now - allowance.since;
  allowance.left =
      fresh ? k_burst : std::min(k_burst, allowance.left + passed.count() / k_seconds_per_event);
  allowance.since = now;
  if (allowance.left < 1) return false;
  allowance.left -= 1;
  return true;
}

void EventCorrelator::record(Store& store, Time now, const Json& job, std::string_view component,
                             const std::vector<OperatorEvent>& events) {
  if (events.empty()) return;
  Allowance& allowance = jobs_[text_at(job, "/metadata/uid")];
  for (const OperatorEvent& event : events) {
    Similar& similar = allowance.similar[cat(event.type, ' ', event.reason)];
    if (now - similar.last > k_similar_for) similar = {};
    similar.last = now;
    similar.messages.insert(event.message);
    const bool combine = similar.messages.size() >= k_distinct_messages;
    if (combine) similar.messages.erase(similar.messages.begin());
    if (!spend(allowance, now)) continue;
    const std::string message =
        combine ? "(combined from similar events): " + event.message : event.message;
    if (combine && !similar.combined.empty()) {
      count_up(store, now, job, similar.combined, message);
      continue;
    }
    record_event(store, job, event.type, event.reason, message, component);
    if (combine) {
      similar.combined = name_of_event(store, job, {event.type, event.reason, message});
    }
  }
}

void EventCorrelator::forget(const std::string& uid) {
  jobs_.erase(uid);
}

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
