// The log algorithm of one run, up to the end of an answer: requests, resumes from the newest
// second, notices silence.
#include "job/logs/log_tail.h"

#include "base/text.h"
#include "net/failure.h"

namespace trainctl::job {

namespace {

using std::chrono::seconds;

constexpr Duration k_silence = seconds(10);  // allowed for a stream whose container has ended

RunAttribution attribution(const TailTask& task, Time now) {
  // Without -f, one snapshot is read and no later run matters.
  const std::string id = task.asked.follow ? task.target.container_id : "";
  return {id, task.asked.previous, task.started, task.known_at.value_or(now)};
}

GapDetection gap_detection(const TailTask& task) {
  const LogOptions& asked = task.asked;
  const bool from_begin = !task.before.ahead && !asked.since && !asked.tail_lines;
  return GapDetection(from_begin ? task.started : std::nullopt);
}

}  // namespace

LogTail::LogTail(kube::Client& client, TailTask task, TailHandlers handlers)
    : client_(client),
      task_(std::move(task)),
      handlers_(std::move(handlers)),
      log_(task_.target.pod, SeenLines(task_.asked, task_.before),
           attribution(task_, client.loop().now()), gap_detection(task_),
           {std::move(handlers_.on_line), handlers_.on_notice, handlers_.on_gap,
            [&client] { return client.loop().now(); }}),
      pace_(task_.asked.follow, task_.rights_known) {
  open_after({});
}

void LogTail::container_ended(const RunEnd& end) {
  if (is_gone()) return;
  if (end.removed) {
    if (!log_.is_ours()) drop_answer();
    return log_gone("its container was restarted twice meanwhile");
  }
  log_.run().end(end, client_.loop().now());
  const bool news = is<Runs>();
  if (news) {
    phase_ = HasEnded{};
    pace_.begin_anew();  // count the attempts to read the rest
  }
  const bool to_current = end.replaced && !log_.answer().previous;
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
  query.tail_lines = request.tail_lines;
  log_.begin_answer({.first = std::exchange(never_asked_, false),
                     .resumes = log_.seen().any(),
                     .previous = query.previous,
                     .drains = has_ended()},
                    request.since, query.follow);

  kube::LogHandlers handlers;
  handlers.on_open = [this] { on_open(); };
  handlers.on_line = [this](const kube::LogLine& line) { on_line(line); };
  if (handlers_.on_progress) {
    handlers.on_progress = [this](std::string_view state) {
      // A resumed answer may repeat a state that was shown long ago.
      if (log_.is_ours() || !log_.answer().resumes) handlers_.on_progress(state);
    };
  }
  handlers.on_end = [this](const std::optional<kube::Failure>& failure) {
    activity_ = Stopped{};
    if (failure) return on_failure(*failure);
    on_end();
  };
  activity_ = Reading{kube::open_log(client_, query, std::move(handlers)), nullptr};
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

void LogTail::on_open() {
  log_.open_answer();
  pace_.accepted();
  if (!log_.answer().drains) pace_.begin_anew();
  handlers_.on_open();
}

void LogTail::on_line(const kube::LogLine& line) {
  const long lines = log_.lines_read();
  log_.on_line(line);
  if (lines == log_.lines_read()) return;
  pace_.begin_anew();  // even a repeated line shows that the log can be read
  if (log_.is_ours()) {
    question_.reset();
    const bool may_leap = task_.asked.follow && !log_.answer().drains;
    if (may_leap && probe_.is_due(line.text.size(), client_.loop())) {
      probe_.ask(client_, query(), log_.gaps());
    }
    return;
  }
  if (!log_.waits_for_owner()) return;
  if (log_.has_no_room()) activity_ = Stopped{};
  ask_whose();
}

}  // namespace trainctl::job
