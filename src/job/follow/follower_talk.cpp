// What a follower says on stderr: phases, restarts, signs of life, and the sum of it all.
#include <algorithm>

#include "base/text.h"
#include "job/follow/follower.h"
#include "job/status/exit_words.h"
#include "job/status/hints.h"
#include "job/status/pod_state.h"

namespace trainctl::job {

namespace {

constexpr Duration k_longest_heartbeat = std::chrono::minutes(5);

}  // namespace

// Each phase, and each reason within it, is said once: ErrImagePull and ImagePullBackOff alternate,
// and the scheduler counts its nodes anew each time. What an event tells counts with its words:
// FailedMount first only says that a cache is not ready.
void Follower::announce() {
  const JobState& state = monitor_.state();
  if (is_final(state.phase) || state.reason == k_sidecar_running) return;
  std::string what = state.reason == "ErrImagePull" ? "ImagePullBackOff" : state.reason;
  if (state.blocker) what += ' ' + state.blocker->replica;
  // A node that has just started first blames its own cache, then the secret that is not there.
  const bool changes_its_mind = state.reason == "CreateContainerConfigError";
  if (state.blocker && (changes_its_mind || state.reason.starts_with("Failed"))) {
    what += ' ' + state.message;
  }
  if (!announced_.insert(cat(phase_name(state.phase), ' ', what)).second) return;
  std::string text = cat(name_, ": ", phase_name(state.phase));
  if (!state.message.empty()) text += " (" + state.message + ")";
  console_.notice(text);
}

void Follower::announce_restarts() {
  for (const ReplicaState& replica : monitor_.state().replicas) {
    const int restarts = replica.restarts.value_or(0);
    // The kubelet restarts what it could not start, and the phase says why.
    if (restarts == 0 || replica.never_started()) continue;
    const std::string name = replica.id.name();
    if (!announced_.insert(cat("restart ", replica.uid, ' ', restarts)).second) continue;
    const auto& code = replica.exit_before;
    console_.notice(
        cat(name, ' ', code ? exit_words(*code) : "ended", "; restarted (restart ", restarts, ")"));
  }
}

// Most sidecars end soon after what they serve.
void Follower::watch_sidecar() {
  const ReplicaState* kept = first_kept(monitor_.state());
  if (kept == nullptr) return kept_.see("", {});
  kept_.see(kept->uid, [this, container = kept->kept_by] {
    if (verdict_) return;
    console_.notice(cat(name_, ": ", monitor_.state().message, " and the job going; ",
                        sidecar_hint(container)));
  });
}

// In their order, so not before all that there are at the begin have come.
void Follower::announce_events() {
  if (!monitor_.events_listed()) return;
  for (const Json& event : monitor_.events()) {
    const std::string count = cat(int_at(event, "/count").value_or(1));
    if (!announced_.insert(cat("event ", text_at(event, "/metadata/uid"), ' ', count)).second) {
      continue;
    }
    const std::string kind = text_at(event, "/involvedObject/kind");
    const std::string when = format_time(event_time(event).value_or(Time{}));
    console_.notice(cat("event: ", when, ' ', text_at(event, "/type"), ' ',
                        text_at(event, "/reason"), ' ', kind == "Pod" ? "pod " : "job ",
                        text_at(event, "/involvedObject/name"), ": ",
                        printable_line(text_at(event, "/message"))));
  }
}

Error Follower::failure() const {
  const JobState& state = monitor_.state();
  Error error{Code::job_failed, cat("job ", name_, " failed: ", state.message)};
  if (!culprit_) {
    error.hint = cat("trainctl describe ", name_);
    return error;
  }
  return culprit_->never_started() ? could_not_start(*culprit_) : error;
}

// The same whatever ends the waiting: the job itself, its operator or --start-timeout.
Error Follower::could_not_start(const ReplicaState& replica) const {
  const StartFailure& why = *replica.start_failure;
  return {Code::not_started,
          cat("job ", name_, " could not start: pod ", pod_name(monitor_.job(), replica.id), ": ",
              why.words()),
          hint_for(why.reason, why.message)};
}

Error Follower::crash_loop(const ReplicaState& replica) const {
  if (replica.never_started()) return could_not_start(replica);
  return {Code::job_failed,
          cat("job ", name_, " is in a crash loop: ", replica.id.name(), ' ',
              exit_words(replica.exit_code), ' ', replica.restarts.value_or(0) + 1,
              " times and the job has no backoffLimit to end it"),
          cat("end it: trainctl delete ", name_)};
}

Error Follower::dead_replica(const ReplicaState& replica) const {
  if (replica.never_started()) return could_not_start(replica);
  return {Code::job_failed,
          cat("job ", name_, " is ", phase_name(monitor_.state().phase), ", but ",
              replica.id.name(), ' ', exit_words(replica.exit_code), " (--fail-fast)"),
          cat("end it: trainctl delete ", name_)};
}

// Of the culprit; what its container left in its status when its log is gone.
std::vector<std::string> Follower::last_lines() const {
  if (!culprit_ || culprit_->never_started()) return {};
  std::vector<std::string> lines = last_lines_.of(culprit_->id);
  if (!lines.empty() || culprit_->last_words.empty()) return lines;
  lines = split(culprit_->last_words, '\n');
  const auto left_out = std::max<std::ptrdiff_t>(0, std::ssize(lines) - k_digest_lines);
  lines.erase(lines.begin(), lines.begin() + left_out);
  return lines;
}

// The operator deletes the pods of some failed jobs, and their logs with them.
Status Follower::with_log_hint(Status verdict) const {
  if (!culprit_ || verdict) return verdict;
  Error error = std::move(verdict).error();
  if (error.code != Code::job_failed || !error.hint.empty()) return error;
  const auto& replicas = monitor_.state().replicas;
  const bool is_there = std::any_of(replicas.begin(), replicas.end(), [this](const auto& one) {
    return one.uid == culprit_->uid && one.stands();
  });
  if (is_there) {
    error.hint = cat("its whole log: trainctl logs ", name_, "/", culprit_->id.name());
  } else if (options_.save) {
    error.hint = "its pod is gone; its log is among those saved";
  } else {
    error.hint = "its pod is gone, and its log with it; --save-logs DIR keeps the logs";
  }
  return error;
}

// From when the operator took it up until it was done, however little of that was watched.
Duration Follower::run_time() const {
  const Json& job = monitor_.job();
  const auto first_of = [&job](std::initializer_list<std::string_view> pointers) {
    std::optional<Time> time;
    for (const std::string_view pointer : pointers) {
      if (!time) time = parse_time(text_at(job, pointer));
    }
    return time;
  };
  const auto began = first_of({"/status/startTime", "/metadata/creationTimestamp"});
  auto ended = first_of({"/status/completionTime"});
  if (!ended) ended = monitor_.state().since;
  if (began && ended && *ended >= *began) return *ended - *began;
  return client_.loop().now() - started_;
}

void Follower::sum_up(const std::vector<std::string>& last_lines) {
  const JobState& state = monitor_.state();
  if (culprit_ && !*verdict_ && !culprit_->never_started()) {
    for (const std::string& line : failure_digest(*culprit_, last_lines)) console_.notice(line);
  }
  if (!is_final(state.phase)) return;
  const std::string policy =
      text_at(monitor_.job(), cat(kind_.run_policy, "/cleanPodPolicy"), "None");
  for (const std::string& sentence : history_.summary(state, policy)) console_.notice(sentence);
  if (state.phase == Phase::succeeded) {
    console_.notice(cat(name_, ": Succeeded after ", format_age(run_time())));
  }
}

// Of a job that runs and prints nothing: some CI systems end what is silent for long.
std::string Follower::sign_of_life() const {
  const Time now = client_.loop().now();
  std::string text =
      cat(name_, ": Running for ", format_age(now - monitor_.state().since.value_or(started_)));
  if (!options_.selection.none) text += cat(", no new line for ", format_age(now - last_line_));
  return text;
}

std::string Follower::status_text() const {
  if (!trouble_.empty()) return trouble_;
  if (!looked_) return cat("waiting for the cluster to answer about ", name_);
  if (verdict_) return cat("waiting for the last lines of ", name_);
  if (!progress_.empty()) return progress_;
  return status_line(name_, monitor_.state(), started_, client_.loop().now());
}

// Where there is a status line it is the sign of life.
void Follower::heartbeat(Duration after, Duration silent) {
  if (console_.shows_status()) return;
  heartbeat_timer_ = client_.loop().after(after - silent, [this, after] {
    const JobState& state = monitor_.state();
    if (!looked_) {
      console_.notice(cat("waiting for the cluster to answer about ", name_));
    } else if (verdict_) {
      console_.notice(cat("waiting for the last lines of ", name_));
    } else if (state.phase != Phase::running) {
      std::string text = cat(name_, ": still ", phase_name(state.phase), " after ",
                             format_age(client_.loop().now() - started_));
      if (!state.message.empty()) text += " (" + state.message + ")";
      console_.notice(text);
    } else {
      const Duration silent = client_.loop().now() - last_line_;
      if (silent < after) return heartbeat(after, silent);
      console_.notice(sign_of_life());
    }
    heartbeat(std::min(after * 2, k_longest_heartbeat));
  });
}

}  // namespace trainctl::job
