// One function for each way a job can end badly.
#include "follow/verdict_words.h"

#include <algorithm>

#include "base/text/text.h"
#include "status/exit_words.h"
#include "status/hints.h"
#include "status/pod_state.h"
#include "status/replica_states.h"

namespace trainctl::job {
namespace {

std::string name_of(const Json& job) {
  return text_at(job, "/metadata/name");
}

}  // namespace

Error job_failed(const Json& job, const JobState& state, const ReplicaState* culprit) {
  if (culprit != nullptr && culprit->never_started()) return could_not_start(job, *culprit);
  const std::string name = name_of(job);
  Error error{Code::job_failed, cat("job ", name, " failed: ", state.message)};
  if (culprit == nullptr) error.hint = cat("trainctl describe ", name);
  return error;
}

std::string failed_after_words(const JobState& state) {
  constexpr std::size_t k_most_named = 4;
  const std::vector<const ReplicaState*> after = failed_after(state);
  if (after.empty()) return "";
  std::vector<std::string> named;
  const ReplicaState& first = state.replicas[*state.first_failed];
  Duration longest{};
  for (const ReplicaState* one : after) {
    longest = std::max(longest, *one->last_exit.finished - *first.last_exit.finished);
    if (named.size() == k_most_named) continue;
    named.push_back(cat(one->id.name(), ' ', exit_words(one->last_exit)));
  }
  if (after.size() > named.size())
    named.push_back(cat(after.size() - named.size(), " more failed"));
  return cat(join(named, ", "), " within ", format_age(longest), " after ", first.id.name(),
             ", as replicas do when a peer is gone");
}

Error could_not_start(const Json& job, const ReplicaState& replica) {
  const StartFailure& why = *replica.run.start_failure;
  return {Code::not_started,
          cat("job ", name_of(job), " could not start: pod ", replica.pod.expected_name, ": ",
              why.words()),
          hint_for(why.reason, why.message, replica.pod.expected_name)};
}

Error crash_loop(const Json& job, const ReplicaState& replica) {
  if (replica.never_started()) return could_not_start(job, replica);
  const bool is_made_anew = is_made_anew_in_vain(replica);
  const int times = is_made_anew ? replica.failures.pods : replica.run.restarts.value_or(0) + 1;
  return {Code::job_failed,
          cat("gave up on job ", name_of(job), ", which is in a crash loop: ", replica.id.name(),
              ' ', exit_words(replica.last_exit), ", ", times, " times so far, and ",
              is_made_anew ? "the operator creates a new pod each time, whatever the backoffLimit"
                           : "the job has no backoffLimit to end it"),
          cat("delete the job: trainctl delete ", name_of(job))};
}

Error fails_alike(const Json& job, const ReplicaState& replica) {
  if (replica.never_started()) return could_not_start(job, replica);
  const LastExit& exit = replica.last_exit;
  const int attempt = exit.run ? exit.run->restarts + 1 : replica.run.restarts.value_or(0) + 1;
  return {Code::job_failed,
          cat("gave up on job ", name_of(job), ", which is in a crash loop: ", replica.id.name(),
              ' ', exit_words(exit), " in attempt ", attempt, " as in the one before",
              exit.words.empty() ? ", and printed nothing" : ", with the same error"),
          cat("the job goes on restarting; end it: trainctl delete ", name_of(job),
              "\nwith --restart-policy Never, the first failure ends a job")};
}

Error dead_replica(const Json& job, const JobState& state, const ReplicaState& replica) {
  if (replica.never_started()) return could_not_start(job, replica);
  return {Code::job_failed,
          cat("gave up on job ", name_of(job), ", which is ", phase_name(state.phase), ": ",
              replica.id.name(), ' ', exit_words(replica.last_exit), " (--fail-fast)"),
          cat("delete the job: trainctl delete ", name_of(job))};
}

Error succeeded_without(const Json& job, const ReplicaState& replica) {
  return {Code::job_failed, cat("job ", name_of(job), " succeeded, but ", replica.id.name(), ' ',
                                exit_words(replica.last_exit), " (--require-all-replicas)")};
}

std::string succeeded_not_finite(std::string_view job_name, std::string_view not_finite) {
  return cat("job ", job_name, " succeeded, but ", not_finite);
}

Error failed_on_nan(std::string_view job_name, std::string_view not_finite) {
  return {Code::job_failed, cat(succeeded_not_finite(job_name, not_finite), " (--fail-on-nan)"),
          cat("trainctl plot ", job_name)};
}

Error replica_failed(const Json& job, const ReplicaState& replica) {
  if (replica.never_started()) return could_not_start(job, replica);
  return {Code::job_failed, cat(replica.id.name(), ' ', exit_words(replica.last_exit))};
}

Error start_timed_out(std::string_view job_name, const JobState& state, const Blocker* blocker) {
  std::string why = state.message;
  std::string hint = std::string(k_no_operator_hint);
  if (blocker != nullptr) {
    if (!blocker->pod.empty()) why = cat("pod ", blocker->pod, ": ", blocker->words());
    hint = blocker->hint.empty() ? cat("trainctl why ", job_name) : blocker->hint;
  }
  return {Code::not_started, cat("job ", job_name, " could not start: ", why), std::move(hint)};
}

Error timed_out(std::string_view job_name, const JobState& state, const Deadline& deadline,
                std::string_view hindrance) {
  const std::string after = format_age(deadline.timeout);
  const std::string hint = cat("see why: trainctl why ", job_name);
  if (is_final(state.phase)) {  // only --require-all-replicas waits on
    return {Code::timeout,
            cat("job ", job_name, " has ", lower(phase_name(state.phase)),
                ", but not all of its replicas have ended after ", after),
            hint};
  }
  const std::string cause = state.blocker ? cat(" (", state.message, ")") : "";
  return {Code::timeout,
          cat("job ", job_name, " is still ", phase_name(state.phase), " after ", after, cause,
              hindrance.empty() ? "" : "; ", hindrance),
          hint};
}

std::string no_contact_words(Duration lasted) {
  return cat("no contact with the cluster for ", format_age(lasted));
}

Error timed_out_unseen(std::string_view job_name, const JobState& state, const Deadline& deadline,
                       const LostContact& lost) {
  constexpr Duration k_long = std::chrono::seconds(30);
  return {
      lost.lasted < k_long ? Code::timeout : Code::unreachable,
      cat("gave up after ", format_age(deadline.timeout), ": ", no_contact_words(lost.lasted), " (",
          lost.last_failure, "); job ", job_name, " was last seen ", phase_name(state.phase)),
      cat("wait again: trainctl wait ", job_name)};
}

std::string silence_words(std::span<const std::string> followed, std::size_t replicas,
                          Duration silent) {
  const std::string how_long = format_age(silent);
  if (followed.size() == 1) return cat(followed.front(), " has printed nothing for ", how_long);
  if (followed.size() == replicas) return cat("no replica has printed anything for ", how_long);
  return cat("the ", followed.size(), " followed replicas have printed nothing for ", how_long);
}

Error stalled(std::string_view job_name, std::string_view silence) {
  return {Code::timeout, cat("job ", job_name, " is silent: ", silence),
          cat("trainctl doctor ", job_name)};
}

Error stopped_following(std::string_view job_name, const EndingSignal& signal) {
  const bool by_hand = signal.code == Code::interrupted;
  return {
      signal.code,
      cat(by_hand ? "stopped following" : signal.what_happened, "; job ", job_name, " continues"),
      cat("follow the job again: trainctl logs -f ", job_name, "\ndelete the job: trainctl delete ",
          job_name)};
}

Error with_log_hint(Error failure, std::string_view job_name, const JobState& state,
                    const ReplicaState& culprit, LogSaved saved) {
  if (failure.code != Code::job_failed || !failure.hint.empty()) return failure;
  const auto there = std::ranges::find_if(state.replicas, [&culprit](const auto& one) {
    return one.pod.uid == culprit.pod.uid && one.pod.stands();
  });
  if (there != state.replicas.end()) {
    const int restarts = there->run.restarts.value_or(0);
    const bool ran_since = culprit.last_exit.run && culprit.last_exit.run->restarts < restarts;
    failure.hint = cat("its whole log: trainctl logs ", job_name, "/", culprit.id.name(),
                       ran_since ? " --previous" : "");
  } else if (saved == LogSaved::by_cluster) {
    failure.hint = cat("its whole log: trainctl logs ", job_name, "/", culprit.id.name());
  } else if (saved == LogSaved::by_history) {
    failure.hint = cat("its pod is gone; its log as it was printed: trainctl logs ", job_name, "/",
                       culprit.id.name());
  } else if (saved == LogSaved::saved) {
    failure.hint = "its pod is gone, but its log was saved";
  } else if (saved == LogSaved::missed) {
    failure.hint = "its pod is gone, and the log of its last run was not read in time";
  } else {
    failure.hint =
        "its pod is gone, and its log with it; keep the logs of the next run with --follow "
        "--save-logs DIR";
  }
  return failure;
}

}  // namespace trainctl::job
