// The order of a pass: finished, suspended, resumed, limits, replicas, verdict, status.
#include "local/operator/reconcile.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "local/api/garbage.h"
#include "local/api/pod_rules.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::local {
namespace {

constexpr std::string_view k_operator = "kubeflow.org/training-operator";

bool is_managed_elsewhere(const job::OperatedKind& kind, const Json& job) {
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
  const std::string message = cat(job.kind->resource.kind, ' ', job.name, " is created.");
  set_condition(status, {"Created", "True", reason_of(job, "Created"), message, created, created});
  return status;
}

void set_selectors(StatusUpdate& update) {
  const job::OperatedJob& job = update.job;
  if (!job.operated().selector_in_status) return;
  for (const job::OperatedReplica& replica : job.replicas) {
    update.status.replicas[replica.role].selector =
        cat(job::pod_selector(job.kind, job.name), ',', job::k_label_role, '=', replica.type);
  }
}

// Removes a job whose time to live is over; true when it was removed. Without a completionTime that
// never happens.
bool remove_expired(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  const auto completed = parse_time(pass.update.status.completed);
  if (!pass.job.ttl || pass.job.suspended || !completed) return false;
  const Time expiry = *completed + std::chrono::seconds(*pass.job.ttl);
  if (pass.update.now <= expiry) {
    result.again = expiry + std::chrono::milliseconds(1);
    return false;
  }
  auto answer =
      delete_object(pass.store, pass.update.now, resource, pass.job.ns, pass.job.name, -1);
  if (std::holds_alternative<ApiError>(answer)) return false;
  record(pass.update, "Normal", pass.job.operated().deleted_reason,
         "Deleted job: " + pass.job.name);
  return true;
}

bool cannot_expire(const OperatorPass& pass) {
  return pass.job.ttl && !pass.job.suspended && pass.update.status.completed.empty();
}

enum class Next { write, stop };

// Deletes the pods (and their services) of a finished or suspended job as cleanPodPolicy says.
bool clean_pods(OperatorPass& pass) {
  const bool finished = is_finished(pass.update.status);
  const std::string& policy = pass.job.clean_pod_policy;
  if (finished && policy == "None") return true;
  for (const ObjectPtr& pod : pass.update.pods) {
    const std::string phase = text_at(*pod, "/status/phase");
    const bool over = phase != "Running" && phase != "Pending";
    if (finished && policy == "Running" && over) continue;
    const std::string name = text_at(*pod, "/metadata/name");
    if (!delete_pod(pass, name) || !delete_service(pass, name)) return false;
  }
  return true;
}

Next finish(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  if (!clean_pods(pass)) {
    result.failed = true;
    return Next::stop;
  }
  // The real operator stops here with an error, and so never folds the counts.
  if (cannot_expire(pass) || remove_expired(pass, resource, result)) return Next::stop;
  fold_active(pass.update.status);
  return Next::write;
}

Next suspend_job(OperatorPass& pass, PassResult& result) {
  if (!clean_pods(pass)) {
    result.failed = true;
    return Next::stop;
  }
  suspend(pass.update);
  return Next::write;
}

Next stop_at_limit(OperatorPass& pass, const ServedResource& resource, const std::string& message,
                   PassResult& result) {
  fail_by_limit(pass.update, message);
  if (!clean_pods(pass)) {
    result.failed = true;
    return Next::stop;
  }
  return remove_expired(pass, resource, result) ? Next::stop : Next::write;
}

void mirror_container(StatusUpdate& update, const Json& pod, const Json& container) {
  const std::string place =
      cat("Error pod ", text_at(pod, "/metadata/name"), " container ", text_at(container, "/name"));
  if (const auto code = int_at(container, "/state/terminated/exitCode"); code && *code != 0) {
    record(update, "Warning", text_at(container, "/state/terminated/reason"),
           cat(place, " exitCode: ", *code,
               " terminated message: ", text_at(container, "/state/terminated/message")));
  }
  const std::string waiting = text_at(container, "/state/waiting/message");
  if (waiting.empty()) return;
  record(update, "Warning", text_at(container, "/state/waiting/reason"),
         cat(place, " waiting message: ", waiting));
}

// The condition that changed last counts for a pod that has no containers yet.
void mirror_condition(StatusUpdate& update, const Json& pod) {
  const Json& conditions = array_at(pod, "/status/conditions");
  const auto changed = [](const Json& condition) {
    return parse_time(text_at(condition, "/lastTransitionTime")).value_or(Time{});
  };
  const auto latest = std::ranges::max_element(
      conditions, [&](const Json& a, const Json& b) { return changed(a) < changed(b); });
  if (latest == conditions.end() || text_at(*latest, "/status") == "True") return;
  record(update, "Warning", text_at(*latest, "/reason"),
         cat("Error pod ", text_at(pod, "/metadata/name"),
             " condition message: ", text_at(*latest, "/message")));
}

// Repeats errors of containers and pods as events of the job.
void mirror_pod_errors(StatusUpdate& update) {
  for (const ObjectPtr& pod : update.pods) {
    if (!is_active(*pod)) continue;
    const Json& containers = array_at(*pod, "/status/containerStatuses");
    const Json& init = array_at(*pod, "/status/initContainerStatuses");
    for (const Json& container : containers.empty() ? init : containers) {
      mirror_container(update, *pod, container);
    }
    if (containers.empty() && init.empty()) mirror_condition(update, *pod);
  }
}

Next run(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  StatusUpdate& update = pass.update;
  if (is_true(update.status, "Suspended")) resume(update);
  mirror_pod_errors(update);
  if (const std::string limit = exceeded_limit(update); !limit.empty()) {
    return stop_at_limit(pass, resource, limit, result);
  }
  const bool has_launcher = pass.job.kind->has_launcher();
  if (!(has_launcher ? reconcile_mpi(pass) : reconcile_pods_and_services(pass))) {
    result.failed = true;
    return Next::stop;
  }
  if (update.status.started.empty()) update.status.started = format_time(update.now);
  set_selectors(update);
  judge(update);
  return Next::write;
}

Next step(OperatorPass& pass, const ServedResource& resource, PassResult& result) {
  if (is_finished(pass.update.status)) return finish(pass, resource, result);
  if (pass.job.suspended) return suspend_job(pass, result);
  return run(pass, resource, result);
}

void write_status(OperatorPass& pass, const ServedResource& resource) {
  modify(pass.store, resource, pass.job.ns, pass.job.name,
         [&pass](Json& job) { member(job, "status") = status_json(pass.update.status); });
}

}  // namespace

PassResult reconcile(Store& store, Time now, const ServedResource& resource, const Json& object,
                     int failures, Recreations& recreations) {
  const job::Kind& kind = *resource.job_kind;
  if (kind.operated == nullptr || is_managed_elsewhere(*kind.operated, object)) return {};
  // A webhook has checked the jobs of other kinds.
  if (const std::string fault = kind.has_launcher() ? mpi_fault(object) : ""; !fault.empty()) {
    const std::string_view name = resource.resource.kind;
    return {.failed = true,
            .again = {},
            .events = {{"Warning", cat(name, "FailedValidation"),
                        cat(name, " failed validation because ", fault)}}};
  }
  const job::OperatedJob job = job::operated_job(kind, object);
  // An empty replica map leaves a job without a status for ever.
  if (kube::is_being_deleted(object) || job.replicas.empty()) return {};
  const std::vector<ObjectPtr> pods = pods_of(store, job);
  StatusUpdate update{job, pods, now, status_with_created(job, object), {}};
  const JobStatus before = update.status;
  OperatorPass pass{store, job, update, services_of(store, job), failures, recreations};
  PassResult result;
  const Next next = step(pass, resource, result);
  if (next == Next::write && update.status != before) write_status(pass, resource);
  if (next == Next::write && !is_finished(update.status) && !job.suspended) {
    const auto end = deadline(job, update.status);
    result.again = end && pass.again ? std::min(end, pass.again) : end ? end : pass.again;
  }
  result.events = std::move(update.events);
  return result;
}

}  // namespace trainctl::local
