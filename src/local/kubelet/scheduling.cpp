// Works off the scheduling queue, which is the store's unscheduled pods.
#include "local/kubelet/scheduling.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "local/kubelet/pod_status.h"

namespace trainctl::local {
namespace {

// The scheduler of a cluster of one node.
struct NodeState {
  Json node;
  std::int64_t gpus = 0;
  std::int64_t free_gpus = 0;
  std::function<bool(std::string_view claim)> has_claim;
};

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

// The devices that a pod requests: the limits of every resource named */gpu, by resource.
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

// "" = the pod fits; else the message of its PodScheduled condition and FailedScheduling event.
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

// True when the pod requests this scheduler, and it may act on the pod.
bool is_for_scheduler(const Json& pod) {
  return text_at(pod, "/spec/nodeName").empty() &&
         text_at(pod, "/spec/schedulerName", "default-scheduler") == "default-scheduler" &&
         array_at(pod, "/spec/schedulingGates").empty() && !kube::is_being_deleted(pod);
}

constexpr std::string_view k_scheduler = "default-scheduler";

bool holds_devices(const Json& pod) {
  const auto phase = text_at(pod, "/status/phase");
  return !text_at(pod, "/spec/nodeName").empty() && phase != "Succeeded" && phase != "Failed";
}

Json& conditions_of(Json& pod) {
  if (!pod.contains("status") || !pod["status"].is_object()) pod["status"] = Json::object();
  Json& conditions = pod["status"]["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  return conditions;
}

std::vector<int> free_devices(const KubeletContext& context,
                              const std::vector<std::shared_ptr<const Json>>& pods) {
  std::set<int> taken;
  for (const auto& pod : pods) {
    if (!holds_devices(*pod)) continue;
    for (const int device : assigned_gpus(context, uid_of(*pod))) taken.insert(device);
  }
  std::vector<int> free;
  for (int device = 0; device < context.settings.gpus; ++device) {
    if (!taken.contains(device)) free.push_back(device);
  }
  return free;
}

// Creates the claims that the pod is the first to name: on this machine nobody has to provide
// storage.
void make_missing_claims(const KubeletContext& context, const Json& pod) {
  const ServedResource& claims = core_resource("persistentvolumeclaims");
  const std::string ns = namespace_of(pod);
  for (const Json& volume : array_at(pod, "/spec/volumes")) {
    const std::string name = text_at(volume, "/persistentVolumeClaim/claimName");
    if (name.empty() || context.store.get(claims, ns, name) != nullptr) continue;
    const auto made =
        context.store.create(claims, Json{{"apiVersion", "v1"},
                                          {"kind", "PersistentVolumeClaim"},
                                          {"metadata", {{"name", name}, {"namespace", ns}}},
                                          {"spec",
                                           {{"accessModes", Json::array({"ReadWriteMany"})},
                                            {"resources", {{"requests", {{"storage", "1Gi"}}}}},
                                            {"volumeMode", "Filesystem"}}},
                                          {"status", {{"phase", "Pending"}}}});
    const Json* claim = std::get_if<Json>(&made);
    if (claim == nullptr) continue;
    record_event(context.store, *claim, "Normal", "ProvisioningSucceeded",
                 "created at first use, as a directory of this machine", k_scheduler);
    bind_claim(context, *claim);
  }
}

}  // namespace

void Scheduling::look_again() {
  if (turn_) return;
  turn_ = context_.loop.after(Duration::zero(), [this] {
    const HandlePtr done = std::move(turn_);
    pass();
  });
}

void Scheduling::bind(const Json& pod, const std::vector<int>& devices) {
  assign_gpus(context_, uid_of(pod), devices);
  const Time now = context_.loop.now();
  modify(context_.store, pod_resource(), namespace_of(pod), name_of(pod), [&](Json& stored) {
    stored["spec"]["nodeName"] = context_.node;
    set_condition(conditions_of(stored), stored, Json{{"type", "PodScheduled"}, {"status", "True"}},
                  now);
  });
  record_event(
      context_.store, pod, "Normal", "Scheduled",
      cat("Successfully assigned ", namespace_of(pod), "/", name_of(pod), " to ", context_.node),
      k_scheduler);
}

void Scheduling::refuse(const Json& pod, const std::string& message) {
  const Json* old = kube::find_condition(pod, "PodScheduled");
  if (old && text_at(*old, "/message") == message) return;
  const Time now = context_.loop.now();
  modify(context_.store, pod_resource(), namespace_of(pod), name_of(pod), [&](Json& stored) {
    set_condition(conditions_of(stored), stored,
                  Json{{"type", "PodScheduled"},
                       {"status", "False"},
                       {"reason", "Unschedulable"},
                       {"message", message}},
                  now);
  });
  record_event(context_.store, pod, "Warning", "FailedScheduling", message, k_scheduler);
}

void Scheduling::pass() {
  if (context_.closing) return;
  auto pods = context_.store.list(pod_resource(), "");
  std::vector<int> free = free_devices(context_, pods);
  std::erase_if(pods, [](const auto& pod) { return !is_for_scheduler(*pod); });
  // First come, first served; the store's order is by name.
  std::ranges::stable_sort(
      pods, {}, [](const auto& pod) { return text_at(*pod, "/metadata/creationTimestamp"); });
  const auto node = context_.store.get(core_resource("nodes"), "", context_.node);
  NodeState state;
  if (node) state.node = *node;
  state.gpus = context_.settings.gpus;
  for (const auto& pod : pods) {
    make_missing_claims(context_, *pod);
    state.free_gpus = static_cast<std::int64_t>(free.size());
    state.has_claim = [&](std::string_view claim) {
      return context_.store.get(core_resource("persistentvolumeclaims"), namespace_of(*pod),
                                claim) != nullptr;
    };
    const std::string why_not = why_unschedulable(*pod, state);
    if (!why_not.empty()) {
      refuse(*pod, why_not);
      continue;
    }
    const auto count = std::min<std::ptrdiff_t>(gpu_count(*pod), std::ssize(free));
    bind(*pod, {free.begin(), free.begin() + count});
    free.erase(free.begin(), free.begin() + count);
  }
}

void bind_claim(const KubeletContext& context, const Json& claim) {
  if (text_at(claim, "/status/phase") == "Bound") return;
  modify(context.store, core_resource("persistentvolumeclaims"), namespace_of(claim),
         name_of(claim), [](Json& stored) {
           // On a cluster with a default class, a claim that names none has that one.
           if (find(stored, "/spec/storageClassName") == nullptr) {
             stored["spec"]["storageClassName"] = "local";
           }
           stored["spec"]["volumeName"] = cat("pvc-", uid_of(stored));
           Json status{{"phase", "Bound"}};
           if (const Json* modes = find(stored, "/spec/accessModes")) {
             status["accessModes"] = *modes;
           }
           if (const Json* size = find(stored, "/spec/resources/requests")) {
             status["capacity"] = *size;
           }
           stored["status"] = std::move(status);
         });
}

void remove_claim(const KubeletContext& context, const Json& claim) {
  remove_directory(cat(context.settings.directory, "/claims/", namespace_of(claim), "/",
                       name_of(claim), "-", uid_of(claim)));
}

}  // namespace trainctl::local
