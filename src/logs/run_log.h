// The log of one run, assembled from answers: which lines are new, which have to wait, what is
// missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/loop.h"
#include "kube/stream/log_stream.h"
#include "logs/gap_detection.h"
#include "logs/log_sink.h"
#include "logs/run_attribution.h"
#include "logs/seen_lines.h"

namespace trainctl::job {

// Decides whether the end of an answer is the end of the log: a clean end alone proves nothing. An
// API server that loses a node ends an answer cleanly, as it would at the log's end. A log is
// therefore complete only when two answers in a row, requested after the container's end, end after
// the same line.
class EndEvidence {
 public:
  enum class Next {
    read_on,     // the container may still write
    confirm,     // it ended after the newest line: one more such answer confirms the end
    look_again,  // it ended before the newest line, which may still come
    whole,
    lost,  // the newest line no longer comes, so what followed it cannot be known
  };
  // Facts about an answer that ended cleanly.
  struct Answer {
    // It ended with the newest line seen, without an error message of the node.
    bool behind_newest = false;
    bool drains = false;    // requested after the container's end
    bool suffices = false;  // its end needs no confirmation
  };

  // A new line arrived, so earlier evidence of an end is void.
  void new_line() {
    last_ = Last::none;
    looks_ = 0;
  }
  Next ended(const Answer& answer);
  // True when the log looked complete when it was last read; a request that fails now does not
  // change that.
  bool is_whole() const { return drained_ && last_ == Last::behind_newest; }

 private:
  enum class Last { none, before_newest, behind_newest };

  Last last_ = Last::none;  // where the latest answer since the newest line ended
  bool drained_ = false;    // was read to an apparent end after the container's end
  int looks_ = 0;           // answers that ended before the newest line
};

// Finds a node's error message inside a log: the kubelet appends the error that ends a stream to
// its bytes. The position where the node's message begins in the unfinished last line of an answer;
// npos when the container wrote all of it. In a followed stream (`followed`) the kubelet asks the
// runtime about the container every second, so the stream may end with the runtime's error; other
// streams can only end with a file error.
std::size_t node_words_at(std::string_view unfinished_line, bool followed);

// Turns a stream's lines into printable pieces: long lines come in several, and a line that was cut
// off is held back. A line, or a piece of a long one. `line` refers to the buffer it was taken from
// and is valid until the next piece at most.
struct LogPiece {
  // Carries its stamp even where the stream had it on the first piece only.
  const kube::LogLine& line;
  // Identifies the piece on every connection. Lines with equal stamps may share a mark: they arrive
  // in the same order again, so counting them is enough.
  std::uint64_t mark = 0;
};

// A copy of a piece that outlives its stream.
class KeptPiece {
 public:
  explicit KeptPiece(const LogPiece& piece);
  kube::LogLine line() const;
  // The piece again; `line` must be the result of line(), and the caller keeps it alive.
  LogPiece piece(const kube::LogLine& line) const { return {line, mark_}; }
  std::size_t size() const { return sizeof *this + stamp_text_.size() + text_.size(); }

 private:
  Time stamp_;
  std::string stamp_text_, text_;
  bool complete_;
  std::uint64_t mark_;
};

class LineAssembler {
 public:
  // True for the unfinished last line of a stream.
  static bool is_cut(const kube::LogLine& line);
  // Begins a new connection, whose first line is the beginning of a line.
  void begin() {
    goes_on_ = false;
    if (held_) held_->is_new = false;
  }
  // True when the stream's next LogLine continues the line before it.
  bool goes_on() const { return goes_on_; }
  // `line` has a stamp or continues the line before. Returns nullopt when it was cut off: then it
  // is held back, since a resumed stream sends it whole unless it was the last.
  std::optional<LogPiece> take(const kube::LogLine& line);
  // Hands over the piece held back, if there is one.
  std::optional<KeptPiece> release();
  // True when the piece held back came over this connection.
  bool holds_new() const { return held_ && held_->is_new; }
  std::optional<Time> held_stamp() const;

 private:
  // The unfinished last line of a stream.
  struct Held {
    KeptPiece piece;
    std::uint64_t number;
    bool is_new = true;  // it came after begin()
  };
  static bool is_begin_of(const Held& held, const kube::LogLine& line, std::uint64_t number);

  bool goes_on_ = false;
  Time stamp_{};  // stamp of the line being continued
  std::string stamp_text_;
  std::uint64_t number_ = 0;  // number of the next piece within its line
  kube::LogLine piece_;       // the newest piece of a line in pieces
  std::optional<Held> held_;
};

// Sends no requests and sets no timers; logs/log_tail.h does both.
class RunLog {
 public:
  // `origin` names the run to `sink`; the caller keeps it.
  RunLog(std::string pod, SeenLines seen, RunAttribution run, GapDetection gaps, const Loop& loop,
         const LogOrigin& origin, LogSink& sink);

  RunAttribution& run() { return run_; }
  SeenLines& seen() { return seen_; }
  const SeenLines& seen() const { return seen_; }
  EndEvidence& end() { return end_; }
  GapDetection& gaps() { return gaps_; }

  // A request is being sent. Lines before `since` were not requested; `followed` says that the
  // answer stays open for more lines.
  void begin_answer(const LogAnswer& answer, std::optional<Time> since, bool followed);
  void open_answer();
  // Its request was ended; lines it delivered that were not printed are forgotten.
  void drop_answer();
  const LogAnswer& answer() const { return answer_.facts; }
  bool is_open() const { return answer_.open; }
  bool has_new_lines() const { return answer_.new_lines; }

  void on_line(const kube::LogLine& line);
  // The answer has ended.
  void end_answer();
  // Lines of the container, seen before or not; distinguishes work from silence.
  long lines_read() const { return lines_read_; }

  // True when the answer is certainly this run's.
  bool is_ours() const { return answer_.owner == Owner::ours; }
  // True while lines wait for the decision which run they belong to.
  bool waits_for_owner() const { return answer_.owner == Owner::asked; }
  bool has_no_room() const;
  // True when later information shows that the waiting lines are this run's.
  bool is_settled() const;
  // The waiting lines are this run's: prints them.
  void attribute();
  void print_waiting();

  // True when the node sent an error message instead of the log, or (broke_off) after it.
  bool is_unreadable() const { return answer_.content == Content::words; }
  bool broke_off() const { return is_unreadable() || answer_.content == Content::lines_then_words; }
  // For an answer that ended cleanly: whether it reached the newest line seen.
  bool reached_newest() const { return seen_.newest_met() && !broke_off(); }
  // The answer ended cleanly: if it was the first look at a log whose last lines the user wants,
  // then lines it lacks did not exist.
  void end_first_look();
  // True when this answer was that first look, and the log is to be followed from its end.
  bool was_first_look() const { return is_open() && !answer_.followed && !broke_off(); }

  // The next run has begun. Returns true when the seen lines were that run's, and this one is
  // unread.
  bool leave_to_next_run();
  Handover handover() const { return {seen_.window(), ahead_}; }

  void report_gap(std::string_view why);
  // The run has ended, and its node does not give the newest line seen any more.
  void report_lost_end();
  // No more lines will come: prints what was held back.
  void finish();

 private:
  enum class Owner { unknown, asked, ours };
  enum class Content {
    nothing,
    words,
    lines,
    lines_then_words
  };  // words are the node's, lines the container's

  // The answer to one request.
  struct Answer {
    LogAnswer facts;
    std::optional<Time> since;
    bool followed = false;
    bool open = false;
    bool new_lines = false;
    Owner owner = Owner::unknown;
    Content content = Content::nothing;
    // The first line without a time: the node's error, or, if another follows, the container's.
    std::optional<std::string> untimed = {};
    long untimed_lines = 0;  // of the container
    std::vector<KeptPiece>
        waiting;  // lines that may belong to another run, or be older than those seen
    std::size_t waiting_size = 0;
  };

  void on_untimed(const kube::LogLine& line);
  void take_untimed(const kube::LogLine& line);
  void take(const kube::LogLine& line);
  void on_words(std::string_view text);
  void on_unfinished(const kube::LogLine& line);
  void sort(const LogPiece& piece);
  void keep(const LogPiece& piece);
  void print(const LogPiece& piece);
  void print_held();
  void check_begin(const kube::LogLine& line);
  void report_leap(const GapDetection::Leap& leap);

  std::string pod_;
  const Loop& loop_;
  const LogOrigin& origin_;
  LogSink& sink_;
  SeenLines seen_;
  RunAttribution run_;
  GapDetection gaps_;
  EndEvidence end_;
  LineAssembler assembler_;
  Answer answer_;
  std::string words_;  // error message of the node that was reported last
  long lines_read_ = 0;
  // Set when the node sends no times: the lines' places in the log stand in for them, from here on.
  std::optional<Time> untimed_from_;
  bool late_ = false;  // lines of the next run were printed before this one's
  std::optional<SeenAhead> ahead_;
};

}  // namespace trainctl::job
