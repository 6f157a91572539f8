// One container run's log from its first wanted line to its last: every line once, in order, over
// any number of connections.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "job/logs/dedup_window.h"
#include "job/logs/known_runs.h"
#include "job/logs/line_assembler.h"
#include "job/logs/rotation_probe.h"
#include "kube/auth_grace.h"
#include "kube/client.h"
#include "kube/log_stream.h"

namespace trainctl::job {

// Lines of a run that were told under the one before: its status was late.
struct ToldAhead {
  Time first, last;
};

struct TailOptions {
  bool follow = true;
  bool previous = false;
  std::optional<Time> since;  // lines before it are left out, to the nanosecond
  std::optional<long> tail_lines;
  bool insecure_backend = false;  // the API server need not believe the kubelet's certificate
  bool only_if_started = false;   // a container that still waits to start has no log: done at once
  bool let_in = false;            // this log or another was read before, with the same rights
  // When the container did, if known: a log that begins much later is told as one without its head.
  std::optional<Time> started;
  // When a status told that this is the container's run; else it did so just now.
  std::optional<Time> known_at;
  std::optional<ToldAhead> told_ahead;  // of this run; it is read from there on
};

struct TailHandlers {
  std::function<void(const kube::LogLine&)> on_line;
  std::function<void(const std::string& notice)> on_notice;  // possible gap, node trouble
  // An attempt to read has failed, the next is made after `wait`; and: one has not.
  std::function<void(const Error& why, Duration wait)> on_trouble = [](const Error&, Duration) {};
  std::function<void()> on_open = [] {};
  // Everything there is has been told, or (with an error) cannot be had.
  std::function<void(Status)> on_done;
};

class Tail {
 public:
  // `told`: the newest lines of the run before. The server may have answered for that run with the
  // first lines of this one, when it restarted before its status said so.
  Tail(kube::Client& client, TailTarget target, TailOptions options, TailHandlers handlers,
       DedupWindow told = {});

  const TailTarget& target() const { return target_; }
  // The container has ended (its status says so): read what is left, then be done. `replaced`: a
  // new run has begun, so this one's log is now the previous one; told again when that is learnt
  // later.
  struct End {
    bool replaced = false;
    bool removed = false;               // and even the previous one is not this any more
    bool may_restart = false;           // a new run may begin before its status says so
    std::optional<Time> finished = {};  // in whole seconds, rounded down
    std::optional<Time> known_at = {};  // when the status told; else just now
  };
  void container_ended(const End& end);
  // Nobody waits for the container's end any more: what there is now is read, then it is done.
  void let_go();
  // Reads no more until told to go on, from the line after the last one told.
  void hold();
  void go_on();
  void pod_gone() { log_gone(k_deleted); }
  const DedupWindow& told() const { return told_; }
  // Of the next run.
  const std::optional<ToldAhead>& told_ahead() const { return told_ahead_; }

 private:
  // What is known of the log, each step behind the one before.
  enum class Stage {
    following,  // the container runs, for all we know
    draining,   // it has ended: the rest is read
    leaving,    // nobody waits for its end: what there is is read
    gone,       // nothing can be asked for any more: what the open answer holds is all
    done,
  };
  // How an answer ended since the line told last was told.
  enum class CleanEnd { none, before_newest, after_newest };

  // What the request under way is for, and has brought.
  struct Answer {
    bool previous = false;  // the run before the current one
    bool drains = false;    // made after the container's end
    bool resumes = false;   // to go on behind the line told last
    bool first = false;     // nothing had been asked for before
    bool ours = false;      // of this run for sure
    bool told = false;      // lines not told before
    bool gap_checked = false;
    bool over = false;                // it ended, cleanly
    bool has_lines = false;           // told before or not
    bool has_words = false;           // of the node, about itself
    bool cut_piece = false;           // of its last line a piece is held back
    std::optional<Time> since;        // what lies before was not asked for
    std::optional<Time> opened;       // when the server answered with a log
    std::vector<KeptPiece> doubtful;  // lines, until it is known whose they are
    std::size_t doubtful_size = 0;
  };
  // How the log begins, as far as it is not known yet.
  struct Begin {
    std::optional<Time> first;
    std::size_t size = 0;
  };

  static constexpr std::string_view k_deleted = "its pod was deleted meanwhile";

  bool has_ended() const { return stage_ >= Stage::draining; }
  bool is_gone() const { return stage_ >= Stage::gone; }
  // The clean end of a stream that was followed proves nothing, unless the rest was asked for.
  bool is_whole() const { return drained_once_ && clean_end_ == CleanEnd::after_newest; }
  // The node answered with its trouble instead of the log.
  bool is_unreadable() const { return answer_.has_words && !answer_.has_lines; }
  // Nobody waits for a log to come that is not there now.
  bool asked_for_now() const { return !options_.follow && !options_.only_if_started && !last_; }

  // tail.cpp: when to ask, and what an answer's end means.
  void log_gone(std::string_view why);
  void finish_gone();
  kube::LogQuery query() const;
  void open();
  void open_after(Duration delay);
  void drop_answer();
  void on_end();
  void on_drained(CleanEnd before);
  void on_failure(const kube::Failure& failure);
  bool may_pass(const kube::Refusal& refusal);
  void watch_for_silence();
  void watch_for_idleness();
  void finish(Status status);

  // tail_lines.cpp: what becomes of a line.
  void on_line(const kube::LogLine& line);
  void on_words(const kube::LogLine& line);
  bool is_told(const kube::LogLine& line) const;
  void tell(const LogPiece& piece);
  void tell(const KeptPiece& kept);
  void tell_held();
  void check_gap(const kube::LogLine& line);
  void check_leap(const kube::LogLine& line);
  void check_begin(const kube::LogLine& line);
  void tell_gap_after(std::string_view why);
  void tell_gap_between(Time after, Time before);

  // tail_doubt.cpp: whose an answer is.
  bool could_be_anothers() const;
  bool is_ours(const kube::LogLine& line) const;
  bool is_fresh() const;
  bool in_doubt() const;
  void doubt(const LogPiece& piece);
  void ask_whose();
  void on_known_runs(const std::variant<KnownRuns, kube::Failure>& answer);
  bool leave_to_next_run();
  std::optional<Time> next_runs_begin() const;
  void refuse_answer();
  bool is_settled() const;
  void trust_answer();
  void settle();

  kube::Client& client_;
  TailTarget target_;
  TailOptions options_;
  TailHandlers handlers_;

  Stage stage_ = Stage::following;
  CleanEnd clean_end_ = CleanEnd::none;
  bool drained_once_ = false;  // after its end the log was read to what was the end once
  bool never_asked_ = true;
  bool held_back_ = false;
  bool may_restart_ = false;
  bool clock_set_back_ = false;  // the node's, since the last request
  bool late_ = false;            // lines of the next run were told before those of this one
  std::optional<Time> finished_;
  std::string_view gone_because_ = k_deleted;
  std::string words_;  // of the node, told last
  Time known_at_;      // when the status last told that this run is the one it is
  kube::AuthGrace denial_;
  int failures_ = 0;  // in a row
  int looks_ = 0;     // at a log that ended before the line told last
  int refusals_ = 0;  // of answers for another run
  long lines_ = 0;    // met; tells silence from work
  DedupWindow told_;
  LineAssembler pieces_;
  std::optional<Time> first_;  // stamp of the line told first
  std::optional<Time> last_;   // stamp of the newest line told
  std::optional<ToldAhead> told_ahead_;
  Answer answer_;
  std::optional<Begin> begin_;
  RotationProbe probe_;
  Duration idle_limit_;
  HandlePtr request_;
  HandlePtr timer_;
  HandlePtr silence_timer_;
  HandlePtr question_;  // whose the answer is
};

}  // namespace trainctl::job
