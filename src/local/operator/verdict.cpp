// Sets conditions, reasons and messages as training-operator 1.9 does, kind by kind.
#include "local/operator/verdict.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/kind/kind.h"

namespace trainctl::local {

bool has_labels(const Json& object, const Json& labels) {
  const Json& there = object_at(object, "/metadata/labels");
  for (const auto& [key, value] : labels.items()) {
    const auto found = there.find(key);
    if (found == there.end() || *found != value) return false;
  }
  return true;
}

int replica_index(const Json& pod) {
  return parse_number<int>(text_at(pod, kube::label_pointer(job::k_label_index))).value_or(-1);
}

bool is_active(const Json& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  return phase != "Succeeded" && phase != "Failed" && !kube::is_being_deleted(pod);
}

std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type) {
  const Json label = Json{{job::k_label_role, type}};
  std::vector<ObjectPtr> matching;
  for (const ObjectPtr& object : objects) {
    if (has_labels(*object, label)) matching.push_back(object);
  }
  return matching;
}

namespace {

std::string_view kind_name(const StatusUpdate& update) {
  return update.job.kind->resource.kind;
}

// The job's name in messages, "PyTorchJob ddp", or with the namespace, as in some messages.
std::string subject(const StatusUpdate& update) {
  return cat(kind_name(update), ' ', update.job.name);
}
std::string full_subject(const StatusUpdate& update) {
  return cat(kind_name(update), ' ', update.job.ns, '/', update.job.name);
}

bool leads(const job::OperatedJob& job, const job::OperatedReplica& replica) {
  const job::Role* role = job::find_role(*job.kind, replica.role);
  return role != nullptr && role->leads();
}

void succeed(StatusUpdate& update, const std::string& message) {
  record(update, "Normal", reason_of(update.job, "Succeeded"), message);
  set_completed(update);
  set_true(update, "Succeeded", message);
}

void restart(StatusUpdate& update, const job::OperatedReplica& replica, int failed) {
  const std::string message = cat(subject(update), " is restarting because ", failed, ' ',
                                  replica.role, " replica(s) failed.");
  record(update, "Warning", reason_of(update.job, "Restarting"), message);
  set_true(update, "Restarting", message);
}

void fail(StatusUpdate& update, const std::string& message) {
  const std::string reason(update.job.operated().failed_reason);
  record(update, "Normal", reason_of(update.job, "Failed"), message);
  set_completed(update);
  set_condition(update.status, {.type = "Failed",
                                .status = "True",
                                .reason = reason.empty() ? reason_of(update.job, "Failed") : reason,
                                .message = message,
                                .updated = format_time(update.now),
                                .transitioned = format_time(update.now)});
}

std::string failed_message(const StatusUpdate& update, const job::OperatedReplica& replica,
                           int failed) {
  return cat(subject(update), " is failed because ", failed, ' ', replica.role,
             " replica(s) failed.");
}

// Worker 0 decides for a TFJob without a chief; where there are no workers it counts as done.
bool first_tf_worker_done(const StatusUpdate& update) {
  if (update.job.find_role("Worker") == nullptr) return true;
  for (const ObjectPtr& pod : of_role(update.pods, "worker")) {
    if (replica_index(*pod) != 0 || text_at(*pod, "/status/phase") != "Succeeded") continue;
    for (const Json& container : array_at(*pod, "/status/containerStatuses")) {
      if (text_at(container, "/name") != update.job.kind->container) continue;
      return int_at(container, "/state/terminated/exitCode") == 0;
    }
  }
  return false;
}

bool tf_workers_succeeded(const StatusUpdate& update, int unfinished) {
  const bool all_wanted = text_at(update.job.spec, "/successPolicy") == "AllWorkers";
  return unfinished == 0 || (!all_wanted && first_tf_worker_done(update));
}

const Condition* condition_of(const JobStatus& status, std::string_view type) {
  const auto found = std::ranges::find_if(
      status.conditions, [type](const Condition& condition) { return condition.type == type; });
  return found == status.conditions.end() ? nullptr : &*found;
}

}  // namespace

void set_completed(StatusUpdate& update) {
  if (update.status.completed.empty()) update.status.completed = format_time(update.now);
}

std::string reason_of(const job::OperatedJob& job, std::string_view what) {
  return cat(job.kind->resource.kind, what);
}

void set_true(StatusUpdate& update, std::string_view type, std::string_view message) {
  set_condition(update.status, {.type = std::string(type),
                                .status = "True",
                                .reason = reason_of(update.job, type),
                                .message = std::string(message),
                                .updated = format_time(update.now),
                                .transitioned = format_time(update.now)});
}

void record(StatusUpdate& update, std::string_view type, std::string_view reason,
            std::string_view message) {
  update.events.push_back({std::string(type), std::string(reason), std::string(message)});
}

namespace {

void judge_ranked(StatusUpdate& update) {
  const job::OperatedJob& job = update.job;
  const bool led = job.has_leader();
  const bool any_will_do = find(job.spec, "/elasticPolicy") != nullptr &&
                           job.operated().verdict_rule == job::VerdictRule::ranked_or_elastic;
  for (const job::OperatedReplica& replica : job.replicas) {
    const ReplicaCounts counts = update.status.replicas[replica.role];
    const bool all_done = replica.count == counts.succeeded;
    if (led && leads(job, replica)) {
      if (counts.active > 0) set_true(update, "Running", subject(update) + " is running.");
      if (all_done) return succeed(update, subject(update) + " is successfully completed.");
    }
    if (!led && replica.role == "Worker") {
      if (all_done || (any_will_do && counts.succeeded > 0)) {
        succeed(update, full_subject(update) + " successfully completed.");
      } else if (counts.active > 0) {
        set_true(update, "Running", full_subject(update) + " is running.");
      }
    }
    if (counts.failed == 0 || replica.count <= counts.succeeded + counts.active) continue;
    if (replica.restart_policy == "Never") {
      fail(update, failed_message(update, replica, counts.failed));
    } else {
      restart(update, replica, counts.failed);
    }
  }
}

void judge_led(StatusUpdate& update) {
  const job::OperatedJob& job = update.job;
  const bool runs_first = job.operated().verdict_rule == job::VerdictRule::led_once_running;
  const std::string running = subject(update) + " is running.";
  for (const job::OperatedReplica& replica : job.replicas) {
    const ReplicaCounts counts = update.status.replicas[replica.role];
    if (leads(job, replica)) {
      if (counts.active > 0) set_true(update, "Running", running);
      if (replica.count == counts.succeeded) {
        if (runs_first) set_true(update, "Running", running);
        return succeed(update, subject(update) + " is successfully completed.");
      }
    }
    if (counts.failed == 0) continue;
    if (runs_first) set_true(update, "Running", running);
    if (replica.restart_policy == "ExitCode") {
      restart(update, replica, counts.failed);
    } else {
      fail(update, failed_message(update, replica, counts.failed));
    }
  }
}

void judge_tf(StatusUpdate& update) {
  const job::OperatedJob& job = update.job;
  // Setting Running removes Restarting; a restart in progress is restored below.
  const Condition* there = condition_of(update.status, "Restarting");
  const std::optional<Condition> restarting =
      there == nullptr ? std::nullopt : std::optional(*there);
  for (const job::OperatedReplica& replica : job.replicas) {
    if (job::find_role(*job.kind, replica.role) == nullptr) continue;
    const ReplicaCounts counts = update.status.replicas[replica.role];
    const int unfinished = replica.count - counts.succeeded;
    const std::string running = full_subject(update) + " is running.";
    const std::string completed = full_subject(update) + " successfully completed.";
    if (job.has_leader() && leads(job, replica)) {
      if (counts.active > 0) set_true(update, "Running", running);
      if (unfinished == 0) succeed(update, completed);
    }
    if (!job.has_leader() && replica.role == "Worker") {
      if (tf_workers_succeeded(update, unfinished)) {
        succeed(update, completed);
      } else if (counts.active > 0) {
        set_true(update, "Running", running);
      }
    }
    if (counts.failed == 0) continue;
    if (restarting) {
      set_true(update, "Restarting", restarting->message);
    } else if (replica.role != "Worker" || !true_at(job.spec, "/enableDynamicWorker")) {
      fail(update, cat(full_subject(update), " has failed because ", counts.failed, ' ',
                       replica.role, " replica(s) failed."));
    }
  }
}

}  // namespace

void judge(StatusUpdate& update) {
  switch (update.job.operated().verdict_rule) {
    case job::VerdictRule::ranked:
    case job::VerdictRule::ranked_or_elastic:
      return judge_ranked(update);
    case job::VerdictRule::led:
    case job::VerdictRule::led_once_running:
      return judge_led(update);
    case job::VerdictRule::tensorflow:
      return judge_tf(update);
  }
}

void suspend(StatusUpdate& update) {
  JobStatus& status = update.status;
  const std::string reason = reason_of(update.job, "Suspended");
  const std::string message = subject(update) + " is suspended.";
  const std::string now = format_time(update.now);
  for (auto& [role, counts] : status.replicas) counts.active = 0;
  if (is_true(status, "Running")) {
    set_condition(status, {"Running", "False", reason, message, now, now});
  }
  if (!is_true(status, "Suspended")) set_true(update, "Suspended", message);
  record(update, "Normal", reason, message);
}

void resume(StatusUpdate& update) {
  const std::string reason = reason_of(update.job, "Resumed");
  const std::string message = subject(update) + " is resumed.";
  const std::string now = format_time(update.now);
  set_condition(update.status, {"Suspended", "False", reason, message, now, now});
  update.status.started = now;
  record(update, "Normal", reason, message);
}

}  // namespace trainctl::local
