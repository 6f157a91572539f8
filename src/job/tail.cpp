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
constexpr Duration k_restart = seconds(2);        // until a status follows a new run
constexpr Duration k_silence = seconds(10);       // of a stream whose container has ended
constexpr int k_attempts_after_end = 6;           // to read the rest of an ended container
// kube/log_stream.h cuts long lines at 1 MiB, the stamp included: shorter pieces are a stream's
// end.
constexpr std::size_t k_whole_piece = (std::size_t{1} << 20) - 64;

std::uint64_t hash_line(std::string_view stamp, std::uint64_t piece, std::string_view text) {
  const std::hash<std::string_view> hash;
  return hash(stamp) * 31 + hash(text) + piece * 0x9E3779B97F4A7C15ULL;
}

std::int64_t second_of(Time time) {
  return std::chrono::floor<seconds>(time).time_since_epoch().count();
}

bool waits_to_start(const kube::Failure& failure) {
  return failure.refusal.status == 400 &&
         failure.refusal.message.find("waiting to start") != std::string::npos;
}

}  // namespace

bool ToldLines::repeats(std::uint64_t line) {
  const auto found = expected_.find(line);
  if (found == expected_.end()) return false;
  overlapped_ = true;
  if (--found->second == 0) expected_.erase(found);
  return true;
}

void ToldLines::add(std::int64_t second, std::uint64_t line) {
  if (second > second_) {
    // Stamps of stdout and stderr may cross by a little: keep the second before, too.
    earlier_ = second == second_ + 1 ? std::move(this_second_) : std::vector<std::uint64_t>{};
    this_second_.clear();
    second_ = second;
  }
  (second == second_ ? this_second_ : earlier_).push_back(line);
}

void ToldLines::resume() {
  expected_.clear();
  for (const std::uint64_t line : this_second_) ++expected_[line];
  for (const std::uint64_t line : earlier_) ++expected_[line];
  overlapped_ = false;
}

Tail::Tail(kube::Client& client, TailTarget target, TailOptions options, TailHandlers handlers,
           ToldLines told)
    : client_(client),
      target_(std::move(target)),
      options_(options),
      handlers_(std::move(handlers)),
      told_(std::move(told)) {
  told_.resume();
  open_after({});
}

void Tail::container_ended(const End& end) {
  options_.previous = options_.previous || end.replaced;
  may_restart_ = end.may_restart;
  if (!finished_) finished_ = end.finished;
  if (ended_ || done_) return;
  ended_ = true;
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
  failures_ = 0;
  request_.reset();
  open_after({});
}

void Tail::pod_gone() {
  if (gone_ || done_) return;
  gone_ = true;
  if (request_ == nullptr) {
    if (held_back_) {
      handlers_.on_notice(cat("the log of ", target_.pod,
                              " was not read to its end: its pod was deleted meanwhile"));
    }
    finish({});
  } else {
    watch_for_silence();
  }
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
    if (draining_) {
      on_failure({net::no_answer(client_.server(), k_silence), {}});
    } else {
      on_end(std::nullopt);
    }
  });
}

void Tail::open_after(Duration delay) {
  if (held_back_) return;
  timer_ = client_.loop().after(delay, [this] { open(); });
}

void Tail::open() {
  kube::LogQuery query;
  query.ns = target_.ns;
  query.pod = target_.pod;
  query.container = target_.container;
  draining_ = ended_;
  confirmed_ = options_.previous;
  next_run_seen_ = false;
  query.follow = options_.follow && !ended_;
  query.previous = options_.previous;
  query.since = options_.since;
  if (last_) {
    query.since = std::chrono::floor<seconds>(*last_) - seconds(1);
    told_.resume();
  } else {
    query.tail_lines = options_.tail_lines;
  }
  check_overlap_ = last_.has_value();
  continued_ = false;

  kube::LogHandlers handlers;
  handlers.on_open = [this] {
    opened_ = true;
    failures_ = 0;
  };
  handlers.on_line = [this](const kube::LogLine& line) { on_line(line); };
  handlers.on_end = [this](std::optional<kube::Failure> failure) {
    request_.reset();
    silence_timer_.reset();  // it watched this request
    on_end(std::move(failure));
  };
  request_ = kube::open_log(client_, query, std::move(handlers));
  if (draining_) watch_for_silence();
}

void Tail::on_line(const kube::LogLine& line) {
  if (continued_) {
    ++piece_;
  } else if (!line.stamp) {
    // Without a stamp it is not the container's: the kubelet writes its own errors into the body.
    if (!line.text.empty()) handlers_.on_notice(cat("the node says: ", printable_line(line.text)));
    return;
  } else {
    piece_ = 0;
    piece_stamp_ = line.stamp;
    piece_stamp_text_ = line.stamp_text;
  }
  continued_ = !line.complete;
  if (!line.complete && line.text.size() < k_whole_piece) {
    held_ = Held{*piece_stamp_, piece_stamp_text_, std::string(line.text), piece_};
    return;
  }
  if (held_ && held_->stamp_text == piece_stamp_text_ && held_->piece == piece_) held_.reset();
  kube::LogLine piece = line;
  piece.stamp = piece_stamp_;
  piece.stamp_text = piece_stamp_text_;
  tell(piece, second_of(*piece_stamp_), hash_line(piece_stamp_text_, piece_, line.text));
}

void Tail::tell(const kube::LogLine& line, std::int64_t second, std::uint64_t hash) {
  ++lines_;
  if (options_.since && *line.stamp < *options_.since) return;
  if (is_next_run(line)) {
    next_run_seen_ = true;
    return;
  }
  confirmed_ = true;
  if (told_.repeats(hash)) return;
  check_gap(line);
  told_.add(second, hash);
  if (!last_ || *line.stamp > *last_) last_ = line.stamp;
  handlers_.on_line(line);
}

// What is asked for after the end may be answered with the log of a run that has begun since. In
// the second in which this one ended the two cannot be told apart: the next Tail knows those lines.
// A busy node may also stamp a run's own lines late: without word of a new run they are its own.
bool Tail::is_next_run(const kube::LogLine& line) const {
  const bool settled = asked_again_ || options_.previous || !may_restart_;
  return draining_ && !settled && finished_ && *line.stamp >= *finished_ + seconds(1);
}

void Tail::check_gap(const kube::LogLine& line) {
  if (!std::exchange(check_overlap_, false) || told_.overlapped()) return;
  const bool maybe_next_run = draining_ && finished_ && *line.stamp >= *finished_;
  if (maybe_next_run) return;
  handlers_.on_notice(cat("possible gap in the log of ", target_.pod, " between ",
                          format_time(*last_), " and ", format_time(*line.stamp),
                          ": the node has rotated it"));
}

void Tail::on_end(std::optional<kube::Failure> failure) {
  if (failure) {
    on_failure(*failure);
    return;
  }
  const bool not_started = options_.only_if_started && !opened_;
  const bool doubtful = draining_ && may_restart_ && (next_run_seen_ || !confirmed_);
  if (doubtful && !gone_ && !std::exchange(asked_again_, true)) {
    // Of this run, or of a new one, which the status will have told of by then.
    open_after(k_restart);
    return;
  }
  if (gone_ || draining_ || !options_.follow || not_started) {
    finish({});
    return;
  }
  // A clean end proves nothing (the kubelet may have died): read on from the last line, at once
  // when the container is known to have ended, else once its status had time to say so.
  open_after(ended_ ? Duration{} : k_settle);
}

void Tail::on_failure(const kube::Failure& failure) {
  const int status = failure.refusal.status;
  if (status == 404 || gone_) {
    finish({});
    return;
  }
  if (waits_to_start(failure)) {
    if (options_.only_if_started || ended_) {
      finish({});
    } else {
      open_after(seconds(1));
    }
    return;
  }
  ++failures_;
  const bool transient = status == 0 || status == 429 || status >= 500;
  const bool bounded = ended_ || !options_.follow;
  if (!transient || (bounded && failures_ >= k_attempts_after_end)) {
    finish(in_context(cat("log of ", target_.pod), failure.error));
    return;
  }
  Duration wait = milliseconds(500) * (1 << std::min(failures_ - 1, 5));
  wait = failure.refusal.retry_after.value_or(std::min(wait, k_longest_wait));
  const std::string when = wait == Duration::zero() ? "" : cat(" in ", net::seconds_text(wait));
  handlers_.on_notice(
      cat("log of ", target_.pod, " interrupted (", failure.error.message, "); reading on", when));
  open_after(wait);
}

void Tail::finish(Status status) {
  if (std::exchange(done_, true)) return;
  timer_.reset();
  silence_timer_.reset();
  if (held_) {
    const kube::LogLine line{held_->stamp, held_->stamp_text, held_->text, false};
    tell(line, second_of(held_->stamp), hash_line(held_->stamp_text, held_->piece, held_->text));
  }
  handlers_.on_done(std::move(status));
}

}  // namespace trainctl::job
