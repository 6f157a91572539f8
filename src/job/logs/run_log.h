// The log of one run, assembled from answers: which lines are new, which have to wait, what is
// missing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/logs/end_evidence.h"
#include "job/logs/gap_detection.h"
#include "job/logs/line_assembler.h"
#include "job/logs/run_attribution.h"
#include "job/logs/seen_lines.h"
#include "kube/stream/log_lines.h"

namespace trainctl::job {

struct RunLogHandlers {
  std::function<void(const kube::LogLine&)> on_line;
  std::function<void(const std::string& notice)> on_notice;  // node error
  std::function<void(const std::string& gap)> on_gap;        // lines may be missing
  std::function<Time()> now;
};

// Sends no requests and sets no timers; job/logs/log_tail.h does both.
class RunLog {
 public:
  RunLog(std::string pod, SeenLines seen, RunAttribution run, GapDetection gaps,
         RunLogHandlers handlers);

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
  RunLogHandlers handlers_;
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
