// The log of one run as answers bring it: which lines are new, which must wait, what is missing.
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
#include "kube/log_lines.h"

namespace trainctl::job {

struct RunLogHandlers {
  std::function<void(const kube::LogLine&)> on_line;
  std::function<void(const std::string& notice)> on_notice;  // possible gap, node trouble
  std::function<Time()> now;
};

// Asks for nothing and waits for nothing: job/logs/log_tail.h does.
class RunLog {
 public:
  RunLog(std::string pod, SeenLines seen, RunAttribution run, GapDetection gaps,
         RunLogHandlers handlers);

  RunAttribution& run() { return run_; }
  SeenLines& seen() { return seen_; }
  const SeenLines& seen() const { return seen_; }
  EndEvidence& end() { return end_; }
  GapDetection& gaps() { return gaps_; }

  // A request is made. `since`: what lies before was not asked for; `followed`: the answer waits
  // for more.
  void begin_answer(const LogAnswer& answer, std::optional<Time> since, bool followed);
  void open_answer();
  // Its request is ended; what it brought and was not printed is forgotten.
  void drop_answer();
  const LogAnswer& answer() const { return answer_.facts; }
  bool is_open() const { return answer_.open; }

  void on_line(const kube::LogLine& line);
  // The container's, seen before or not; shows work from silence.
  long lines_read() const { return lines_read_; }

  // The answer is this run's for sure.
  bool is_ours() const { return answer_.owner == Owner::ours; }
  // Lines wait until somebody says whose they are.
  bool waits_for_owner() const { return answer_.owner == Owner::asked; }
  bool has_no_room() const;
  // What has been learnt since says that they are this run's.
  bool is_settled() const;
  // It is known: prints what waits.
  void attribute();
  void print_waiting();

  // The node answered with its trouble instead of the log, or behind it.
  bool is_unreadable() const { return answer_.content == Content::words; }
  bool broke_off() const { return is_unreadable() || answer_.content == Content::lines_then_words; }
  // Of an answer that ended cleanly: it reached the newest line seen.
  bool reached_newest() const { return seen_.newest_met() && !broke_off(); }
  // The answer ended cleanly: if it was the first look at a log of which the user wants the last
  // lines, what it did not bring was not there.
  void end_first_look();
  // And the log is to be followed from there.
  bool was_first_look() const { return is_open() && !answer_.followed && !broke_off(); }

  // The next run has begun. True when what was seen was that run's, and this one's is unread.
  bool leave_to_next_run();
  Handover handover() const { return {seen_.window(), ahead_}; }

  void report_gap(std::string_view why);
  // Nothing comes any more: prints what was held back.
  void finish();

 private:
  enum class Owner { unknown, asked, ours };
  enum class Content { nothing, words, lines, lines_then_words };  // of the node; of the container

  // What one request has brought.
  struct Answer {
    LogAnswer facts;
    std::optional<Time> since;
    bool followed = false;
    bool open = false;
    bool new_lines = false;
    Owner owner = Owner::unknown;
    Content content = Content::nothing;
    std::vector<KeptPiece> waiting;  // lines that may be another run's, or older than those seen
    std::size_t waiting_size = 0;
  };

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
  std::string words_;  // of the node, reported last
  long lines_read_ = 0;
  bool late_ = false;  // lines of the next run were printed before those of this one
  std::optional<SeenAhead> ahead_;
};

}  // namespace trainctl::job
