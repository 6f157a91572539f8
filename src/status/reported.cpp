// Reads conditions where the controller keeps them up to date, else its counts and the pods.
#include "status/reported.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

namespace {

// Its program runs, or has run and is started again.
bool is_at_work(const ReplicaState& replica) {
  const bool restarts =
      replica.run.state == RunState::waiting && replica.last_exit.code.has_value();
  return replica.run.state == RunState::running || (restarts && !replica.never_started());
}

// The counts say only whether all pods of a role are ready: otherwise, some may still run.
std::optional<Running> read_counts(const Kind& kind, const Json& job,
                                   const std::vector<ReplicaState>& replicas) {
  bool runs = std::ranges::any_of(kind.roles, [&](const Role& role) {
    const Json* counts = role.prepares() ? nullptr : job_status_of(kind, job, role);
    return counts != nullptr && int_at(*counts, "/ready").value_or(0) > 0;
  });
  std::optional<Time> since;
  for (const ReplicaState& replica : replicas) {
    if (replica.id.role->prepares() || !is_at_work(replica)) continue;
    runs = true;
    since = std::max(since, replica.run.since);
  }
  if (!runs) return std::nullopt;
  return Running{since};
}

}  // namespace

bool has_reacted(const Kind& kind, const Json& job) {
  if (!array_at(job, "/status/conditions").empty()) return true;
  return kind.controller.counts_roles() && !array_at(job, kind.controller.jobs_status).empty();
}

// Operators keep the Running condition when it is over. Without that condition, only a job whose
// time was up need not have run: the operator retries a failed start for ever, and pods that went
// before the end went with a suspension or a restart.
bool may_never_have_run(const Kind& kind, const Json& job) {
  if (!kind.controller.counts_roles()) return kube::find_condition(job, "Running") == nullptr;
  const Json* failed = kube::true_condition(job, "Failed");
  return failed != nullptr && text_at(*failed, "/reason") == "DeadlineExceeded";
}

bool has_ended(const Kind& kind, const Json& job) {
  return kube::find_condition(job, "Failed") != nullptr ||
         kube::find_condition(job, kind.controller.success) != nullptr;
}

bool has_known_roles(const Kind& kind, const Json& job) {
  return !kind.controller.counts_roles() || has_reacted(kind, job);
}

int count_failed_pods(const Kind& kind, const Json& job, const Role& role) {
  if (kind.controller.counts_roles()) return 0;
  return static_cast<int>(
      int_at(job, cat("/status/replicaStatuses/", role.name, "/failed")).value_or(0));
}

std::optional<Running> read_running(const Kind& kind, const Json& job,
                                    const std::vector<ReplicaState>& replicas) {
  if (kind.controller.counts_roles()) return read_counts(kind, job, replicas);
  const Json* running = kube::true_condition(job, "Running");
  if (running == nullptr) return std::nullopt;
  return Running{kube::transition_time(*running)};
}

}  // namespace trainctl::job
