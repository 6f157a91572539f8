// Takes lines from the logs being read, from a short look at the culprit's own, or from its status.
#include "job/follow/post_mortem.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "job/status/hints.h"
#include "job/status/pod_state.h"

namespace trainctl::job {

namespace {

std::vector<std::string> last_part(std::vector<std::string> lines) {
  const auto left_out = std::max<std::ptrdiff_t>(0, std::ssize(lines) - k_digest_lines);
  lines.erase(lines.begin(), lines.begin() + left_out);
  for (std::string& line : lines) line = digest_line(line);
  return lines;
}

}  // namespace

PostMortem::PostMortem(kube::Client& client, const Kind& kind, std::string ns,
                       std::function<void()> on_read)
    : client_(client), kind_(kind), ns_(std::move(ns)), on_read_(std::move(on_read)) {}

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
  TailHandlers handlers;
  handlers.on_open = [this, run] { fetched_.begin(culprit_->id, run); };
  handlers.on_line = [this, run](const kube::LogLine& line) {
    fetched_.add(culprit_->id, run, line.text);
  };
  handlers.on_notice = [](const std::string&) {};
  handlers.on_gap = [](const std::string&) {};
  handlers.on_done = [this](const Status&) {
    stop_waiting();
    on_read_();
  };
  std::string container(kind_.container);
  for (const Json& pod : pods) {
    if (text_at(pod, "/metadata/uid") == culprit_->pod.uid) container = main_container(kind_, pod);
  }
  awaited_ = true;
  TailTask task{{ns_, culprit_->pod.name, culprit_->pod.uid, container, ""}, asked};
  tail_.emplace(client_, std::move(task), std::move(handlers));
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
  if (!words.empty()) return {last_part(split(words, '\n'))};
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

std::vector<std::string> PostMortem::digest() const {
  if (!culprit_ || culprit_->never_started()) return {};
  std::vector<std::string> lines = failure_digest(*culprit_, last_of_log());
  const std::string hint = exit_hint(culprit_->last_exit.code, culprit_->run.reason);
  if (!hint.empty()) lines.push_back(culprit_->id.name() + ": " + hint);
  return lines;
}

std::vector<std::string> PostMortem::summary(const Json& job, const JobState& state,
                                             bool digested) const {
  const ReplicaState* told = digested && culprit_ ? &*culprit_ : nullptr;
  std::vector<std::string> sentences = history_.summary(kind_, job, state, told);
  if (state.phase == Phase::succeeded) sentences.push_back(success_sentence(job, state));
  return sentences;
}

}  // namespace trainctl::job
