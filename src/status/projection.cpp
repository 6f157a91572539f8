// Copies member by member, since the omitted part is the larger one.
#include "status/projection.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/array.h"
#include "manifest/kind/kind.h"
#include "status/pod_state.h"

namespace trainctl::job {

namespace {

Json members(const Json& object, std::span<const std::string_view> names) {
  Json chosen = Json::object();
  for (const std::string_view name : names) {
    const auto member = object.find(name);
    if (member != object.end() && !member->empty()) chosen[std::string(name)] = *member;
  }
  return chosen;
}

Json members(const Json& object, std::initializer_list<std::string_view> names) {
  return members(object, std::span(names.begin(), names.size()));
}

// True for a condition that adds to what the rest of the pod shows: a node name shows that a pod is
// scheduled, and running containers show that its volumes are mounted.
bool reports_start(const Json& pod, const Json& condition) {
  const std::string type = text_at(condition, "/type");
  const std::string status = text_at(condition, "/status");
  if (type == "PodScheduled") return status == "False";
  return type == k_sandbox_ready && status == "True" && text_at(pod, "/status/phase") == "Pending";
}

Json status_part(const Json& pod) {
  Json part = members(object_at(pod, "/status"), {"phase", "reason", "message", "startTime"});
  for (const Json& condition : array_at(pod, "/status/conditions")) {
    if (!reports_start(pod, condition)) continue;
    part["conditions"].push_back(
        members(condition, {"type", "status", "reason", "message", "lastTransitionTime"}));
  }
  for (const char* list :
       {"initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"}) {
    for (const Json& container : array_at(pod, cat("/status/", list))) {
      part[list].push_back(
          members(container, {"name", "restartCount", "containerID", "state", "lastState"}));
    }
  }
  return part;
}

// Returns the labels that name a pod's job and replica.
std::vector<std::string_view> label_keys() {
  std::vector<std::string_view> keys;
  for (const Kind& kind : kinds()) {
    const auto& [job, role, index, operator_name] = kind.controller.labels;
    std::vector<std::string_view> own = {role, index};
    if (kind.controller.owns_by_label()) own.insert(own.end(), {job, operator_name});
    for (const std::string_view key : own) {
      const bool is_known = std::ranges::find(keys, key) != keys.end();
      if (!is_known && !key.empty()) keys.push_back(key);
    }
  }
  return keys;
}

Json metadata_part(const Json& pod) {
  static const std::vector<std::string_view> k_label_keys = label_keys();
  Json part =
      members(object_at(pod, "/metadata"), {"name", "namespace", "uid", "creationTimestamp",
                                            "deletionTimestamp", "deletionGracePeriodSeconds"});
  part["labels"] = members(object_at(pod, "/metadata/labels"), k_label_keys);
  for (const Json& owner : array_at(pod, "/metadata/ownerReferences")) {
    part["ownerReferences"].push_back(members(owner, {"uid", "apiVersion", "kind", "name"}));
  }
  const std::string container = text_at(pod, kube::annotation_pointer(k_default_container));
  if (!container.empty()) part["annotations"][k_default_container] = container;
  return part;
}

}  // namespace

Json state_projection(const Json& pod) {
  Json part = {{"metadata", metadata_part(pod)}, {"status", status_part(pod)}};
  Json& spec = part["spec"];
  spec["nodeName"] = text_at(pod, "/spec/nodeName");
  spec["restartPolicy"] = text_at(pod, "/spec/restartPolicy");
  constexpr std::int64_t k_default_grace = 30;
  const auto grace = int_at(pod, "/spec/terminationGracePeriodSeconds");
  if (grace.value_or(k_default_grace) != k_default_grace) {
    spec["terminationGracePeriodSeconds"] = *grace;
  }
  for (const std::string_view list : k_container_lists) {
    for (const Json& container : array_at(pod, cat("/spec/", list))) {
      spec[list].push_back(members(container, {"name", "restartPolicy"}));
    }
  }
  Json compact = part;  // copying drops the spare capacity of objects that were built up
  return compact;
}

Json row_projection(const Kind& kind, Json job) {
  if (!object_at(job, "/metadata").empty()) {
    Json metadata = members(job["metadata"], {"name", "namespace", "uid", "creationTimestamp",
                                              "deletionTimestamp", "finalizers", "labels"});
    const std::string values = member_values(job);
    if (!values.empty()) metadata["annotations"][std::string(k_array_values_annotation)] = values;
    job["metadata"] = Json(metadata);  // a copy has no spare capacity
  }
  if (kind.replica_specs.empty() || find(job, kind.replica_specs) == nullptr) return job;
  Json& replicas = job[Json::json_pointer(std::string(kind.replica_specs))];
  if (!replicas.is_object()) return job;
  for (auto& replica : replicas) {
    if (replica.is_object()) replica.erase("template");
  }
  return job;
}

}  // namespace trainctl::job
