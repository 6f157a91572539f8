// Counts as Kubernetes' quota controller does: by the names of its resources.
#include "job/preflight/quota_fit.h"

#include "base/text/text.h"
#include "job/preflight/amounts.h"

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
                             ? Finding{Prospect::fails, subject, what,
                                       "ask for fewer --workers, or for less per replica"}
                             : Finding{Prospect::may_fail, subject,
                                       cat(what, ", and uses ", amount_text(plain, in_use)),
                                       "end other jobs first: trainctl get --status Running"});
    }
  }
  return findings;
}

}  // namespace trainctl::job
