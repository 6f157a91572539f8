// Which lines of a run's log were seen, and what the next request has to ask for because of them.
#pragma once

#include <optional>

#include "base/time.h"
#include "job/logs/dedup_window.h"
#include "job/logs/log_options.h"

namespace trainctl::job {

// Lines of the next run that were printed under the one before: its status was late.
struct SeenAhead {
  Time first, last;
};

// What the log of a run leaves to that of the next run of the same container.
struct Handover {
  DedupWindow window;  // the next run's first lines may have come under this run
  std::optional<SeenAhead> ahead;
};

// Every request for a log is derived from two things: what the user asked for, and what was seen.
class SeenLines {
 public:
  SeenLines(const LogOptions& asked, const Handover& before);

  struct Request {
    std::optional<Time> since;
    std::optional<long> tail_lines;
  };
  Request next_request() const;
  // A limit to the last lines holds for one moment, so the request for them is not followed: what
  // an answer of a stream had brought when it was cut would not show where that moment was.
  bool is_first_look() const { return tail_lines_ && !last_ && !begin_; }
  // It ended cleanly, and brought nothing that add() was called for; `unfinished`: the stamp of a
  // line that goes on.
  void first_look_was_empty(std::optional<Time> unfinished);

  // Where a line of an answer stands, beside those seen.
  enum class Place {
    seen,      // so all lines of this answer before it were seen, or are not wanted
    left_out,  // before the last ones that the user asked for
    unknown,   // before a seen one that comes yet, or new: what follows decides
    next,
  };
  void begin_answer();
  Place place(Time stamp, std::uint64_t mark) {
    if (window_.repeats(mark)) return Place::seen;
    return window_.overlapped() ? Place::next : place_before_seen(stamp);
  }
  // False: the user did not ask for it, it only shows where the log stood.
  bool add(Time stamp, std::uint64_t mark);

  bool any() const { return last_.has_value(); }
  const std::optional<Time>& first() const { return first_; }
  const std::optional<Time>& last() const { return last_; }
  bool overlapped() const { return window_.overlapped(); }
  bool newest_met() const { return window_.newest_met(); }
  // An unfinished line of an answer: cut within one that was seen as a whole.
  bool was_whole(Time stamp) const;
  const DedupWindow& window() const { return window_; }
  // What was seen was another run's: this one is still unseen.
  void forget();

 private:
  Place place_before_seen(Time stamp) const;

  bool attaches_;
  std::optional<Time> since_;
  std::optional<long> tail_lines_;
  int empty_looks_ = 0;
  std::optional<Time>
      begin_;  // under a limit to the last lines: what is stamped before is not wanted
  std::optional<Time> first_;  // stamp of the line seen first
  std::optional<Time> last_;   // the newest stamp
  std::optional<Time> edge_;   // of a resumed answer: what is stamped later can only be new
  DedupWindow window_;
};

}  // namespace trainctl::job
