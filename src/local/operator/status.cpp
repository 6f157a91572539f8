// Reads, changes and writes JobStatus of kubeflow.org/v1 as training-operator 1.9 does.
#include "local/operator/status.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"

namespace trainctl::local {

namespace {

Condition read_condition(const Json& condition) {
  return {.type = text_at(condition, "/type"),
          .status = text_at(condition, "/status"),
          .reason = text_at(condition, "/reason"),
          .message = text_at(condition, "/message"),
          .updated = text_at(condition, "/lastUpdateTime"),
          .transitioned = text_at(condition, "/lastTransitionTime")};
}

int count_at(const Json& value, std::string_view pointer) {
  return static_cast<int>(int_at(value, pointer).value_or(0));
}

// Custom resources are returned with their fields in alphabetical order.
Json condition_json(const Condition& condition) {
  return Json{{"lastTransitionTime", condition.transitioned},
              {"lastUpdateTime", condition.updated},
              {"message", condition.message},
              {"reason", condition.reason},
              {"status", condition.status},
              {"type", condition.type}};
}

Json counts_json(const ReplicaCounts& counts) {
  Json json = Json::object();
  if (counts.active != 0) json["active"] = counts.active;
  if (counts.failed != 0) json["failed"] = counts.failed;
  if (!counts.selector.empty()) json["selector"] = counts.selector;
  if (counts.succeeded != 0) json["succeeded"] = counts.succeeded;
  return json;
}

bool ends_job(std::string_view type) {
  return type == "Failed" || type == "Succeeded";
}

bool drives_out(std::string_view added, std::string_view there) {
  return added == there || (added == "Restarting" && there == "Running") ||
         (added == "Running" && there == "Restarting");
}

}  // namespace

JobStatus read_status(const Json& job) {
  JobStatus status;
  for (const Json& condition : array_at(job, "/status/conditions")) {
    status.conditions.push_back(read_condition(condition));
  }
  for (const auto& [role, counts] : object_at(job, "/status/replicaStatuses").items()) {
    status.replicas[role] = {.active = count_at(counts, "/active"),
                             .succeeded = count_at(counts, "/succeeded"),
                             .failed = count_at(counts, "/failed"),
                             .selector = text_at(counts, "/selector")};
  }
  status.started = text_at(job, "/status/startTime");
  status.completed = text_at(job, "/status/completionTime");
  return status;
}

Json status_json(const JobStatus& status) {
  Json json = Json::object();
  if (!status.completed.empty()) json["completionTime"] = status.completed;
  Json conditions = Json::array();
  for (const Condition& condition : status.conditions) {
    conditions.push_back(condition_json(condition));
  }
  if (!conditions.empty()) json["conditions"] = std::move(conditions);
  Json replicas = Json::object();
  for (const auto& [role, counts] : status.replicas) replicas[role] = counts_json(counts);
  if (!replicas.empty()) json["replicaStatuses"] = std::move(replicas);
  if (!status.started.empty()) json["startTime"] = status.started;
  return json;
}

bool is_true(const JobStatus& status, std::string_view type) {
  return std::ranges::any_of(status.conditions, [type](const Condition& condition) {
    return condition.type == type && condition.status == "True";
  });
}

bool is_finished(const JobStatus& status) {
  return is_true(status, "Succeeded") || is_true(status, "Failed");
}

void set_condition(JobStatus& status, Condition condition) {
  if (is_true(status, "Failed")) return;
  auto& conditions = status.conditions;
  const auto there = std::ranges::find_if(
      conditions, [&](const Condition& each) { return each.type == condition.type; });
  if (there != conditions.end() && there->status == condition.status) {
    if (there->reason == condition.reason) return;
    condition.transitioned = there->transitioned;
  }
  std::erase_if(conditions,
                [&](const Condition& each) { return drives_out(condition.type, each.type); });
  for (Condition& each : conditions) {
    if (ends_job(condition.type) && each.type == "Running") each.status = "False";
  }
  conditions.push_back(std::move(condition));
}

void count_pod(ReplicaCounts& counts, const Json& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  const bool deleting = kube::is_being_deleted(pod);
  if (phase == "Running") ++(deleting ? counts.failed : counts.active);
  if (phase == "Succeeded") ++counts.succeeded;
  if (phase == "Failed") ++counts.failed;
}

void fold_active(JobStatus& status) {
  if (!is_true(status, "Succeeded")) return;
  for (auto& [role, counts] : status.replicas) {
    counts.succeeded += counts.active;
    counts.active = 0;
  }
}

}  // namespace trainctl::local
