// The log algorithm of one run: resumes from the newest second, reads the end twice, asks which run
// an answer belongs to.
#include "logs/log_tail.h"

#include <algorithm>

#include "base/text/text.h"
#include "logs/retry_pace.h"
#include "net/http.h"

namespace trainctl::job {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The container's status follows a stream's end within this time.
constexpr Duration k_status_follows = milliseconds(500);
constexpr Duration k_resumed = seconds(5);   // a busy container has written something by then
constexpr Duration k_silence = seconds(10);  // allowed for a stream whose container has ended
// A container that has begun without a status is known to its node within two seconds.
constexpr Duration k_next_look = milliseconds(250);
constexpr int k_looks_at_start = 8;

RunAttribution attribution(const TailTask& task, Time now) {
  // Without -f, one snapshot is read and no later run matters.
  const bool may_be_anothers = task.asked.follow && !task.names_run();
  const std::string id = may_be_anothers ? task.target.container_id : "";
  return {id, task.asked.previous, task.started, task.known_at.value_or(now)};
}

GapDetection gap_detection(const TailTask& task) {
  const LogOptions& asked = task.asked;
  const bool from_begin = !task.before.ahead && !asked.since && !asked.tail_lines;
  return GapDetection(from_begin ? task.started : std::nullopt);
}

}  // namespace

LogTail::LogTail(kube::Client& client, TailTask task, LogSink& sink)
    : client_(client),
      task_(std::move(task)),
      sink_(sink),
      log_(task_.target.pod, SeenLines(task_.asked, task_.before),
           attribution(task_, client.loop().now()), gap_detection(task_), client.loop(),
           task_.origin, sink),
      pace_(task_.asked.follow, task_.rights_known),
      probe_(log_.gaps()) {
  open_after({});
}

void LogTail::container_ended(const RunEnd& end) {
  awaits_start_ = false;
  end_run(end);
}

void LogTail::pod_gone() {
  if (!task_.asked.outlives_pods()) return log_gone(k_deleted);
  is_kept_ = true;
  end_run({});
}

void LogTail::end_run(const RunEnd& end) {
  if (is_gone()) return;
  if (end.removed && !names_run()) {
    if (!log_.is_ours()) drop_answer();
    return log_gone("its container was restarted twice meanwhile");
  }
  log_.run().end(end, client_.loop().now());
  const bool news = is<Runs>();
  if (news) {
    phase_ = HasEnded{};
    pace_.begin_anew();  // count the attempts to read the rest
  }
  const bool to_current = end.replaced && !log_.answer().previous && !names_run();
  const bool unread = to_current && log_.leave_to_next_run();
  // A request that has delivered nothing of this run may have been answered with the next run's
  // log.
  if (unread || (to_current && !log_.is_ours())) {
    drop_answer();
    return open_after({});
  }
  if (log_.is_settled()) return settle();
  if (!news || question_ != nullptr) return;
  if (is_reading()) {
    watch_for_silence();
  } else {
    open_after({});
  }
}

void LogTail::let_go() {
  if (has_ended()) return;  // the log being read has an end already
  phase_ = LetGo{};
  pace_.begin_anew();
  drop_answer();
  open_after({});
}

void LogTail::hold() {
  if (is<Done>()) return;
  drop_answer();
  activity_ = Held{};
}

void LogTail::go_on() {
  if (!std::holds_alternative<Held>(activity_) || is<Done>()) return;
  activity_ = Stopped{};
  open_after({});
}

kube::LogQuery LogTail::query() const {
  kube::LogQuery query;
  query.ns = task_.target.ns;
  query.pod = task_.target.pod;
  query.container = task_.target.container;
  query.insecure_backend = task_.asked.insecure_backend;
  if (task_.asked.outlives_pods()) query.pod_uid = task_.target.pod_uid;
  if (names_run()) query.container_id = task_.target.container_id;
  return query;
}

void LogTail::open_after(Duration delay) {
  if (std::holds_alternative<Held>(activity_)) return;
  activity_ = Pausing{client_.loop().after(delay, [this] { open(); })};
}

void LogTail::open() {
  activity_ = Stopped{};
  const SeenLines::Request request = log_.seen().next_request();
  kube::LogQuery query = this->query();
  query.follow = task_.asked.follow && !has_ended() && !log_.seen().is_first_look();
  query.previous = log_.run().is_previous();
  query.since = request.since;
  if (task_.asked.since_by_node && !request.since) {
    const auto ago = client_.loop().now() - *task_.asked.since;
    query.since_seconds = std::max<long>(ago / seconds(1), 1);
  }
  query.tail_lines = request.tail_lines;
  log_.begin_answer({.first = std::exchange(never_asked_, false),
                     .resumes = log_.seen().any(),
                     .previous = query.previous,
                     .drains = has_ended()},
                    request.since, query.follow);

  activity_ = Reading{kube::open_log(client_, query, *this), nullptr};
  if (has_ended()) {
    watch_for_silence();
  } else if (query.follow) {
    watch_for_idleness();
  }
}

// Ends the current request and forgets lines it delivered that were not printed.
void LogTail::drop_answer() {
  if (is_reading()) activity_ = Stopped{};
  question_.reset();
  log_.drop_answer();
}

// A stream whose container has ended closes within about a second; one that stays open and silent
// for longer is dead.
void LogTail::watch_for_silence() {
  auto& reading = std::get<Reading>(activity_);
  reading.watchdog = client_.loop().after(k_silence, [this, lines = log_.lines_read()] {
    if (lines != log_.lines_read()) return watch_for_silence();
    activity_ = Stopped{};
    if (log_.answer().drains || is_gone()) {
      return on_failure({net::no_answer(client_.server(), k_silence), {}});
    }
    drop_answer();
    open_after({});
  });
}

// Requesting an idle stream anew is not a failure, so nothing is reported.
void LogTail::watch_for_idleness() {
  auto& reading = std::get<Reading>(activity_);
  reading.watchdog = client_.loop().after(pace_.idle_limit(), [this, lines = log_.lines_read()] {
    if (lines != log_.lines_read()) {
      pace_.was_busy();
      return watch_for_idleness();
    }
    pace_.was_idle();
    drop_answer();
    open();
  });
}

// A node compares the stamp of each line with the time asked for. After its clock was set back, it
// hides the new lines of a resumed stream.
void LogTail::watch_for_hidden_lines() {
  auto& reading = std::get<Reading>(activity_);
  reading.look = client_.loop().after(k_resumed, [this] {
    if (log_.has_new_lines() || log_.gaps().was_clock_set_back()) return;
    probe_.ask_last(client_, query(), [this] {
      if (!log_.gaps().is_clock_set_back() || !is_reading()) return;
      drop_answer();
      open_after({});
    });
  });
}

void LogTail::on_open() {
  awaits_start_ = false;
  log_.open_answer();
  pace_.accepted(client_.loop().now());
  if (log_.answer().resumes && !has_ended() && is_reading()) watch_for_hidden_lines();
  sink_.on_open(task_.origin);
}

void LogTail::on_line(const kube::LogLine& line) {
  const long lines = log_.lines_read();
  log_.on_line(line);
  if (lines == log_.lines_read()) return;
  // Repeated lines alone could go on without end, where each answer is cut at the same place.
  if (log_.has_new_lines()) pace_.begin_anew();
  if (log_.is_ours()) {
    question_.reset();
    const bool may_leap = task_.asked.follow && !log_.answer().drains;
    if (may_leap && probe_.is_due(line.text.size(), client_.loop())) {
      probe_.ask(client_, query());
    }
    return;
  }
  if (!log_.waits_for_owner()) return;
  if (log_.has_no_room()) activity_ = Stopped{};
  ask_whose();
}

void LogTail::on_progress(std::string_view states) {
  // A resumed answer may repeat a state that was shown long ago.
  if (log_.is_ours() || !log_.answer().resumes) sink_.on_progress(task_.origin, states);
}

void LogTail::on_end(const std::optional<kube::Failure>& failure) {
  activity_ = Stopped{};
  log_.end_answer();
  if (failure) return on_failure(*failure);
  const bool not_started = task_.only_if_started && !log_.is_open();
  if (asked_for_now() && log_.is_unreadable()) {
    return finish(
        Error{Code::error, cat("log of ", task_.target.pod, ": its node cannot read it")});
  }
  if (!task_.asked.follow || not_started) return finish({});
  activity_ = EndedCleanly{};
  const bool hidden =
      log_.is_open() && !log_.is_ours() && log_.run().may_hide_next_run(log_.answer());
  if ((log_.waits_for_owner() || hidden) && !is_gone()) return ask_whose();
  on_clean_end();
}

void LogTail::on_clean_end() {
  const auto next = log_.end().ended({.behind_newest = log_.reached_newest(),
                                      .drains = log_.answer().drains,
                                      .suffices = is<LetGo>()});
  if (is_gone()) return finish_gone();
  if (log_.is_open()) log_.end_first_look();
  switch (next) {
    case EndEvidence::Next::read_on:
      // A clean end proves nothing (the kubelet may have died): reads on from the newest line, at
      // once when that was the first look or the container is known to have ended, else after its
      // status has had time to say so.
      return open_after(log_.was_first_look() || has_ended()
                            ? Duration{}
                            : k_status_follows + client_.spread().next(client_.loop().now()));
    case EndEvidence::Next::confirm:
      return open_after({});
    case EndEvidence::Next::look_again:
      return open_after(k_status_follows);
    case EndEvidence::Next::lost:
      log_.report_lost_end();
      return finish({});
    case EndEvidence::Next::whole:
      return finish({});
  }
}

void LogTail::on_failure(const kube::Failure& failure) {
  const bool deleted = failure.refusal.status == 404 && !node_lacks_it(failure.refusal);
  const bool waits = waits_to_start(failure.refusal);
  if (asked_for_now() && (deleted || waits)) {
    return finish(in_context(cat("log of ", task_.target.pod), failure.error));
  }
  if (deleted || is_gone()) return finish_gone();
  drop_answer();
  if (waits) {
    awaits_start_ = true;
    if (is<LetGo>()) return finish({});
    if (task_.only_if_started) {
      return is_kept_ || ++looks_ == k_looks_at_start ? finish({}) : open_after(k_next_look);
    }
    // A container that has ended cannot be waiting to start, so this is a new pod of the same name.
    if (has_ended()) return finish_gone();
    return open_after(seconds(1));
  }
  if (task_.asked.follow && node_deleted_it(failure.refusal)) {
    return finish_gone("its node has deleted it meanwhile");
  }
  const Time now = client_.loop().now();
  const auto wait = pace_.failed(failure, has_ended(), now);
  if (!wait) {
    // The second reading, meant to confirm the end, failed, but the first one was complete.
    if (log_.end().is_whole()) return finish({});
    return finish(in_context(cat("log of ", task_.target.pod), failure.error));
  }
  const Duration spread_wait = *wait + client_.spread().next(now);
  sink_.on_trouble(task_.origin, failure.error, spread_wait);
  open_after(spread_wait);
}

void LogTail::ask_whose() {
  if (question_ != nullptr) return;
  if (is_kept_) return settle();
  question_ =
      ask_owner(client_, {task_.target, query(), log_.run(), log_.answer(), log_.seen().first()},
                [this](const OwnerAnswer& answer) {
                  question_.reset();
                  on_owner(answer);
                });
}

void LogTail::on_owner(const OwnerAnswer& answer) {
  if (const bool* ours = std::get_if<bool>(&answer)) return *ours ? settle() : refuse_answer();
  const auto& failure = std::get<kube::Failure>(answer);
  const int status = failure.refusal.status;
  if (status == 0 || status == 429 || status >= 500) {
    drop_answer();
    return open_after(k_until_reported);
  }
  sink_.on_notice(cat("log of ", task_.target.pod, ": cannot tell which of its runs comes next (",
                      failure.error.message, ")"));
  settle();
}

// The watch will report what has become of this run.
void LogTail::refuse_answer() {
  if (is_gone()) return finish_gone();
  drop_answer();
  if (has_ended() && !log_.run().may_ask_again()) {
    log_.report_gap("its node answers for a run that the API server does not know");
    return finish({});
  }
  open_after(k_until_reported);
}

// The answer is this run's: continues with the lines that waited.
void LogTail::settle() {
  log_.attribute();
  question_.reset();
  if (is<Done>() || is_reading()) return;
  if (std::holds_alternative<EndedCleanly>(activity_)) return on_clean_end();
  open_after({});
}

// The open stream still holds all that can be read.
void LogTail::log_gone(std::string_view why) {
  if (is_gone()) return;
  phase_ = Gone{why};
  if (is_reading()) return watch_for_silence();
  finish_gone();
}

void LogTail::finish_gone(std::string_view why) {
  if (const auto* gone = std::get_if<Gone>(&phase_)) why = gone->why;
  const bool dropped = log_.waits_for_owner();
  drop_answer();
  const bool may_have_begun = !task_.only_if_started || !awaits_start_;
  const bool awaited = log_.seen().any() || (task_.asked.follow && may_have_begun);
  if (dropped || (awaited && !log_.end().is_whole())) log_.report_gap(why);
  finish({});
}

void LogTail::finish(const Status& status) {
  if (is<Done>()) return;
  phase_ = Done{};
  activity_ = Stopped{};
  question_.reset();
  log_.finish();
  sink_.on_done(task_.origin, status);
}

}  // namespace trainctl::job
