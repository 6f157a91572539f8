// Checks backoffLimit and activeDeadlineSeconds of a job.
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "local/operator/verdict.h"
#include "manifest/kind/kind.h"

namespace trainctl::local {
namespace {

std::int64_t restarts(const Json& pod) {
  std::int64_t sum = 0;
  for (const std::string_view list :
       {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const Json& container : array_at(pod, list)) {
      sum += int_at(container, "/restartCount").value_or(0);
    }
  }
  return sum;
}

bool counts_restarts(const job::OperatedReplica& replica) {
  const std::string& policy = replica.restart_policy;
  return policy == "OnFailure" || policy == "Always" || policy == "ExitCode";
}

// Counts only running pods, so a restart by deletion is not counted.
std::int64_t total_restarts(const StatusUpdate& update) {
  std::int64_t sum = 0;
  for (const job::OperatedReplica& replica : update.job.replicas) {
    if (!counts_restarts(replica)) continue;
    for (const ObjectPtr& pod : of_role(update.pods, replica.type)) {
      if (text_at(*pod, "/status/phase") == "Running") sum += restarts(*pod);
    }
  }
  return sum;
}

// The operator's retry count never changes, so this is true only for a limit below 1.
bool failed_beyond_limit(const StatusUpdate& update) {
  int active = 0, failed = 0, failed_before = 0;
  for (const ObjectPtr& pod : update.pods) {
    active += is_active(*pod) ? 1 : 0;
    failed += text_at(*pod, "/status/phase") == "Failed" ? 1 : 0;
  }
  for (const auto& [role, counts] : update.status.replicas) failed_before += counts.failed;
  return failed > failed_before && active != update.job.total() && *update.job.backoff_limit < 1;
}

bool past_backoff_limit(const StatusUpdate& update) {
  if (!update.job.backoff_limit) return false;
  const std::int64_t limit = *update.job.backoff_limit;
  const std::int64_t sum = total_restarts(update);
  return failed_beyond_limit(update) || (limit == 0 ? sum > 0 : sum >= limit);
}

}  // namespace

std::optional<Time> deadline(const job::OperatedJob& job, const JobStatus& status) {
  const auto start = parse_time(status.started);
  if (!job.active_deadline || !start) return std::nullopt;
  return *start + std::chrono::seconds(*job.active_deadline);
}

std::string exceeded_limit(const StatusUpdate& update) {
  const std::string subject = cat("Job ", update.job.name, " has failed because it ");
  if (past_backoff_limit(update)) {
    return subject + "has reached the specified backoff limit";
  }
  const auto end = deadline(update.job, update.status);
  if (end && update.now >= *end) {
    return subject + "was active longer than specified deadline";
  }
  return "";
}

void fail_by_limit(StatusUpdate& update, const std::string& message) {
  set_completed(update);
  record(update, "Normal", reason_of(update.job, "Failed"), message);
  set_true(update, "Failed", message);
}

}  // namespace trainctl::local
