// The runs of one container as its statuses report them: which ones still have to be read, and
// which have ended.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>

#include "base/value/json.h"
#include "job/logs/run_attribution.h"
#include "job/logs/seen_lines.h"
#include "job/status/run_times.h"

namespace trainctl::job {

// Queues a container's runs in the order of its restarts, each exactly once. Reads no log itself.
class ContainerRuns {
 public:
  struct Run {
    std::string id = {};       // container ID; "" = no status has reported it yet
    bool previous = false;     // a newer run has already begun
    bool here_before = false;  // it already existed when its log was first wanted
    int restarts = 0;          // restarts of the container before this run
  };

  // Takes in the container's `status` within `pod`, observed at `now`. `joined`: when the interest
  // in the log began; set for the first status of a container that may be older than that. Returns
  // true when a run may have begun and ended unnoticed.
  [[nodiscard]] bool note(const Json& pod, const Json& status, Time now,
                          const std::optional<Time>& joined);
  // Records that a run may have begun that no status reports. Returns false when a run is already
  // known.
  bool note_unreported();
  // The latest run that `status` shows, or the one before it. To be read by itself: it is neither
  // queued nor awaited.
  Run pick(const Json& status, bool previous, Time now);
  // Forgets the run that no status has reported: if a status reports it later, it counts as unread.
  void forget_unreported() { known_.erase(""); }

  // True while no run is known.
  bool none() const { return known_.empty(); }
  // Forgets the runs whose reading has not begun and returns how many there were, not counting a
  // run that no status has reported.
  std::size_t drop_unread();
  bool has_next() const { return !queue_.empty(); }
  // Makes the next queued run the one being read, and returns it.
  Run take_next();
  // The end of the run being read, once a status has reported it.
  std::optional<RunEnd> end_of_read() const;

  // Returns what the previous run hands over to `run`: the lines of `run` that were printed under
  // the previous one.
  Handover handed_to(const Run& run, Handover before) const;
  std::optional<Time> start_of(const Run& run) const { return times_.start_of(run.id); }
  // When the current run ended, or a start that failed without giving it an ID.
  std::optional<Time> current_end() const { return times_.end_of(current_); }
  // When the latest status was observed; long ago when there was none.
  Time known_at() const { return known_at_; }

 private:
  void note_ids(const Json& status, Time now);
  void adopt();
  bool is_past(Time joined) const;
  bool add(std::string id, bool previous, bool here_before, int restarts);

  int restarts_ = 0;
  int next_restarts_ = 0;        // restart count of the next run to be discovered
  std::set<std::string> known_;  // IDs of runs already read, being read or queued
  std::deque<Run> queue_;
  RunTimes times_;
  std::string current_;  // ID of the run the status shows; "" between runs
  std::string before_;   // ID of the run before that one
  bool running_ = false;
  bool may_restart_ = false;
  Time known_at_{};
  std::string read_;  // ID of the run being read
};

}  // namespace trainctl::job
