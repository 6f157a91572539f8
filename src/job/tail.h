// One container run's log from its first wanted line to its last: every line once, in order, over
// any number of connections.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "job/log_pieces.h"
#include "job/rotation_probe.h"
#include "job/told_lines.h"
#include "kube/client.h"
#include "kube/log_stream.h"

namespace trainctl::job {

// Which run of which container; a restarted container is another target.
struct TailTarget {
  std::string ns, pod, pod_uid, container, container_id;
  bool operator==(const TailTarget&) const = default;
};

struct TailOptions {
  bool follow = true;
  bool previous = false;
  std::optional<Time> since;  // lines before it are left out, to the nanosecond
  std::optional<long> tail_lines;
  bool insecure_backend = false;  // the API server need not believe the kubelet's certificate
  bool only_if_started = false;   // a container that still waits to start has no log: done at once
  // When the container did, if known: a log that begins much later is told as one without its head.
  std::optional<Time> started;
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
       ToldLines told = {});

  const TailTarget& target() const { return target_; }
  // The container has ended (its status says so): read what is left, then be done. `replaced`: a
  // new run has begun, so this one's log is now the previous one; told again when that is learnt
  // later.
  struct End {
    bool replaced = false;
    bool removed = false;               // and even the previous one is not this any more
    bool may_restart = false;           // a new run may begin before its status says so
    std::optional<Time> finished = {};  // in whole seconds, rounded down
  };
  void container_ended(const End& end);
  // Nobody waits for the container's end any more: what there is now is read, then it is done.
  void let_go();
  // Reads no more until told to go on, from the line after the last one told.
  void hold();
  void go_on();
  void pod_gone();
  const ToldLines& told() const { return told_; }

 private:
  void log_gone(std::string_view why);
  void finish_gone(std::string_view why);
  void tell_gap_after(std::string_view why);
  void tell_gap_between(Time after, Time before);
  kube::LogQuery query() const;
  void open();
  void on_line(const kube::LogLine& line);
  bool is_told(const kube::LogLine& line) const;
  void tell(const LogPiece& piece);
  void tell_held();
  bool could_restart() const;
  bool may_be_next_run(const kube::LogLine& line) const;
  void check_gap(const kube::LogLine& line);
  void check_leap(const kube::LogLine& line);
  void check_begin(const kube::LogLine& line);
  void on_end(std::optional<kube::Failure> failure);
  void on_last_end(bool claimed);
  void ask_again();
  void on_failure(const kube::Failure& failure);
  void open_after(Duration delay);
  void watch_for_silence();
  void watch_for_idleness();
  void finish(Status status);

  kube::Client& client_;
  TailTarget target_;
  TailOptions options_;
  TailHandlers handlers_;

  bool ended_ = false;     // the container has terminated
  bool let_go_ = false;    // nobody waits for its end
  bool gone_ = false;      // the pod does not exist any more
  bool opened_ = false;    // the server has answered with a log
  bool whole_ = false;     // after its end the log was read to what was the end once
  bool claimed_ = false;   // an answer has ended cleanly after the line told last
  bool sure_end_ = false;  // and it held that line
  bool done_ = false;
  bool held_back_ = false;
  bool asked_again_ = false;  // of which run an answer was, by asking once more
  bool may_restart_ = false;
  std::optional<Time> finished_;
  int failures_ = 0;  // in a row
  int looks_ = 0;     // at a log that ended before the line told last
  long lines_ = 0;    // met; tells silence from work
  ToldLines told_;
  LogPieces pieces_;
  bool late_ = false;          // lines of the next run were told before those of this one
  std::optional<Time> first_;  // stamp of the line told first
  std::optional<Time> last_;   // stamp of the newest line told
  // What the request under way is for, and has brought.
  struct Answer {
    bool previous = false;  // the run before the current one
    bool drains = false;    // made after the container's end
    bool resumes = false;   // to go on behind the line told last
    bool ours = false;      // of this run for sure
    bool told = false;      // lines not told before
    bool gap_checked = false;
  };
  Answer answer_;
  // How the log begins, as far as it is not known yet.
  struct Begin {
    std::optional<Time> first;
    std::size_t size = 0;
  };
  std::optional<Begin> begin_;
  RotationProbe probe_;
  Time opened_at_{};
  Duration idle_limit_;
  HandlePtr request_;
  HandlePtr timer_;
  HandlePtr silence_timer_;
};

}  // namespace trainctl::job
