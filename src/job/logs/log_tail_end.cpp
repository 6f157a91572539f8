// What the end of an answer means for a tail: reads on, reads the end twice, asks which run the
// answer belongs to, or is done.
#include "base/text.h"
#include "job/logs/log_refusal.h"
#include "job/logs/log_tail.h"

namespace trainctl::job {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// How long after a stream's end the container's status follows.
constexpr Duration k_status_follows = milliseconds(500);
// How long the watch takes to report a run whose log was already answered.
constexpr Duration k_until_reported = seconds(2);

}  // namespace

// The answer ended cleanly, or was given up as silent.
void LogTail::on_end() {
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
      log_.report_gap(log_.broke_off() ? "its node could not read it" : "the node has rotated it");
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
    if (task_.only_if_started || is<LetGo>()) return finish({});
    // A container that has ended cannot be waiting to start, so this is a new pod of the same name.
    if (has_ended()) return finish_gone();
    return open_after(seconds(1));
  }
  if (task_.asked.follow && node_deleted_it(failure.refusal)) {
    return finish_gone("its node has deleted it meanwhile");
  }
  const Time now = client_.loop().now();
  const auto wait = pace_.failed(failure.refusal, has_ended(), now);
  if (!wait) {
    // The second reading, meant to confirm the end, failed, but the first one was complete.
    if (log_.end().is_whole()) return finish({});
    return finish(in_context(cat("log of ", task_.target.pod), failure.error));
  }
  const Duration spread_wait = *wait + client_.spread().next(now);
  handlers_.on_trouble(failure.error, spread_wait);
  open_after(spread_wait);
}

void LogTail::ask_whose() {
  if (question_ != nullptr) return;
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
  handlers_.on_notice(cat("log of ", task_.target.pod,
                          ": cannot tell which of its runs comes next (", failure.error.message,
                          ")"));
  settle();
}

// The watch will report what has become of this run.
void LogTail::refuse_answer() {
  if (is_gone()) return finish_gone();
  drop_answer();
  if (has_ended() && !log_.run().may_ask_again()) {
    log_.report_gap("its node answers for another run, of which the API server does not know");
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
  const bool awaited = log_.seen().any() || (task_.asked.follow && !task_.only_if_started);
  if (dropped || (awaited && !log_.end().is_whole())) log_.report_gap(why);
  finish({});
}

void LogTail::finish(Status status) {
  if (is<Done>()) return;
  phase_ = Done{};
  activity_ = Stopped{};
  question_.reset();
  log_.finish();
  handlers_.on_done(std::move(status));
}

}  // namespace trainctl::job
