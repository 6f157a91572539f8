// What ends the following: the job's own verdict, a replica's, or a start that takes too long.
#include <algorithm>

#include "base/text.h"
#include "job/follow/follower.h"
#include "job/status/exit_words.h"
#include "job/status/hints.h"
#include "job/status/pod_state.h"

namespace trainctl::job {

namespace {

using std::chrono::seconds;

constexpr Duration k_clean_up = seconds(45);     // for pods the operator stops: 30 s grace and some
constexpr Duration k_culprit_wait = seconds(1);  // for the pod that made the job fail

bool is_dead(const ReplicaState& replica) {
  if (replica.deleting) return false;
  if (replica.start_failure && replica.start_failure->is_of_program()) return true;
  return replica.state == RunState::failed || replica.reason == "CrashLoopBackOff";
}

bool is_stuck(const JobState& state) {
  return state.blocker.has_value() || state.phase == Phase::submitted;
}

bool has_moved_on(const JobState& state, const std::string& replica) {
  if (replica.empty()) return true;  // its pods could be created
  return std::any_of(state.replicas.begin(), state.replicas.end(), [&](const ReplicaState& one) {
    const bool runs = one.state == RunState::running || one.state == RunState::succeeded;
    return one.id.name() == replica && (runs || (one.exit_code && !one.never_started()));
  });
}

}  // namespace

void Follower::watch_start() {
  const JobState& state = monitor_.state();
  if (is_stuck(state)) {
    stuck_ = state.blocker;
  } else if (!stuck_ || has_moved_on(state, stuck_->replica)) {
    // Between two attempts to pull an image nothing seems wrong: only real progress counts.
    start_timer_.reset();
    stuck_.reset();
    return;
  }
  if (start_timer_ != nullptr || !options_.start_timeout) return;
  start_timer_ = client_.loop().after(*options_.start_timeout, [this] { on_start_timeout(); });
}

void Follower::on_start_timeout() {
  start_timer_.reset();
  if (verdict_) return;
  std::string why = monitor_.state().message;
  std::string hint = std::string(k_no_operator_hint);
  if (stuck_) {
    if (!stuck_->pod.empty()) why = cat("pod ", stuck_->pod, ": ", stuck_->words());
    hint = stuck_->hint.empty() ? cat("trainctl describe ", name_) : stuck_->hint;
  }
  settle(Error{Code::not_started, cat("job ", name_, " could not start: ", why), hint}, {});
}

// Job and pods come by two watches: a job's failure may be known before the pod's, which tells
// what exit status it is worth.
bool Follower::waits_for_culprit() {
  const JobState& state = monitor_.state();
  if (no_culprit_ || state.first_failed || state.reason == "DeadlineExceeded") return false;
  if (culprit_timer_ == nullptr) {
    culprit_timer_ = client_.loop().after(k_culprit_wait, [this] {
      no_culprit_ = true;
      if (!verdict_) decide();
    });
  }
  return true;
}

void Follower::decide() {
  const JobState& state = monitor_.state();
  const bool clean_up =
      text_at(monitor_.job(), cat(kind_.run_policy, "/cleanPodPolicy"), "None") != "None";
  const Duration grace = clean_up ? k_clean_up : k_settle;
  if (state.phase == Phase::succeeded) {
    Status verdict;
    if (options_.wait_for == WaitFor::failed) {
      verdict = Error{Code::error, cat("job ", name_, " succeeded")};
    }
    settle(std::move(verdict), grace);
  } else if (state.phase == Phase::failed) {
    if (options_.wait_for == WaitFor::failed) {
      settle({}, {});
      return;
    }
    if (waits_for_culprit()) return;
    if (state.first_failed) blame(state.replicas[*state.first_failed]);
    settle(failure(), grace);
  } else if (state.phase == Phase::suspended && !suspended_before_) {
    settle(Error{Code::removed, cat("job ", name_, " was suspended while it was followed")},
           k_settle);
  } else if (options_.wait_for == WaitFor::running && state.phase == Phase::running) {
    settle({}, {});
  } else if (auto verdict = verdict_of_replica()) {
    settle(*std::move(verdict), k_settle);
  } else {
    judge_running();
  }
}

// The job itself says nothing, its replicas may.
void Follower::judge_running() {
  if (options_.fail_fast) watch_dead_replica();
  if (int_at(monitor_.job(), cat(kind_.run_policy, "/backoffLimit"))) return;
  for (const ReplicaState& replica : monitor_.state().replicas) {
    if (!is_crash_loop(replica)) continue;
    blame(replica);
    settle(crash_loop(replica), k_settle);
    return;
  }
}

// The operator gets a moment to end the job, or to make the pod anew.
void Follower::watch_dead_replica() {
  const auto& replicas = monitor_.state().replicas;
  const auto dead = std::find_if(replicas.begin(), replicas.end(), is_dead);
  if (dead == replicas.end()) return dead_.see("", {});
  dead_.see(dead->uid, [this, replica = *dead] {
    if (verdict_) return;
    blame(replica);
    settle(dead_replica(replica), k_settle);
  });
}

std::optional<Status> Follower::verdict_of_replica() {
  if (!only_ || options_.wait_for != WaitFor::verdict) return std::nullopt;
  for (const ReplicaState& replica : monitor_.state().replicas) {
    if (replica.id != *only_) continue;
    if (replica.state == RunState::succeeded) return Status{};
    if (replica.state == RunState::failed && !replica.deleting) {
      blame(replica);
      if (replica.never_started()) return could_not_start(replica);
      return Error{Code::job_failed, cat(replica.id.name(), ' ', exit_words(replica.exit_code))};
    }
  }
  return std::nullopt;
}

// A verdict of success does not make up for lines that were promised and not written; a reader who
// goes after the verdict wanted no more.
void Follower::lose_output(Error error) {
  finished_ = true;
  if (!verdict_) return settle(std::move(error), {});
  if (error.code == Code::broken_pipe) return;
  if (!*verdict_) console_.warn(error.message);
  output_lost_ = std::move(error);
}

void Follower::time_out() {
  settle(Error{Code::timeout,
               cat("job ", name_, " is still ", phase_name(monitor_.state().phase), " after ",
                   format_age(*options_.timeout)),
               cat("see why: trainctl describe ", name_)},
         {});
}

}  // namespace trainctl::job
