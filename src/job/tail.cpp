// Resume by second, drop what was told, read the end again: the log algorithm of one container.
#include "job/tail.h"

#include <algorithm>

#include "base/text.h"
#include "net/failure.h"

namespace trainctl::job {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration k_settle = milliseconds(500);  // until a status follows an ended stream
constexpr Duration k_longest_wait = seconds(15);  // between two attempts
constexpr Duration k_silence = seconds(10);       // of a stream whose container has ended
constexpr int k_attempts_after_end = 6;           // to read the rest of an ended container
constexpr int k_looks = 6;                        // at a log that ends before the line told last
constexpr std::string_view k_deleted = "its pod was deleted meanwhile";
// Of a stream whose container runs, until it is asked for anew: one may have come to the end of a
// file that the kubelet has rotated, or its path may be dead. Doubled while nothing comes.
constexpr Duration k_idle = seconds(60);
constexpr Duration k_longest_idle = seconds(480);

bool waits_to_start(const kube::Failure& failure) {
  return failure.refusal.status == 400 &&
         failure.refusal.message.find("waiting to start") != std::string::npos;
}

}  // namespace

Tail::Tail(kube::Client& client, TailTarget target, TailOptions options, TailHandlers handlers,
           ToldLines told)
    : client_(client),
      target_(std::move(target)),
      options_(options),
      handlers_(std::move(handlers)),
      told_(std::move(told)),
      idle_limit_(k_idle) {
  if (options_.started && !options_.since && !options_.tail_lines) begin_.emplace();
  open_after({});
}

void Tail::container_ended(const End& end) {
  if (end.removed) {
    if (!answer_.ours) request_.reset();
    return log_gone("its container was restarted twice meanwhile");
  }
  options_.previous = options_.previous || end.replaced;
  may_restart_ = end.may_restart;
  if (!finished_) finished_ = end.finished;
  if (done_) return;
  const bool to_current = end.replaced && !answer_.previous;
  // What was told came after this run's end: the next one answered, and this one is still unread.
  const bool unread = to_current && first_ && finished_ && *first_ >= *finished_;
  // A request that has brought nothing of this run may have been answered by the next.
  const bool anew = unread || (to_current && !answer_.ours && !answer_.told);
  if (unread) {
    first_.reset();
    last_.reset();
    late_ = true;
  }
  if (anew) request_.reset();
  if (std::exchange(ended_, true) && !anew) return;
  asked_again_ = false;
  failures_ = 0;  // attempts to read the rest are counted from here
  if (request_ == nullptr) {
    open_after({});
  } else {
    watch_for_silence();
  }
}

void Tail::let_go() {
  if (ended_ || gone_ || done_) return;  // what it reads has an end already
  ended_ = true;
  let_go_ = true;
  failures_ = 0;
  request_.reset();
  open_after({});
}

void Tail::pod_gone() {
  log_gone(k_deleted);
}

// What the open stream still holds is all there is.
void Tail::log_gone(std::string_view why) {
  if (gone_ || done_) return;
  gone_ = true;
  if (request_ != nullptr) return watch_for_silence();
  finish_gone(why);
}

void Tail::finish_gone(std::string_view why) {
  if (last_ && !sure_end_) tell_gap_after(why);
  finish({});
}

void Tail::tell_gap_after(std::string_view why) {
  tell_held();
  handlers_.on_notice(
      cat("possible gap in the log of ", target_.pod, " after ", format_time(*last_), ": ", why));
}

void Tail::hold() {
  if (done_) return;
  held_back_ = true;
  request_.reset();
  timer_.reset();
  silence_timer_.reset();
}

void Tail::go_on() {
  if (std::exchange(held_back_, false) && !done_) open_after({});
}

// A stream whose container has ended closes within a second or so; one that neither closes nor says
// anything for longer is dead.
void Tail::watch_for_silence() {
  silence_timer_ = client_.loop().after(k_silence, [this, lines = lines_] {
    if (lines != lines_) {
      watch_for_silence();
      return;
    }
    request_.reset();
    if (answer_.drains) {
      on_failure({net::no_answer(client_.server(), k_silence), {}});
    } else {
      on_end(std::nullopt);
    }
  });
}

// Not a failure, so nobody is told.
void Tail::watch_for_idleness() {
  silence_timer_ = client_.loop().after(idle_limit_, [this, lines = lines_] {
    if (lines != lines_) {
      idle_limit_ = k_idle;
      watch_for_idleness();
      return;
    }
    idle_limit_ = std::min(idle_limit_ * 2, k_longest_idle);
    request_.reset();
    open();
  });
}

void Tail::open_after(Duration delay) {
  if (held_back_) return;
  timer_ = client_.loop().after(delay, [this] { open(); });
}

// Of which run an answer is: by the next one the status will have told of a new run, if there is
// one.
void Tail::ask_again() {
  asked_again_ = true;
  open_after(seconds(2));
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
  kube::LogQuery query = this->query();
  query.follow = options_.follow && !ended_;
  query.previous = options_.previous;
  query.since = options_.since;
  if (last_) {
    query.since = std::chrono::floor<seconds>(*last_) - seconds(1);
  } else {
    query.tail_lines = options_.tail_lines;
  }
  answer_ = {.previous = options_.previous, .drains = ended_, .resumes = last_.has_value()};
  pieces_.begin();
  told_.resume();

  kube::LogHandlers handlers;
  handlers.on_open = [this] {
    opened_ = true;
    opened_at_ = client_.loop().now();
    failures_ = 0;
    handlers_.on_open();
  };
  handlers.on_line = [this](const kube::LogLine& line) { on_line(line); };
  handlers.on_end = [this](std::optional<kube::Failure> failure) {
    request_.reset();
    silence_timer_.reset();  // it watched this request
    on_end(std::move(failure));
  };
  request_ = kube::open_log(client_, query, std::move(handlers));
  if (answer_.drains) {
    watch_for_silence();
  } else if (query.follow) {
    watch_for_idleness();
  }
}

void Tail::on_end(std::optional<kube::Failure> failure) {
  if (failure) return on_failure(*failure);
  const bool not_started = options_.only_if_started && !opened_;
  if (!options_.follow || not_started) return finish({});
  const bool claimed = std::exchange(claimed_, true);
  sure_end_ = told_.newest_met();
  if (gone_) return finish_gone(k_deleted);
  if (answer_.drains) return on_last_end(claimed);
  // A clean end proves nothing (the kubelet may have died): read on from the last line, at once
  // when the container is known to have ended, else once its status had time to say so.
  open_after(ended_ ? Duration{} : k_settle);
}

// Nor does it prove anything after the container's end, since the API server ends an answer cleanly
// when it loses the node. The log is whole when two answers in a row end after the same line.
void Tail::on_last_end(bool claimed) {
  if (could_restart() && !answer_.ours) {
    if (whole_) return finish({});
    return asked_again_ ? finish_gone("its container was restarted meanwhile") : ask_again();
  }
  if (let_go_) return finish({});
  whole_ = true;
  if (answer_.told || !claimed) {
    looks_ = 0;
    return open_after({});
  }
  if (!last_ || told_.newest_met()) return finish({});
  if (++looks_ < k_looks) return open_after(k_settle);
  tell_gap_after("the node has rotated it");
  finish({});
}

void Tail::on_failure(const kube::Failure& failure) {
  const int status = failure.refusal.status;
  if (status == 404 || gone_) return finish_gone(k_deleted);
  if (waits_to_start(failure)) {
    if (options_.only_if_started || ended_) {
      finish({});
    } else {
      open_after(seconds(1));
    }
    return;
  }
  ++failures_;
  claimed_ = false;
  const bool transient = status == 0 || status == 429 || status >= 500;
  const bool bounded = ended_ || !options_.follow;
  const bool hopeless = !options_.follow && kube::is_lasting(failure.refusal);
  if (!transient || hopeless || (bounded && failures_ >= k_attempts_after_end)) {
    // What cannot be read a second time has been read once.
    if (whole_) return finish({});
    finish(in_context(cat("log of ", target_.pod), failure.error));
    return;
  }
  Duration wait = milliseconds(500) * (1 << std::min(failures_ - 1, 5));
  wait = failure.refusal.retry_after.value_or(std::min(wait, k_longest_wait));
  handlers_.on_trouble(failure.error, wait);
  open_after(wait);
}

void Tail::finish(Status status) {
  if (std::exchange(done_, true)) return;
  timer_.reset();
  silence_timer_.reset();
  tell_held();
  if (const auto leap = probe_.end()) tell_gap_between(leap->after, leap->before);
  handlers_.on_done(std::move(status));
}

}  // namespace trainctl::job
