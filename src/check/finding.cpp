// Follows the rules of Kubernetes' component-helpers (resource.PodRequests).
#include "check/finding.h"

#include <algorithm>
#include <limits>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "manifest/operator/operated_job.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::job {
namespace {

Amounts asked_by_container(const Json& container, Asked what) {
  const Amounts limits = amounts_of(object_at(container, "/resources/limits"));
  if (what == Asked::limits) return limits;
  Amounts asked = amounts_of(object_at(container, "/resources/requests"));
  asked.insert(limits.begin(), limits.end());
  return asked;
}

void raise_to(Amounts& to, const Amounts& other) {
  for (const auto& [resource, amount] : other) to[resource] = std::max(to[resource], amount);
}

}  // namespace

Amounts amounts_of(const Json& quantities) {
  Amounts amounts;
  for (const auto& [resource, quantity] : quantities.items()) {
    const std::string text = quantity.is_number_integer() ? dump(quantity)
                             : quantity.is_string()       ? quantity.get<std::string>()
                                                          : "";
    if (checked_quantity(text)) amounts[resource] = quantity_milli(text);
  }
  return amounts;
}

// An init container that is restarted always runs beside the others.
Amounts asked_by_pod(const Json& pod_spec, Asked what) {
  Amounts together;
  Amounts beside;
  Amounts largest;
  for (const Json& container : array_at(pod_spec, "/containers")) {
    add_amounts(together, asked_by_container(container, what));
  }
  for (const Json& container : array_at(pod_spec, "/initContainers")) {
    const Amounts asked = asked_by_container(container, what);
    if (text_at(container, "/restartPolicy") == "Always") {
      add_amounts(together, asked);
      add_amounts(beside, asked);
      raise_to(largest, beside);
    } else {
      Amounts at_once = beside;
      add_amounts(at_once, asked);
      raise_to(largest, at_once);
    }
  }
  raise_to(together, largest);
  add_amounts(together, amounts_of(object_at(pod_spec, "/overhead")));
  return together;
}

// A server's quantities may be as large as a number can be.
void add_amounts(Amounts& to, const Amounts& more, std::int64_t times) {
  constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t limit = times < 0 ? -k_most : k_most;
  for (const auto& [resource, amount] : more) {
    std::int64_t& sum = to[resource];
    std::int64_t product = 0;
    if (__builtin_mul_overflow(amount, times, &product)) product = limit;
    if (__builtin_add_overflow(sum, product, &sum)) sum = limit;
  }
}

std::string amount_text(std::string_view resource, std::int64_t thousandths) {
  constexpr std::int64_t k_gibi = std::int64_t{1} << 30U;
  constexpr std::int64_t k_mebi = std::int64_t{1} << 20U;
  const std::int64_t whole = thousandths / k_milli_per_unit;
  const bool is_bytes = resource.ends_with("memory") || resource.ends_with("storage");
  if (is_bytes && whole >= k_gibi) return cat(whole / k_gibi, "Gi");
  if (is_bytes && whole >= k_mebi) return cat(whole / k_mebi, "Mi");
  return canonical_quantity(thousandths % k_milli_per_unit == 0 ? std::to_string(whole)
                                                                : cat(thousandths, "m"));
}

std::vector<PredictedPod> predicted_pods(const Kind& kind, const Json& job) {
  const OperatedKind* operated_kind = find_operated_kind(kind);
  if (operated_kind == nullptr) return {};
  OperatedJob operated = operated_job(*operated_kind, job);
  if (operated.name.empty()) operated.name = text_at(job, "/metadata/generateName") + 'x';
  std::vector<PredictedPod> pods;
  for (const OperatedReplica& replica : operated.replicas) {
    if (replica.count <= 0) continue;
    Json pod = wanted_pod(operated, replica, 0);
    Json& metadata = pod["metadata"];
    metadata.erase("name");
    metadata.erase("ownerReferences");
    // The operator itself makes the account of an MPI launcher, and not before the job exists.
    const std::string account = text_at(replica.pod, "/spec/serviceAccountName");
    if (account.empty()) pod["spec"].erase("serviceAccountName");
    metadata["generateName"] = cat(operated.name, '-', replica.type, '-');
    pods.push_back({replica.type, replica.count, std::move(pod)});
  }
  return pods;
}

}  // namespace trainctl::job
