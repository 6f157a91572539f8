// Reports each phase, restart and event once, although reasons alternate and messages are counted
// anew.
#include "follow/progress_reporter.h"

#include <algorithm>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "logs/significant_lines.h"
#include "status/events.h"
#include "status/exit_words.h"
#include "status/hints.h"

namespace trainctl::job {
namespace {

using std::chrono::seconds;

constexpr Duration k_first_heartbeat = seconds(30);
constexpr Duration k_longest_heartbeat = std::chrono::minutes(5);
constexpr Duration k_sidecar_ends = seconds(10);
constexpr Duration k_training_told = seconds(30);  // at most so often in a pipe
constexpr Duration k_ranks_differ = seconds(3);    // in when they print the same
constexpr int k_progress_width = 100;  // columns of a progress bar that a notice repeats

}  // namespace

ProgressReporter::ProgressReporter(Console& console, Loop& loop, std::string job_name,
                                   ProgressFacts facts)
    : console_(console),
      loop_(loop),
      job_name_(std::move(job_name)),
      facts_(std::move(facts)),
      started_(loop.now()),
      last_line_(started_),
      kept_(loop),
      training_{JobMetrics(facts_.metrics), {}, "", {}, false} {}

void ProgressReporter::start() {
  beat_after(k_first_heartbeat);
  status_line_.emplace(console_, loop_, [this] { return shown(); });
  if (!console_.shows_status() && !facts_.is_shown_elsewhere) tell_training();
}

void ProgressReporter::see(const JobState& state) {
  state_ = &state;
  if (stage_ == Stage::asking) stage_ = Stage::following;
  if (!training_.spans_nodes && job::spans_nodes(state)) {
    training_.spans_nodes = true;
    report_network_soon();
  }
  if (status_line_) status_line_->update();
}

// ErrImagePull and ImagePullBackOff alternate, and the scheduler counts its nodes anew each time.
// A reason that comes from an event counts with its message: the first FailedMount only says that a
// cache is not ready.
void ProgressReporter::report_phase() {
  const JobState& state = *state_;
  if (is_final(state.phase) || state.reason == k_sidecar_running) return;
  std::string what = state.reason == "ErrImagePull" ? "ImagePullBackOff" : state.reason;
  if (state.blocker) what += ' ' + state.blocker->replica;
  // A node that has just started first blames its own cache, then the secret that is not there.
  const bool changes_its_mind = state.reason == "CreateContainerConfigError";
  if (state.blocker && (changes_its_mind || state.reason.starts_with("Failed"))) {
    what += ' ' + state.message;
  }
  if (!is_news(cat(phase_name(state.phase), ' ', what))) return;
  std::string text = cat(job_name_, ": ", phase_name(state.phase));
  if (!state.message.empty()) text += " (" + state.message + ")";
  if (state.phase == Phase::suspended) {
    text += cat("; to continue: ", facts_.runnable(cat("trainctl resume ", job_name_)));
  }
  console_.notice(text);
  if (state.phase == Phase::running) report_hindrance();
}

// The cluster's objects look well even when nothing makes progress.
void ProgressReporter::report_hindrance() {
  const std::string why = facts_.what_hinders();
  if (!why.empty() && is_news("hindrance " + why)) console_.notice(cat(job_name_, ": ", why));
}

void ProgressReporter::report_restarts(const std::function<bool(const ReplicaId&)>& is_read) {
  for (const ReplicaState& replica : state_->replicas) {
    const int restarts = replica.restarts_of_program();
    if (restarts == 0) continue;
    if (!is_news(cat("restart ", replica.pod.uid, ' ', restarts))) continue;
    const LastExit& last = replica.last_exit;
    const bool is_known = last.code == replica.run.exit_before;
    const bool out_of_memory = is_known && last.out_of_memory;
    const std::string error = is_known && !is_read(replica.id) ? error_line(last.words) : "";
    console_.notice(cat(
        replica.id.name(), ' ',
        restart_words(replica.run.exit_before, restarts, out_of_memory ? "OOMKilled" : "", error)));
  }
}

// Most sidecars end soon after what they serve.
void ProgressReporter::watch_sidecar() {
  const ReplicaState* kept = first_kept(*state_);
  if (kept == nullptr) return kept_.see("", {}, {});
  kept_.see(kept->pod.uid, k_sidecar_ends, [this, container = kept->pod.kept_by] {
    console_.notice(
        cat(job_name_, ": ", state_->message, " and the job running; ", sidecar_hint(container)));
  });
}

void ProgressReporter::report_events(std::span<const Json> events) {
  for (const Json& event : events) {
    const std::string count = cat(int_at(event, "/count").value_or(1));
    if (!is_news(cat("event ", text_at(event, "/metadata/uid"), ' ', count))) continue;
    const std::string kind = text_at(event, "/involvedObject/kind");
    const std::string when = format_time(event_time(event).value_or(Time{}));
    console_.notice(cat("event: ", when, ' ', text_at(event, "/type"), ' ',
                        text_at(event, "/reason"), ' ', kind == "Pod" ? "pod " : "job ",
                        text_at(event, "/involvedObject/name"), ": ",
                        printable_line(text_at(event, "/message"))));
  }
}

bool ProgressReporter::take_metrics(const LogOrigin& origin, Time printed, std::string_view text,
                                    bool is_under_way) {
  if (!training_.metrics.has_room(last_line_)) {
    if (!is_under_way) skip(origin, printed, text);
    return false;
  }
  auto [is_metric, news, is_network] = training_.metrics.take(
      {origin.replica, origin.rank, origin.attempt, printed, text, is_under_way});
  if (is_metric && !training_.skipped.empty()) training_.skipped.erase(origin.replica);
  if (is_network) report_network_soon();
  if (!news.empty()) console_.notice(cat(job_name_, ": ", printable_line(news)));
  return is_metric;
}

// Allocates nothing once it has lines of this replica: there may be a million of them.
void ProgressReporter::skip(const LogOrigin& origin, Time printed, std::string_view text) {
  SkippedLines& skipped = training_.skipped[origin.replica];
  SkippedLine& last = skipped.lines[skipped.count++ % skipped.lines.size()];
  last.origin = origin;
  last.printed = printed;
  last.text = text;
}

void ProgressReporter::take_skipped_lines() {
  for (const auto& [replica, skipped] : training_.skipped) {
    const std::size_t kept = std::min(skipped.count, skipped.lines.size());
    for (std::size_t at = skipped.count - kept; at < skipped.count; ++at) {
      const SkippedLine& line = skipped.lines[at % skipped.lines.size()];
      training_.metrics.take(
          {replica, line.origin.rank, line.origin.attempt, line.printed, line.text});
    }
  }
  training_.skipped.clear();
  report_network();
}

// All ranks tell it within a moment, and only all of them show whose fault it is.
void ProgressReporter::report_network_soon() {
  if (training_.network_timer) return;
  training_.network_timer = loop_.after(k_ranks_differ, [this] { report_network(); });
}

void ProgressReporter::report_network() {
  training_.network_timer.reset();
  for (const NetworkFault& fault : training_.metrics.network().faults(training_.spans_nodes)) {
    const bool is_told = !is_news(cat("network ", static_cast<int>(fault.kind)));
    if (!is_told) console_.notice(cat(job_name_, ": ", fault.words));
  }
}

void ProgressReporter::on_line(const LogOrigin& origin, const kube::LogLine& line) {
  const Time now = loop_.now();
  const Time printed = line.stamp.value_or(now);
  // A line from before following began tells how long the job has been silent.
  const bool is_first = last_line_ == started_;
  last_line_ = printed >= started_ ? now : is_first ? printed : std::max(last_line_, printed);
  const bool is_metric = take_metrics(origin, printed, line.text, false);
  const bool ends_progress = origin.printed && !progress_.empty();
  if (ends_progress) progress_.clear();
  if (status_line_ && (is_metric || ends_progress)) status_line_->update();
}

void ProgressReporter::on_progress(const LogOrigin& origin, std::string_view states) {
  if (!origin.printed) return;
  const bool is_metric = take_metrics(origin, loop_.now(), states, true);
  const std::string_view last = states.substr(states.find_last_of('\r') + 1);
  if (!is_metric) progress_ = origin.replica.name() + ": " + printable_line(last);
  if (status_line_) status_line_->update();
}

void ProgressReporter::on_trouble(const std::string& notice) {
  if (notice.empty()) return outage_.reset();
  if (!outage_) outage_ = Outage{"", loop_.now()};
  if (notice != outage_->notice) console_.notice(notice);
  outage_->notice = notice;
}

std::optional<LostContact> ProgressReporter::lost_contact() const {
  if (!outage_) return std::nullopt;
  // The notice ends with when the next attempt comes.
  const std::string& notice = outage_->notice;
  return LostContact{loop_.now() - outage_->began, notice.substr(0, notice.rfind("; "))};
}

void ProgressReporter::on_verdict() {
  stage_ = Stage::reading_the_rest;
  training_.timer.reset();
  kept_.forget();
}

std::string ProgressReporter::what_is_awaited() const {
  return stage_ == Stage::asking ? cat("waiting for the cluster to answer about ", job_name_)
                                 : cat("waiting for the last lines of ", job_name_);
}

StatusLine::Shown ProgressReporter::shown() const {
  const auto one_line = [this](std::string_view text) {
    return StatusLine::Shown{{console_.painted(printable_line(text), Colour::grey)}, {}};
  };
  if (outage_) return one_line(outage_->notice);
  if (stage_ != Stage::following) return one_line(what_is_awaited());
  const std::string stall = facts_.stall();
  if (!progress_.empty() && stall.empty()) return one_line(progress_);
  if (const std::string why = facts_.what_hinders(); !why.empty()) return one_line(why);
  const Time now = loop_.now();
  const Duration silent = silent_for();
  const bool is_silent = silent != Duration{};
  if (training_.metrics.record().empty()) {
    const std::string text = status_line(job_name_, *state_, started_, now);
    if (!stall.empty()) return one_line(cat(job_name_, ": ", stall));
    return one_line(is_silent ? text + silence() : text);
  }
  const int width = console_.size().width - 1;
  std::vector<std::string> lines =
      live_lines({job_name_, *state_, started_, now, training_.metrics, training_.gpus, "", silent,
                  facts_.array_values, lag()},
                 width, console_);
  if (!stall.empty()) {
    lines.push_back(console_.painted(shortened(stall, width), Colour::yellow));
  } else if (is_silent) {
    lines.push_back(console_.painted("no new line for " + format_age(silent), Colour::grey));
  }
  return {std::move(lines), training_.metrics.record().position.done()};
}

std::optional<LiveJob> ProgressReporter::live(int width, const LiveColumns& columns) const {
  if (stage_ == Stage::asking || state_ == nullptr) return std::nullopt;
  return live_job({job_name_, *state_, started_, loop_.now(), training_.metrics, "", facts_.stall(),
                   silent_for(), facts_.array_values, lag(), columns},
                  width, console_);
}

std::optional<MetricLag> ProgressReporter::lag() const {
  const std::optional<MetricLag> of_lines = training_.metrics.lag();
  return of_lines ? of_lines : training_.asked_lag;
}

// The last lines of a job that has ended tell nothing of a lag.
std::optional<MetricLag> ProgressReporter::present_lag() const {
  return stage_ == Stage::following ? lag() : std::nullopt;
}

// 0 = not for long, or nothing is expected.
Duration ProgressReporter::silent_for() const {
  const Duration silent = loop_.now() - last_line_;
  const bool is_running = state_ != nullptr && state_->phase == Phase::running;
  return is_running && silent >= k_first_heartbeat ? silent : Duration{};
}

// In a pipe, where lines of other replicas and of other programs stand between.
void ProgressReporter::tell_training() {
  training_.timer = loop_.after(k_training_told, [this] {
    report_training();
    tell_training();
  });
}

void ProgressReporter::report_training() {
  const bool makes_no_steps =
      silent_for() != Duration{} ||
      (state_ != nullptr && (state_->phase == Phase::failed || state_->phase == Phase::restarting));
  std::string words = training_words(training_.metrics, loop_.now(), makes_no_steps, present_lag());
  if (words.empty() || words == training_.told) return;
  console_.notice(cat(job_name_, ": ", words));
  training_.told = std::move(words);
}

// A status line, where one is shown, is the sign of life.
void ProgressReporter::beat_after(Duration interval, Duration silent) {
  if (console_.shows_status() || facts_.is_shown_elsewhere) return;
  heartbeat_timer_ = loop_.after(interval - silent, [this, interval] { beat(interval); });
}

void ProgressReporter::beat(Duration interval) {
  if (stage_ == Stage::following && state_->phase == Phase::running) {
    const Duration silent = loop_.now() - last_line_;
    if (silent < interval) return beat_after(interval, silent);
  }
  console_.notice(sign_of_life());
  beat_after(std::min(interval * 2, k_longest_heartbeat));
}

// Some CI systems end what is silent for long.
std::string ProgressReporter::sign_of_life() const {
  if (stage_ != Stage::following) return what_is_awaited();
  if (const auto lost = lost_contact()) {
    return cat(job_name_, ": ", no_contact_words(lost->lasted), "; last seen ",
               phase_name(state_->phase));
  }
  const Time now = loop_.now();
  if (state_->phase == Phase::running) {
    std::string text =
        cat(job_name_, ": Running for ", format_age(now - state_->since.value_or(started_)));
    if (!progress_.empty()) return cat(text, "; ", shortened(progress_, k_progress_width));
    const std::string words =
        training_words(training_.metrics, now, silent_for() != Duration{}, present_lag());
    if (!words.empty()) text += "; " + words;
    return text + silence() + hindrance();
  }
  std::string text =
      cat(job_name_, ": still ", phase_name(state_->phase), " after ", format_age(now - started_));
  if (!state_->message.empty()) text += " (" + state_->message + ")";
  return text + hindrance();
}

// A program that hangs looks like one that runs.
std::string ProgressReporter::silence() const {
  return facts_.prints_logs ? cat(", no new line for ", format_age(loop_.now() - last_line_)) : "";
}

std::string ProgressReporter::hindrance() const {
  const std::string why = facts_.what_hinders();
  return why.empty() ? "" : "; " + why;
}

}  // namespace trainctl::job
