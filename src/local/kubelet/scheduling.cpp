// Works off the scheduling queue, which is the store's unscheduled pods.
#include "local/kubelet/scheduling.h"

#include <algorithm>
#include <set>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "local/kubelet/pod_status.h"
#include "local/kubelet/scheduler.h"

namespace trainctl::local {
namespace {

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
