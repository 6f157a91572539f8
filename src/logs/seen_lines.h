// Remembers the seen lines of a run's log, and derives the next request from them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/text/time.h"
#include "logs/log_options.h"

namespace trainctl::job {

// The most recent lines of a log, kept to recognise those that a resumed stream sends again. Holds
// the lines of the newest seconds. A resumed stream repeats them, because the server's sinceTime
// has a precision of one second (kubernetes#77856).
class DedupWindow {
 public:
  // `line` is the line's mark (logs/run_log.h). Returns true when the line was seen on
  // an earlier connection and has not come again on this one yet.
  bool repeats(std::uint64_t line) { return !expected_.empty() && take_expected(line); }
  void add(Time stamp, std::uint64_t line) {
    if (stamp >= next_second_) begin_second(stamp);
    (stamp >= next_second_ - k_second ? this_second_ : earlier_).push_back(line);
    newest_ = line;
  }
  // Begins a new connection, on which every line seen may come once more.
  void resume();
  // True when this connection has repeated a seen line, which shows that it reads the same log.
  bool overlapped() const { return overlapped_; }
  // True when it has repeated the newest line seen, so that nothing is missing in between.
  bool newest_met() const { return !expected_.contains(newest_); }

 private:
  bool take_expected(std::uint64_t line);
  void begin_second(Time stamp);

  static constexpr Duration k_second = std::chrono::seconds(1);
  Time next_second_{};
  std::vector<std::uint64_t> this_second_, earlier_;
  std::unordered_map<std::uint64_t, int> expected_;
  std::uint64_t newest_ = 0;
  bool overlapped_ = false;
};

// Lines of the next run that were printed under the one before, because its status came late.
struct SeenAhead {
  Time first, last;
};

// Facts that one run's reader hands over to the reader of the container's next run.
struct Handover {
  DedupWindow window;  // the next run's first lines may have been printed under this run
  std::optional<SeenAhead> ahead;
};

// Derives every request for a log from two things: what the user asked for, and what was seen.
// Functions called for each line are inline, for speed.
class SeenLines {
 public:
  SeenLines(const LogOptions& asked, const Handover& before);

  struct Request {
    std::optional<Time> since;
    std::optional<long> tail_lines;
  };
  Request next_request() const;
  // True for a request that carries the --tail limit. It is not followed, because --tail refers to
  // one moment, and a followed stream that was cut would not show where in its lines that moment
  // was.
  bool is_first_look() const { return tail_lines_ && !last_ && !begin_; }
  // The first look ended cleanly without a line for add(). `unfinished` is the stamp of a line that
  // was still being written.
  void first_look_was_empty(std::optional<Time> unfinished);

  // The place of an answer's line relative to the lines seen.
  enum class LinePosition {
    seen,      // seen before; so were the lines before it, or they are not wanted
    left_out,  // before the lines that the --tail limit selected
    unknown,   // either new, or older than a seen line that is still to come: the next lines decide
    next,
  };
  void begin_answer();
  LinePosition place(Time stamp, std::uint64_t mark) {
    if (window_.repeats(mark)) return LinePosition::seen;
    return window_.overlapped() ? LinePosition::next : place_before_seen(stamp);
  }
  // Returns false when the user did not ask for the line, and it only shows where the log stood.
  bool add(Time stamp, std::uint64_t mark) {
    const bool wanted = !(attaches_ && is_first_look() && *tail_lines_ == 0);
    if (tail_lines_ && !begin_) begin_ = stamp;
    if (!first_) first_ = stamp;
    if (!last_ || stamp > *last_) last_ = stamp;
    window_.add(stamp, mark);
    return wanted;
  }

  bool any() const { return last_.has_value(); }
  const std::optional<Time>& first() const { return first_; }
  const std::optional<Time>& last() const { return last_; }
  bool overlapped() const { return window_.overlapped(); }
  // True when the answer has reached the newest line seen. Before the first line of this run any
  // answer has: the window then holds lines of the run before, which do not come again.
  bool newest_met() const { return !last_ || window_.newest_met(); }
  // True when a truncated line with this stamp was seen as a whole before.
  bool was_whole(Time stamp) const;
  const DedupWindow& window() const { return window_; }
  // Forgets the seen lines: they were another run's.
  void forget();

 private:
  LinePosition place_before_seen(Time stamp) const;

  bool attaches_;
  std::optional<Time> since_;
  std::optional<long> tail_lines_;
  int empty_looks_ = 0;
  // Set under a --tail limit: lines stamped earlier are not wanted.
  std::optional<Time> begin_;
  std::optional<Time> first_;  // stamp of the first line seen
  std::optional<Time> last_;   // newest stamp seen
  std::optional<Time> edge_;   // in a resumed answer, lines stamped later are certainly new
  DedupWindow window_;
};

}  // namespace trainctl::job
