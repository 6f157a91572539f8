// Takes lines from the logs being read, from a short look at the culprit's own, or from its status.
#include "follow/post_mortem.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "follow/verdict_words.h"
#include "kube/object/metadata.h"
#include "logs/significant_lines.h"
#include "manifest/secrets.h"
#include "metrics/metric_words.h"
#include "status/exit_words.h"
#include "status/hints.h"
#include "status/judgement.h"
#include "status/pod_state.h"
#include "status/reported.h"

namespace trainctl::job {
namespace {

// "" when the verdict says it all. `how_far`: " at step 22", or "".
std::string ending(const ReplicaState& now, const ReplicaState& seen, Phase phase,
                   std::string_view clean_pod_policy, std::string_view how_far) {
  const std::string name = now.id.name();
  if (failed_by_itself(seen) && phase == Phase::succeeded) {
    const bool was_crashing = seen.run.reason == "CrashLoopBackOff";
    const std::string error = error_line(seen.last_exit.words);
    return cat(name, ' ', exit_words(seen.last_exit.code, was_crashing ? "" : seen.run.reason),
               error.empty() ? "" : ": ", error, "; the job still succeeded");
  }
  if (seen.run.is_over() || ended_in_failure(seen) || seen.last_exit.own) return "";
  if (now.run.state == RunState::missing || now.pod.deleting) {
    if (clean_pod_policy.empty()) return cat(name, " was stopped", how_far, " when the job ended");
    // It may have been about to end by itself.
    const bool has_ended = seen.last_exit.code == 0;
    return cat(name,
               has_ended ? " exited 0 as clean-up deleted its pod" : " was stopped by clean-up",
               has_ended ? "" : how_far, " (cleanPodPolicy ", clean_pod_policy, ")");
  }
  if (now.run.state != RunState::running || clean_pod_policy.empty()) return "";
  if (clean_pod_policy == "None") return cat(name, " is still running: its pod is not cleaned up");
  return cat(name, " still ran when the job ended; clean-up stops it (cleanPodPolicy ",
             clean_pod_policy, ")");
}

// " (exited 1: ValueError: x)" for the end before the last start; "" where nobody knows the error.
std::string last_failure(const ReplicaState& replica) {
  const LastExit& exit = replica.last_exit;
  const std::string error = exit.is_failure() ? error_line(exit.words) : "";
  return error.empty() ? "" : cat(" (", exit_words(exit), ": ", error, ')');
}

// For a role with more failed pods in the job's status than are known by name.
std::string untold_failures(const Kind& kind, const Json& job, const Role& role,
                            const std::vector<const ReplicaState*>& unknown, int known) {
  const int failed = count_failed_pods(kind, job, role) - known;
  if (failed <= 0 || unknown.empty()) return "";
  if (std::cmp_greater_equal(failed, unknown.size())) {
    std::vector<std::string> names;
    for (const ReplicaState* replica : unknown) names.push_back(replica->id.name());
    return cat(join(names, ", "), " failed and ",
               names.size() == 1 ? "its pod is" : "their pods are",
               " gone; the job still succeeded");
  }
  return cat(failed, " of ", unknown.size(), ' ', role.name,
             " replicas failed, and their pods are gone; the job still succeeded");
}

// `place`: where it most likely is.
const ReplicaState* find_replica(const JobState& state, std::size_t place, const ReplicaId& id) {
  const auto& replicas = state.replicas;
  if (place < replicas.size() && replicas[place].id == id) return &replicas[place];
  const auto found =
      std::ranges::find_if(replicas, [&id](const ReplicaState& one) { return one.id == id; });
  return found == replicas.end() ? nullptr : &*found;
}

// Lines before a traceback do not tell why the program ended, and most were printed already.
std::span<const std::string> from_traceback(std::span<const std::string> lines) {
  const auto begin = std::ranges::find_if(lines, [](const std::string& line) {
    return line.find("Traceback (most recent call last)") != std::string::npos;
  });
  return begin == lines.end() ? lines : std::span(begin, lines.end());
}

// "worker-0 exited 137 (SIGKILL, OOMKilled); its last lines:" and the lines, indented.
std::vector<std::string> failure_digest(const ReplicaState& replica, const LastOfLog& log) {
  std::string head =
      cat(replica.id.name(), ' ',
          replica.last_exit.out_of_memory ? exit_words(replica.last_exit)
                                          : exit_words(replica.last_exit.code, replica.run.reason));
  // A later run may have begun since.
  const int restarts =
      replica.last_exit.run ? replica.last_exit.run->restarts : replica.run.restarts.value_or(0);
  if (restarts > 0) head += cat(" after ", plural(restarts, "restart"));
  if (log.of_earlier_run) head += "; the log of that run was lost";
  if (log.lines.empty()) return {head};
  head += log.of_earlier_run ? "; the last lines of an earlier run:" : "; its last lines:";
  std::vector<std::string> digest = {std::move(head)};
  for (const std::string& line : from_traceback(log.lines)) {
    digest.push_back("  " + text_without_secrets(printable_line(line)));
  }
  return digest;
}

}  // namespace

std::string success_sentence(const Json& job, const JobState& state) {
  const std::string succeeded = text_at(job, "/metadata/name") + ": Succeeded";
  auto began = parse_time(text_at(job, "/status/startTime"));
  if (!began) began = parse_time(text_at(job, "/metadata/creationTimestamp"));
  auto ended = parse_time(text_at(job, "/status/completionTime"));
  if (!ended) ended = state.since;
  if (!began || !ended || *ended < *began) return succeeded;
  return cat(succeeded, " after ", format_age(*ended - *began));
}

void ReplicaHistory::record(const JobState& before, const JobState& now) {
  for (std::size_t i = 0; i < now.replicas.size(); ++i) {
    const ReplicaState& replica = now.replicas[i];
    if (replica.pod.stands()) continue;
    record(find_replica(before, i, replica.id), replica);
  }
}

// While a pod is being deleted its container is killed: that exit is not the replica's own.
void ReplicaHistory::record(const ReplicaState* before, const ReplicaState& now) {
  if (before != nullptr && before->pod.stands()) seen_[now.id] = *before;
  if (now.pod.name.empty()) return;
  const auto entry = seen_.try_emplace(now.id, now).first;
  ReplicaState& seen = entry->second;
  if (seen.pod.uid != now.pod.uid) {
    seen = now;
  } else {
    seen.run.restarts = std::max(seen.run.restarts, now.run.restarts);
    if (now.last_exit.code == 0 && !ended_in_failure(seen)) seen.last_exit = now.last_exit;
  }
}

const ReplicaState* ReplicaHistory::last_seen(const ReplicaState& now) const {
  if (now.pod.stands() || now.last_exit.own) return &now;
  const auto found = seen_.find(now.id);
  return found == seen_.end() ? nullptr : &found->second;
}

JobState ReplicaHistory::with_failures(JobState final_state) const {
  if (final_state.phase != Phase::succeeded) return final_state;
  for (ReplicaState& now : final_state.replicas) {
    const ReplicaState* seen = last_seen(now);
    if (now.pod.stands() || seen == nullptr || !failed_by_itself(*seen)) continue;
    if (seen != &now) now = *seen;
    now.run.state = RunState::failed;
    if (now.run.reason == "CrashLoopBackOff") now.run.reason.clear();
  }
  if (final_state.message.empty()) {
    final_state.message = failures_beside_success(final_state.replicas);
  }
  return final_state;
}

void ReplicaHistory::add_untold_failures(const Kind& kind, const Json& job,
                                         const JobState& final_state,
                                         std::vector<std::string>& sentences) const {
  for (const Role& role : kind.roles) {
    int known = 0;
    std::vector<const ReplicaState*> unknown;
    for (const ReplicaState& now : final_state.replicas) {
      if (now.id.role != &role) continue;
      const ReplicaState* seen = last_seen(now);
      if (ended_in_failure(now) || (seen != nullptr && ended_in_failure(*seen))) {
        ++known;
      } else if (seen == nullptr) {
        unknown.push_back(&now);
      }
    }
    std::string untold = untold_failures(kind, job, role, unknown, known);
    if (!untold.empty()) sentences.push_back(std::move(untold));
  }
}

std::vector<std::string> ReplicaHistory::summary(const Kind& kind, const Json& job,
                                                 const JobState& final_state,
                                                 const ReplicaState* digested,
                                                 const StepsOfRun& steps) const {
  const std::string_view none = kind.controller.removes_failed ? "" : "None";
  const std::string clean_pod_policy =
      text_at(job, cat(kind.controller.run_policy, "/cleanPodPolicy"), none);
  std::vector<std::string> sentences;
  for (const ReplicaState& now : final_state.replicas) {
    const ReplicaState* seen = last_seen(now);
    // Events may tell of a failure although no pod was seen; who looks once sees pods that go.
    if (seen == nullptr && (ended_in_failure(now) || !now.pod.name.empty())) seen = &now;
    if (seen == nullptr) continue;
    const int restarts = std::max(seen->restarts().value_or(0), now.restarts().value_or(0));
    const bool is_told = digested != nullptr && digested->id == now.id;
    if (restarts > 0 && !is_told && !seen->never_started() && !now.never_started()) {
      sentences.push_back(
          cat(now.id.name(), " was restarted ", plural(restarts, "time"), last_failure(*seen)));
    }
    const auto step = steps ? steps(now.id, restarts + 1) : std::nullopt;
    std::string last = ending(now, *seen, final_state.phase, clean_pod_policy,
                              step ? " at step " + step_text(*step) : "");
    if (!last.empty()) sentences.push_back(std::move(last));
  }
  if (final_state.phase == Phase::succeeded) add_untold_failures(kind, job, final_state, sentences);
  return sentences;
}

namespace {

std::vector<std::string> last_part(std::vector<std::string> lines) {
  const auto left_out = std::max<std::ptrdiff_t>(0, std::ssize(lines) - k_digest_lines);
  lines.erase(lines.begin(), lines.begin() + left_out);
  for (std::string& line : lines) line = digest_line(line);
  return lines;
}

}  // namespace

PostMortem::PostMortem(kube::Client& client, const Kind& kind, std::string ns, StepsOfRun steps,
                       std::function<void()> on_read)
    : client_(&client),
      kind_(kind),
      ns_(std::move(ns)),
      steps_(std::move(steps)),
      on_read_(std::move(on_read)) {}

void PostMortem::fetch_last_lines(std::span<const Json> pods, bool insecure_backend) {
  const bool is_known = culprit_->never_started() || !culprit_->last_exit.words.empty();
  if (is_known || culprit_->pod.name.empty()) return;
  const auto read = read_lines();
  if (read && read->size() >= k_digest_lines) return;
  LogOptions asked;
  asked.follow = false;
  asked.insecure_backend = insecure_backend;
  asked.tail_lines = k_digest_lines;
  // Its container may run again by now.
  const RunId run = failed_run();
  asked.previous = run.restarts < culprit_->run.restarts.value_or(0);
  const Json* const pod = kube::find_uid(pods, culprit_->pod.uid);
  const std::string container =
      pod == nullptr ? std::string(kind_.container) : main_container(kind_, *pod);
  awaited_ = true;
  TailTask task{{ns_, culprit_->pod.name, culprit_->pod.uid, container, ""},
                asked,
                {.replica = culprit_->id, .rank = {}, .container = container, .run = run}};
  tail_.emplace(*client_, std::move(task), *this);
}

void PostMortem::on_done(const LogOrigin&, const Status&) {
  stop_waiting();
  on_read_();
}

void PostMortem::fetch_end_of_cut(std::span<const Json> pods, bool insecure_backend) {
  if (!culprit_) return;
  cut_short_ = true;
  if (!tail_) fetch_last_lines(pods, insecure_backend);
}

RunId PostMortem::failed_run() const {
  return culprit_->last_exit.run.value_or(
      RunId{culprit_->pod.uid, culprit_->run.restarts.value_or(0)});
}

std::optional<std::vector<std::string>> PostMortem::read_lines() const {
  if (cut_short_) return fetched_.of(culprit_->id, failed_run());
  std::optional<std::vector<std::string>> read;
  if (culprit_->last_exit.run) {
    read = last_lines_.of(culprit_->id, *culprit_->last_exit.run);
  } else {
    read = last_lines_.latest(culprit_->id);
  }
  auto fetched = fetched_.of(culprit_->id, failed_run());
  if (fetched && (!read || fetched->size() > read->size())) return fetched;
  return read;
}

LastOfLog PostMortem::last_of_log() const {
  if (!culprit_ || culprit_->never_started()) return {};
  const auto read = read_lines();
  if (read && !read->empty()) return {*read};
  const std::string& words = culprit_->last_exit.words;
  if (!words.empty()) return {last_part(significant_lines(words))};
  if (read || cut_short_) return {};
  LastOfLog earlier{last_lines_.latest(culprit_->id), true};
  if (earlier.lines.empty()) return {};
  return earlier;
}

bool PostMortem::has_read_log() const {
  if (!culprit_) return false;
  if (!culprit_->last_exit.run) return !last_lines_.latest(culprit_->id).empty();
  return last_lines_.of(culprit_->id, *culprit_->last_exit.run).has_value();
}

std::vector<std::string> PostMortem::digest(bool seen) const {
  if (!culprit_ || culprit_->never_started()) return {};
  const bool repeats = seen && has_read_log();
  std::vector<std::string> lines = failure_digest(*culprit_, repeats ? LastOfLog{} : last_of_log());
  const std::string hint = exit_hint(culprit_->last_exit);
  if (!hint.empty()) lines.push_back(culprit_->id.name() + ": " + hint);
  return lines;
}

std::vector<std::string> PostMortem::summary(const Json& job, const JobState& state,
                                             bool digested) const {
  const ReplicaState* told = digested && culprit_ ? &*culprit_ : nullptr;
  std::vector<std::string> sentences = history_.summary(kind_, job, state, told, steps_);
  const bool is_first =
      told != nullptr && state.first_failed && state.replicas[*state.first_failed].id == told->id;
  std::string followed = is_first ? failed_after_words(state) : "";
  if (!followed.empty()) sentences.insert(sentences.begin(), std::move(followed));
  if (state.phase == Phase::succeeded) sentences.push_back(success_sentence(job, state));
  return sentences;
}

}  // namespace trainctl::job
