// One container run's log from its first wanted line to its last: every line once, in order, over
// any number of connections.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/loop.h"
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
  bool only_if_started = false;  // a container that still waits to start has no log: done at once
};

struct TailHandlers {
  std::function<void(const kube::LogLine&)> on_line;
  std::function<void(const std::string& notice)> on_notice;  // possible gap, node trouble, retry
  // Everything there is has been told, or (with an error) cannot be had.
  std::function<void(Status)> on_done;
};

// The lines told in the newest seconds, to recognise them when a resumed stream repeats them: the
// server's sinceTime has a precision of one second (kubernetes#77856).
class ToldLines {
 public:
  // True when the line was told on an earlier connection and not yet met on this one.
  bool repeats(std::uint64_t line);
  void add(std::int64_t second, std::uint64_t line);
  // A new connection begins: what was told may come once more.
  void resume();
  bool overlapped() const { return overlapped_; }

 private:
  std::int64_t second_ = 0;
  std::vector<std::uint64_t> this_second_, earlier_;
  std::unordered_map<std::uint64_t, int> expected_;
  bool overlapped_ = false;
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
    bool may_restart = false;           // a new run may begin before its status says so
    std::optional<Time> finished = {};  // in whole seconds, rounded down
  };
  void container_ended(const End& end);
  // Nobody waits for the container's end any more: what there is now is read, then it is done.
  void let_go();
  // Reads no more until told to go on, from the line after the last one told.
  void hold();
  void go_on();
  // The pod is gone: what the open stream still holds is all there is.
  void pod_gone();
  const ToldLines& told() const { return told_; }

 private:
  void open();
  bool is_next_run(const kube::LogLine& line) const;
  void check_gap(const kube::LogLine& line);
  void on_line(const kube::LogLine& line);
  void tell(const kube::LogLine& line, std::int64_t second, std::uint64_t hash);
  void on_end(std::optional<kube::Failure> failure);
  void on_failure(const kube::Failure& failure);
  void open_after(Duration delay);
  void watch_for_silence();
  void finish(Status status);

  kube::Client& client_;
  TailTarget target_;
  TailOptions options_;
  TailHandlers handlers_;

  bool ended_ = false;     // the container has terminated
  bool gone_ = false;      // the pod does not exist any more
  bool draining_ = false;  // the request under way was made after the container ended
  bool opened_ = false;    // the server has answered with a log
  bool done_ = false;
  bool held_back_ = false;
  std::optional<Time> finished_;
  bool may_restart_ = false;
  bool confirmed_ = false;  // the answer to the request after the end was of this run
  bool next_run_seen_ = false;
  bool asked_again_ = false;
  int failures_ = 0;  // in a row
  long lines_ = 0;    // told; tells silence from work
  ToldLines told_;
  std::optional<Time> last_;  // stamp of the newest line told
  bool check_overlap_ = false;
  // A line longer than one piece, or cut off by the end of its stream: where its pieces belong.
  bool continued_ = false;
  std::optional<Time> piece_stamp_;
  std::string piece_stamp_text_;
  std::uint64_t piece_ = 0;
  // An unfinished last line, held back: a resumed stream brings it whole, or it was the last.
  struct Held {
    Time stamp;
    std::string stamp_text;
    std::string text;
    std::uint64_t piece;
  };
  std::optional<Held> held_;
  HandlePtr request_;
  HandlePtr timer_;
  HandlePtr silence_timer_;
};

}  // namespace trainctl::job
