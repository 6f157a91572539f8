// Decides when a job runs, restarts, has failed or succeeded, by the rules of each kind's operator.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "local/operator/status.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::local {

// Distinguishes existing pods and services by their labels.
using ObjectPtr = std::shared_ptr<const Json>;

// True when `object` carries all of `labels`.
bool has_labels(const Json& object, const Json& labels);

// The replica-index label, or -1.
int replica_index(const Json& pod);

// True when the pod is neither finished nor being deleted.
bool is_active(const Json& pod);

// The pods (or services) of one role among a job's.
std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type);

// The result of one pass over a job: the status to write, and its events.
struct StatusUpdate {
  const job::OperatedJob& job;
  std::span<const ObjectPtr> pods;  // pods of the job
  Time now;
  JobStatus status;  // has this pass's counts; changed in place
  std::vector<OperatorEvent> events;
};

// The kind's reason of a condition: "PyTorchJobFailed".
std::string reason_of(const job::OperatedJob& job, std::string_view what);

// Sets a condition to True with the kind's reason ("PyTorchJobRunning").
void set_true(StatusUpdate& update, std::string_view type, std::string_view message);
void record(StatusUpdate& update, std::string_view type, std::string_view reason,
            std::string_view message);

// The time at which the job ended, unless it has one.
void set_completed(StatusUpdate& update);

// Derives conditions and events from the counts of the replicas, by the kind's VerdictRule.
void judge(StatusUpdate& update);

// Set the conditions of a job under runPolicy.suspend, and when that ends.
void suspend(StatusUpdate& update);
void resume(StatusUpdate& update);

// The exceeded limit that ends the job ("" = none): backoffLimit, then activeDeadlineSeconds.
std::string exceeded_limit(const StatusUpdate& update);
void fail_by_limit(StatusUpdate& update, const std::string& message);

// When activeDeadlineSeconds expires; nullopt without one or before the start.
std::optional<Time> deadline(const job::OperatedJob& job, const JobStatus& status);

}  // namespace trainctl::local
