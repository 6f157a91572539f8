// Decides whether a pod fits, with kube-scheduler's messages.
#include "local/kubelet/scheduler.h"

#include <algorithm>
#include <cstdlib>

#include "base/text/text.h"
#include "kube/object/metadata.h"

namespace trainctl::local {
namespace {

constexpr std::string_view k_none_available = "0/1 nodes are available: ";
constexpr std::string_view k_suffix =
    " no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not "
    "helpful for scheduling.";
// The node would be large enough without the pods that run there.
constexpr std::string_view k_occupied_suffix =
    " no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims "
    "found for incoming pod.";

std::int64_t count_of(const Json& amount) {
  if (amount.is_number_integer()) return amount.get<std::int64_t>();
  return amount.is_string() ? std::atoll(amount.get_ref<const std::string&>().c_str()) : 0;
}

const Json& labels_of(const Json& object) {
  return object_at(object, "/metadata/labels");
}

bool matches(const Json& expression, const Json& labels) {
  const std::string key = text_at(expression, "/key");
  const std::string op = text_at(expression, "/operator");
  const bool present = labels.contains(key);
  const std::string value = text_at(labels, cat("/", pointer_step(key)));
  const Json& values = array_at(expression, "/values");
  const bool listed = present && std::find(values.begin(), values.end(), value) != values.end();
  const auto bound = values.empty() ? 0 : count_of(values.front());
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  if (op == "Exists") return present;
  if (op == "DoesNotExist") return !present;
  if (op == "Gt") return present && std::atoll(value.c_str()) > bound;
  return op == "Lt" && present && std::atoll(value.c_str()) < bound;
}

bool are_labels_of_node(const Json& wanted, const Json& labels) {
  return std::ranges::all_of(wanted.items(), [&](const auto& item) {
    return text_at(labels, cat("/", pointer_step(item.key()))) == item.value();
  });
}

bool wants_node(const Json& pod, const Json& node) {
  const Json& labels = labels_of(node);
  if (!are_labels_of_node(object_at(pod, "/spec/nodeSelector"), labels)) return false;
  const Json& terms =
      array_at(pod,
               "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
               "nodeSelectorTerms");
  if (terms.empty()) return true;
  return std::ranges::any_of(terms, [&](const Json& term) {
    const Json& expressions = array_at(term, "/matchExpressions");
    return std::ranges::all_of(expressions, [&](const Json& one) { return matches(one, labels); });
  });
}

void add_gpus(const Json& container, std::map<std::string, std::int64_t>& sum) {
  for (const auto& [name, amount] : object_at(container, "/resources/limits").items()) {
    if (std::string_view(name).ends_with("/gpu")) sum[name] += count_of(amount);
  }
}

}  // namespace

std::map<std::string, std::int64_t> gpus_of_pod(const Json& pod) {
  std::map<std::string, std::int64_t> sum;
  for (const Json& container : array_at(pod, "/spec/containers")) add_gpus(container, sum);
  for (const Json& container : array_at(pod, "/spec/initContainers")) {
    std::map<std::string, std::int64_t> alone;
    add_gpus(container, alone);
    for (const auto& [name, count] : alone) sum[name] = std::max(sum[name], count);
  }
  return sum;
}

std::int64_t gpu_count(const Json& pod) {
  std::int64_t count = 0;
  for (const auto& [name, number] : gpus_of_pod(pod)) count += number;
  return count;
}

std::string why_unschedulable(const Json& pod, const NodeState& state) {
  for (const Json& volume : array_at(pod, "/spec/volumes")) {
    const auto claim = text_at(volume, "/persistentVolumeClaim/claimName");
    if (claim.empty() || state.has_claim(claim)) continue;
    return cat(k_none_available, "persistentvolumeclaim \"", claim, "\" not found. not found");
  }
  if (!wants_node(pod, state.node)) {
    return cat(k_none_available, "1 node(s) didn't match Pod's node affinity/selector.", k_suffix);
  }
  for (const auto& [name, count] : gpus_of_pod(pod)) {
    if (count <= 0 || gpu_count(pod) <= state.free_gpus) continue;
    const bool fits_alone = gpu_count(pod) <= state.gpus;
    return cat(k_none_available, "1 Insufficient ", name, ".",
               fits_alone ? k_occupied_suffix : k_suffix);
  }
  return "";
}

bool is_for_scheduler(const Json& pod) {
  return text_at(pod, "/spec/nodeName").empty() &&
         text_at(pod, "/spec/schedulerName", "default-scheduler") == "default-scheduler" &&
         array_at(pod, "/spec/schedulingGates").empty() && !kube::is_being_deleted(pod);
}

}  // namespace trainctl::local
