// Counts as Kubernetes' quota controller does: by the names of its resources.
#include <algorithm>
#include <limits>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "check/finding.h"
#include "check/judges.h"
#include "kube/object/metadata.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_of_limits = "limits.";
constexpr std::string_view k_of_requests = "requests.";

// The job's share of everything that a quota may limit.
Amounts taken(const std::vector<PredictedPod>& pods) {
  Amounts all;
  for (const PredictedPod& each : pods) {
    const Json& spec = object_at(each.pod, "/spec");
    const Amounts requests = asked_by_pod(spec);
    add_amounts(all, requests, each.count);
    Amounts named = {{"pods", 1000}, {"count/pods", 1000}};
    for (const auto& [resource, amount] : requests) named[cat(k_of_requests, resource)] = amount;
    for (const auto& [resource, amount] : asked_by_pod(spec, Asked::limits)) {
      named[cat(k_of_limits, resource)] = amount;
    }
    add_amounts(all, named, each.count);
  }
  return all;
}

bool concerns_every_pod(const Json& quota) {
  return array_at(quota, "/spec/scopes").empty() && find(quota, "/spec/scopeSelector") == nullptr;
}

std::string_view plain_name(std::string_view resource) {
  for (const std::string_view prefix : {k_of_limits, k_of_requests}) {
    if (resource.starts_with(prefix)) return resource.substr(prefix.size());
  }
  return resource;
}

std::int64_t amount_in(const Amounts& amounts, const std::string& resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? 0 : found->second;
}

}  // namespace

Findings judge_quotas(const std::vector<PredictedPod>& pods, const std::vector<Json>& quotas) {
  Findings findings;
  const Amounts wanted = taken(pods);
  for (const Json& quota : quotas) {
    if (!concerns_every_pod(quota)) continue;
    const std::string subject = printable_line(cat("quota ", text_at(quota, "/metadata/name")));
    const Amounts used = amounts_of(object_at(quota, "/status/used"));
    for (const auto& [resource, hard] : amounts_of(object_at(quota, "/status/hard"))) {
      const std::int64_t asked = amount_in(wanted, resource);
      const std::int64_t in_use = amount_in(used, resource);
      const std::string_view plain = plain_name(resource);
      if (asked == 0 || asked <= hard - in_use) continue;
      const std::string what = cat("the job takes ", amount_text(plain, asked), ' ', resource,
                                   ", but the namespace may use only ", amount_text(plain, hard));
      findings.push_back(asked > hard
                             ? Finding{Severity::fails, subject, what,
                                       "ask for fewer --workers, or for less per replica"}
                             : Finding{Severity::may_fail, subject,
                                       cat(what, ", and uses ", amount_text(plain, in_use)),
                                       "end other jobs first: trainctl get --status Running"});
    }
  }
  return findings;
}

namespace {

constexpr std::int64_t k_no_bound = std::numeric_limits<std::int64_t>::max();

std::string queue_subject(std::string_view what, const Json& queue) {
  return printable_line(cat(what, ' ', text_at(queue, "/metadata/name")));
}

bool has_cohort(const Json& queue) {
  return !text_at(queue, "/spec/cohort").empty() || !text_at(queue, "/spec/cohortName").empty();
}

std::int64_t quantity_in(const Json& quota, const char* member, std::int64_t absent) {
  const Json* quantity = find(quota, cat('/', member));
  if (quantity == nullptr) return absent;
  const Amounts one = amounts_of({{"amount", *quantity}});
  return one.empty() ? absent : one.begin()->second;
}

// The most that a flavor may give of a resource; a queue without a cohort borrows nothing.
std::int64_t most_of(const Json& quota, bool borrows) {
  const std::int64_t nominal = quantity_in(quota, "nominalQuota", 0);
  const std::int64_t more = borrows ? quantity_in(quota, "borrowingLimit", k_no_bound) : 0;
  return more > k_no_bound - nominal ? k_no_bound : nominal + more;
}

// The most that any flavor gives of each resource that the queue covers.
Amounts covered_by(const Json& queue) {
  Amounts most;
  for (const Json& group : array_at(queue, "/spec/resourceGroups")) {
    for (const Json& flavor : array_at(group, "/flavors")) {
      for (const Json& quota : array_at(flavor, "/resources")) {
        std::int64_t& best = most[text_at(quota, "/name")];
        best = std::max(best, most_of(quota, has_cohort(queue)));
      }
    }
  }
  return most;
}

}  // namespace

std::string cluster_queue_of(const Json& local_queue) {
  return text_at(local_queue, "/spec/clusterQueue");
}

Findings judge_missing_queue(const std::string& queue, const std::string& ns) {
  return {{Severity::fails, cat("queue ", queue),
           cat("does not exist in namespace ", ns, ": the job would wait for ever"),
           cat("list the queues: kubectl get localqueues -n ", ns), Code::not_found}};
}

Findings judge_missing_kueue(const std::string& queue) {
  return {{Severity::may_fail, cat("queue ", queue),
           "this cluster has no Kueue: the job starts at once", "leave out --queue",
           Code::not_found}};
}

Findings judge_local_queue(const Json& local_queue) {
  const std::string subject = queue_subject("queue", local_queue);
  const std::string see =
      cat("kubectl describe localqueue ", text_at(local_queue, "/metadata/name"));
  if (const std::string policy = text_at(local_queue, "/spec/stopPolicy", "None");
      policy != "None") {
    return {{Severity::may_fail, subject, cat("it is stopped (", printable_line(policy), ")"), see,
             Code::not_started}};
  }
  for (const Json& condition : array_at(local_queue, "/status/conditions")) {
    if (text_at(condition, "/type") != "Active" || text_at(condition, "/status") != "False")
      continue;
    return {{Severity::may_fail, subject,
             printable_line(cat("it is not active: ", text_at(condition, "/message"))), see,
             Code::not_started}};
  }
  return {{Severity::passes, subject, "active"}};
}

Findings judge_cluster_queue(const std::vector<PredictedPod>& pods, const Json& cluster_queue) {
  const std::string subject = queue_subject("cluster queue", cluster_queue);
  const Amounts most = covered_by(cluster_queue);
  for (const PredictedPod& each : pods) {
    for (const auto& [resource, one] : asked_by_pod(object_at(each.pod, "/spec"))) {
      const std::int64_t asked = one * each.count;
      const auto bound = most.find(resource);
      if (asked == 0) continue;
      if (bound == most.end()) {
        return {{Severity::fails, subject,
                 printable_line(
                     cat("it has no quota for ", resource, ", which ", each.role, " asks for")),
                 "choose another --queue"}};
      }
      if (asked <= bound->second) continue;
      return {{Severity::fails, subject,
               printable_line(cat(each.role, " takes ", amount_text(resource, asked), ' ', resource,
                                  ", and no flavor gives more than ",
                                  amount_text(resource, bound->second))),
               "ask for less, or choose another --queue"}};
    }
  }
  if (pods.empty()) return {};
  return {{Severity::passes, subject, "its quota could hold the job"}};
}

Findings judge_preemption(const std::vector<PredictedPod>& pods, const Json& cluster_queue) {
  static constexpr std::int64_t k_default_period = 30;
  const bool preempts =
      text_at(cluster_queue, "/spec/preemption/withinClusterQueue", "Never") != "Never";
  const bool has_default = std::ranges::any_of(pods, [](const PredictedPod& each) {
    return int_at(each.pod, "/spec/terminationGracePeriodSeconds").value_or(k_default_period) ==
           k_default_period;
  });
  if (!preempts || !has_default) return {};
  return {{Severity::may_fail, queue_subject("cluster queue", cluster_queue),
           "a job of higher priority may preempt this one, which then has 30s to save a checkpoint",
           "--termination-grace-period 5m gives it more time"}};
}

}  // namespace trainctl::job
