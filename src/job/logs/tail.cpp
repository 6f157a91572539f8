// Resume by second, drop what was told, read the end again: the log algorithm of one container.
#include "job/logs/tail.h"

#include <algorithm>

#include "base/text.h"
#include "job/logs/log_refusal.h"
#include "net/failure.h"

namespace trainctl::job {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration k_settle = milliseconds(500);  // until a status follows an ended stream
constexpr Duration k_longest_wait = seconds(15);  // between two attempts
constexpr Duration k_silence = seconds(10);       // of a stream whose container has ended
// To read the rest of an ended container that is followed: three minutes, in which a node or an API
// server has come back, and one answer of many that break has brought a line.
constexpr int k_attempts_after_end = 16;
constexpr int k_attempts = 6;
constexpr int k_looks = 6;  // at a log that ends before the line told last
// Of a stream whose container runs, until it is asked for anew: one may have come to the end of a
// file that the kubelet has rotated, or its path may be dead. Doubled while nothing comes.
constexpr Duration k_idle = seconds(60);
constexpr Duration k_longest_idle = seconds(480);

}  // namespace

Tail::Tail(kube::Client& client, TailTarget target, TailOptions options, TailHandlers handlers,
           DedupWindow told)
    : client_(client),
      target_(std::move(target)),
      options_(options),
      handlers_(std::move(handlers)),
      known_at_(options_.known_at.value_or(client.loop().now())),
      told_(std::move(told)),
      idle_limit_(k_idle) {
  if (options_.let_in) denial_.let_in();
  if (const auto& ahead = options_.told_ahead) {
    first_ = ahead->first;
    last_ = ahead->last;
  }
  if (!last_ && options_.started && !options_.since && !options_.tail_lines) begin_ = Begin{};
  open_after({});
}

void Tail::container_ended(const End& end) {
  if (is_gone()) return;
  if (end.removed) {
    if (!answer_.ours) drop_answer();
    return log_gone("its container was restarted twice meanwhile");
  }
  const bool first_told = !has_ended();
  if (first_told || (end.replaced && !options_.previous)) {
    known_at_ = end.known_at.value_or(client_.loop().now());
  }
  options_.previous = options_.previous || end.replaced;
  may_restart_ = end.may_restart;
  if (!finished_) finished_ = end.finished;
  if (first_told) {
    stage_ = Stage::draining;
    failures_ = 0;  // attempts to read the rest are counted from here
  }
  const bool to_current = end.replaced && !answer_.previous;
  const bool unread = to_current && leave_to_next_run();
  // A request that has brought nothing of this run may have been answered by the next.
  if (unread || (to_current && !answer_.ours)) {
    drop_answer();
    return open_after({});
  }
  if (is_settled()) return settle();
  if (!first_told || question_ != nullptr) return;
  if (request_ == nullptr) {
    open_after({});
  } else {
    watch_for_silence();
  }
}

void Tail::let_go() {
  if (has_ended()) return;  // what it reads has an end already
  stage_ = Stage::leaving;
  failures_ = 0;
  drop_answer();
  open_after({});
}

// What the open stream still holds is all there is.
void Tail::log_gone(std::string_view why) {
  if (is_gone()) return;
  stage_ = Stage::gone;
  gone_because_ = why;
  if (request_ != nullptr) return watch_for_silence();
  finish_gone();
}

void Tail::finish_gone() {
  const bool dropped = !answer_.doubtful.empty();
  drop_answer();
  const bool awaited = last_ || (options_.follow && !options_.only_if_started);
  if (dropped || (awaited && !is_whole())) tell_gap_after(gone_because_);
  finish({});
}

void Tail::hold() {
  if (stage_ == Stage::done) return;
  held_back_ = true;
  drop_answer();
  timer_.reset();
}

void Tail::go_on() {
  if (std::exchange(held_back_, false) && stage_ != Stage::done) open_after({});
}

// Ends the request under way; what it brought and was not told is forgotten.
void Tail::drop_answer() {
  request_.reset();
  silence_timer_.reset();
  question_.reset();
  if (answer_.cut_piece && !answer_.ours) pieces_.release();
  answer_.doubtful.clear();
  answer_.doubtful_size = 0;
}

// A stream whose container has ended closes within a second or so; one that neither closes nor says
// anything for longer is dead.
void Tail::watch_for_silence() {
  silence_timer_ = client_.loop().after(k_silence, [this, lines = lines_] {
    if (lines != lines_) return watch_for_silence();
    request_.reset();
    if (answer_.drains || is_gone()) {
      return on_failure({net::no_answer(client_.server(), k_silence), {}});
    }
    drop_answer();
    open_after({});
  });
}

// Not a failure, so nobody is told.
void Tail::watch_for_idleness() {
  silence_timer_ = client_.loop().after(idle_limit_, [this, lines = lines_] {
    if (lines != lines_) {
      idle_limit_ = k_idle;
      return watch_for_idleness();
    }
    idle_limit_ = std::min(idle_limit_ * 2, k_longest_idle);
    drop_answer();
    open();
  });
}

void Tail::open_after(Duration delay) {
  if (held_back_) return;
  timer_ = client_.loop().after(delay, [this] { open(); });
}

kube::LogQuery Tail::query() const {
  kube::LogQuery query;
  query.ns = target_.ns;
  query.pod = target_.pod;
  query.container = target_.container;
  query.insecure_backend = options_.insecure_backend;
  return query;
}

void Tail::open() {
  timer_.reset();  // what has run out is memory, of a thousand logs
  kube::LogQuery query = this->query();
  query.follow = options_.follow && !has_ended();
  query.previous = options_.previous;
  query.since = options_.since;
  if (last_) {
    if (std::exchange(clock_set_back_, false)) tell_gap_after("its node's clock was set back");
    query.since = std::chrono::floor<seconds>(*last_) - seconds(1);
  } else {
    query.tail_lines = options_.tail_lines;
  }
  answer_ = Answer();
  answer_.previous = options_.previous;
  answer_.drains = has_ended();
  answer_.resumes = last_.has_value();
  answer_.first = std::exchange(never_asked_, false);
  answer_.since = std::max(query.since, options_.since);
  pieces_.begin();
  told_.resume();

  kube::LogHandlers handlers;
  handlers.on_open = [this] {
    answer_.opened = client_.loop().now();
    denial_.let_in();
    if (!answer_.drains) failures_ = 0;
    handlers_.on_open();
  };
  handlers.on_line = [this](const kube::LogLine& line) { on_line(line); };
  handlers.on_end = [this](std::optional<kube::Failure> failure) {
    request_.reset();
    silence_timer_.reset();  // it watched this request
    if (failure) return on_failure(*failure);
    on_end();
  };
  request_ = kube::open_log(client_, query, std::move(handlers));
  if (answer_.drains) {
    watch_for_silence();
  } else if (query.follow) {
    watch_for_idleness();
  }
}

// Cleanly, or because nothing came any more.
void Tail::on_end() {
  const bool not_started = options_.only_if_started && !answer_.opened;
  if (asked_for_now() && is_unreadable()) {
    return finish(Error{Code::error, cat("log of ", target_.pod, ": its node cannot read it")});
  }
  if (!options_.follow || not_started) return finish({});
  answer_.over = true;
  if (in_doubt() && !is_gone()) return ask_whose();
  const bool read = told_.newest_met() && !is_unreadable();
  const CleanEnd before =
      std::exchange(clean_end_, read ? CleanEnd::after_newest : CleanEnd::before_newest);
  drained_once_ = drained_once_ || answer_.drains;
  if (is_gone()) return finish_gone();
  if (answer_.drains) return on_drained(before);
  // A clean end proves nothing (the kubelet may have died): read on from the last line, at once
  // when the container is known to have ended, else once its status had time to say so.
  open_after(has_ended() ? Duration{} : k_settle + client_.spread().next(client_.loop().now()));
}

// Nor does it prove anything after the container's end, since the API server ends an answer cleanly
// when it loses the node. The log is whole when two answers in a row end after the same line.
void Tail::on_drained(CleanEnd before) {
  if (answer_.told) looks_ = 0;
  if (clean_end_ == CleanEnd::after_newest) {
    if (stage_ == Stage::leaving || before == CleanEnd::after_newest) return finish({});
    return open_after({});
  }
  if (++looks_ < k_looks) return open_after(k_settle);
  tell_gap_after(is_unreadable() ? "its node could not read it" : "the node has rotated it");
  finish({});
}

// Another attempt may fare better, and has not been made too often.
bool Tail::may_pass(const kube::Refusal& refusal) {
  if (options_.follow && denial_.may_pass(refusal, client_.loop().now())) return true;
  const int status = refusal.status;
  const bool bounded = has_ended() || !options_.follow;
  if (bounded && failures_ >= (options_.follow ? k_attempts_after_end : k_attempts)) return false;
  if (!options_.follow && kube::is_lasting(refusal)) return false;
  return status == 0 || status == 429 || status >= 500 || node_lacks_it(refusal);
}

void Tail::on_failure(const kube::Failure& failure) {
  const bool deleted = failure.refusal.status == 404 && !node_lacks_it(failure.refusal);
  const bool waits = waits_to_start(failure.refusal);
  if (asked_for_now() && (deleted || waits)) {
    return finish(in_context(cat("log of ", target_.pod), failure.error));
  }
  if (deleted || is_gone()) return finish_gone();
  drop_answer();
  if (waits) {
    if (options_.only_if_started || stage_ == Stage::leaving) return finish({});
    // A container that has ended does not wait to start: that is a new pod of the same name.
    if (has_ended()) return finish_gone();
    return open_after(seconds(1));
  }
  if (options_.follow && node_deleted_it(failure.refusal)) {
    gone_because_ = "its node has deleted it meanwhile";
    return finish_gone();
  }
  ++failures_;
  if (!may_pass(failure.refusal)) {
    // What cannot be read a second time has been read once.
    if (is_whole()) return finish({});
    return finish(in_context(cat("log of ", target_.pod), failure.error));
  }
  const Duration own =
      std::min<Duration>(milliseconds(500) * (1 << std::min(failures_ - 1, 5)), k_longest_wait);
  const Duration wait =
      failure.refusal.retry_after.value_or(own) + client_.spread().next(client_.loop().now());
  handlers_.on_trouble(failure.error, wait);
  open_after(wait);
}

void Tail::finish(Status status) {
  if (std::exchange(stage_, Stage::done) == Stage::done) return;
  timer_.reset();
  silence_timer_.reset();
  question_.reset();
  tell_held();
  if (const auto leap = probe_.end()) tell_gap_between(leap->after, leap->before);
  handlers_.on_done(std::move(status));
}

}  // namespace trainctl::job
