// The order of a pass: finished, suspended, resumed, limits, replicas, verdict, status.
#include "local/operator/pass.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/json.h"
#include "job/operator/wanted_objects.h"
#include "kube/object/metadata.h"
#include "local/api/garbage.h"
#include "local/operator/kind.h"

namespace trainctl::local {

namespace {

constexpr std::string_view k_operator = "kubeflow.org/training-operator";

bool is_managed_elsewhere(const ControllerRules& kind, const Json& job) {
  const std::string manager = text_at(job, "/spec/runPolicy/managedBy");
  return kind.honours_managed_by && !manager.empty() && manager != k_operator;
}

// Services are matched by their labels alone.
std::vector<ObjectPtr> services_of(const Store& store, const job::OperatedJob& job) {
  const Json labels = job_labels(job);
  std::vector<ObjectPtr> found;
  for (const ObjectPtr& service : store.list(resource_of(k_services), job.ns)) {
    if (has_labels(*service, labels)) found.push_back(service);
  }
  return found;
}

// The condition Created dates from the moment the job was stored, though it is written only with
// the rest.
JobStatus status_with_created(const job::OperatedJob& job, const Json& object) {
  JobStatus status = read_status(object);
  const bool known = std::ranges::any_of(
      status.conditions, [](const Condition& each) { return each.type == "Created"; });
  if (known) return status;
  const std::string created = text_at(object, "/metadata/creationTimestamp");
  const std::string message =
      cat(job.kind->job_kind().resource.kind, ' ', job.name, " is created.");
  set_condition(status, {"Created", "True", reason_of(job, "Created"), message, created, created});
  return status;
}

void set_selectors(Judgement& judgement) {
  const job::OperatedJob& job = judgement.job;
  if (!controller_rules(job).selector_in_status) return;
  for (const job::OperatedReplica& replica : job.replicas) {
    judgement.status.replicas[replica.role].selector =
        cat(job::pod_selector(&job.kind->job_kind(), job.name), ',', job::k_label_role, '=',
            replica.type);
  }
}

// Removes a job whose time to live is over; true when it was removed. Without a completionTime that
// never happens.
bool remove_expired(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  const auto completed = parse_time(pass.judgement.status.completed);
  if (!pass.job.ttl || pass.job.suspended || !completed) return false;
  const Time expiry = *completed + std::chrono::seconds(*pass.job.ttl);
  if (pass.judgement.now <= expiry) {
    result.again = expiry + std::chrono::milliseconds(1);
    return false;
  }
  auto answer = delete_object(pass.store, pass.judgement.now, resource, pass.job.ns, pass.job.name,
                              -1, "Background");
  if (std::holds_alternative<ApiError>(answer)) return false;
  record(pass.judgement, "Normal", controller_rules(pass.job).deleted_reason,
         "Deleted job: " + pass.job.name);
  return true;
}

bool cannot_expire(const OperatorPass& pass) {
  return pass.job.ttl && !pass.job.suspended && pass.judgement.status.completed.empty();
}

enum class Next { write, stop };

Next finish(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  if (!clean_pods(pass)) {
    result.failed = true;
    return Next::stop;
  }
  // The real operator stops here with an error, and so never folds the counts.
  if (cannot_expire(pass) || remove_expired(pass, resource, result)) return Next::stop;
  fold_active(pass.judgement.status);
  return Next::write;
}

Next suspend_job(OperatorPass& pass, PassResult& result) {
  if (!clean_pods(pass)) {
    result.failed = true;
    return Next::stop;
  }
  suspend(pass.judgement);
  return Next::write;
}

Next stop_at_limit(OperatorPass& pass, const ServedResource& resource, const std::string& message,
                   PassResult& result) {
  fail_by_limit(pass.judgement, message);
  if (!clean_pods(pass)) {
    result.failed = true;
    return Next::stop;
  }
  return remove_expired(pass, resource, result) ? Next::stop : Next::write;
}

Next run(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  Judgement& judgement = pass.judgement;
  if (is_true(judgement.status, "Suspended")) resume(judgement);
  mirror_pod_errors(judgement);
  if (const std::string limit = exceeded_limit(judgement); !limit.empty()) {
    return stop_at_limit(pass, resource, limit, result);
  }
  if (!controller_rules(pass.job).reconcile_replicas(pass)) {
    result.failed = true;
    return Next::stop;
  }
  if (judgement.status.started.empty()) judgement.status.started = format_time(judgement.now);
  set_selectors(judgement);
  controller_rules(pass.job).judge(judgement);
  return Next::write;
}

Next take_turn(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  if (is_finished(pass.judgement.status)) return finish(pass, resource, result);
  if (pass.job.suspended) return suspend_job(pass, result);
  return run(pass, resource, result);
}

void write_status(OperatorPass& pass, const ServedResource& resource) {
  modify(pass.store, resource, pass.job.ns, pass.job.name,
         [&pass](Json& job) { member(job, "status") = status_json(pass.judgement.status); });
}

}  // namespace

PassResult reconcile(Store& store, Time now, const ServedResource& resource, const Json& object,
                     int failures, Recreations& recreations) {
  const ControllerRules* kind = find_controller_rules(*resource.job_kind);
  if (kind == nullptr || is_managed_elsewhere(*kind, object)) return {};
  if (const std::string fault = kind->fault == nullptr ? "" : kind->fault(object); !fault.empty()) {
    const std::string_view name = resource.resource.kind;
    return {.failed = true,
            .again = {},
            .events = {{"Warning", cat(name, "FailedValidation"),
                        cat(name, " failed validation because ", fault)}}};
  }
  const job::OperatedJob job =
      job::operated_job(*job::find_operated_kind(*resource.job_kind), object);
  // An empty replica map leaves a job without a status for ever.
  if (kube::is_being_deleted(object) || job.replicas.empty()) return {};
  const std::vector<ObjectPtr> pods = pods_of(store, job);
  Judgement judgement{job, pods, now, status_with_created(job, object), {}};
  const JobStatus before = judgement.status;
  OperatorPass pass{store, job, judgement, services_of(store, job), failures, recreations};
  PassResult result;
  const Next next = take_turn(pass, resource, result);
  if (next == Next::write && judgement.status != before) write_status(pass, resource);
  if (next == Next::write && !is_finished(judgement.status) && !job.suspended) {
    const auto end = deadline(job, judgement.status);
    result.again = end && pass.again ? std::min(end, pass.again) : end ? end : pass.again;
  }
  result.events = std::move(judgement.events);
  return result;
}

}  // namespace trainctl::local
