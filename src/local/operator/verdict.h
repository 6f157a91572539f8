// When a job runs, restarts, has failed or succeeded: the rules of each kind's operator.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/operator/operated_job.h"
#include "local/operator/pods.h"
#include "local/operator/status.h"

namespace trainctl::local {

// What one look at a job says: the status to write, and the events that go with it.
struct Judgement {
  const job::OperatedJob& job;
  std::span<const ObjectPtr> pods;  // the job's own
  Time now;
  JobStatus status;  // with this pass's counts; changed in place
  std::vector<OperatorEvent> events;
};

// "PyTorchJobFailed".
std::string reason_of(const job::OperatedJob& job, std::string_view what);

// Sets a condition to True with the kind's reason ("PyTorchJobRunning").
void set_true(Judgement& judgement, std::string_view type, std::string_view message);
void record(Judgement& judgement, std::string_view type, std::string_view reason,
            std::string_view message);
void set_completed(Judgement& judgement);

// OperatorKind::judge of …
void judge_ranked(Judgement& judgement);  // PyTorch, Paddle, JAX
void judge_led(Judgement& judgement);     // XGBoost, MPI
void judge_tf(Judgement& judgement);

// What is said of a job under runPolicy.suspend, and when that ends.
void suspend(Judgement& judgement);
void resume(Judgement& judgement);

// Why the job may go on no longer ("" = it may): backoffLimit, then activeDeadlineSeconds.
std::string exceeded_limit(const Judgement& judgement);
void fail_by_limit(Judgement& judgement, const std::string& message);

// When activeDeadlineSeconds will be over; nullopt without one or before the start.
std::optional<Time> deadline(const job::OperatedJob& job, const JobStatus& status);

}  // namespace trainctl::local
