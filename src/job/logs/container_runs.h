// The runs of one container, as its statuses report them: which are to be read, and which has
// ended.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>

#include "base/json.h"
#include "job/logs/run_attribution.h"
#include "job/logs/seen_lines.h"
#include "job/status/run_times.h"

namespace trainctl::job {

// Restarts in order, nothing read twice. Reads nothing itself.
class ContainerRuns {
 public:
  struct Run {
    std::string id = {};       // of the container; "" = no status has reported it yet
    bool previous = false;     // a newer run has already begun
    bool here_before = false;  // it was there when its log was first wanted
    int restarts = 0;          // of the container before it
  };

  // `status` of the container within `pod`, known since `now`. `here_before`: it is the first one,
  // and may be older than our interest in it. True when a run may have come and gone unseen.
  [[nodiscard]] bool note(const Json& pod, const Json& status, Time now, bool here_before);
  // A run may have begun that no status reports. False: one is known.
  bool note_unreported();

  // No run was begun, as far as is known.
  bool none() const { return known_.empty(); }
  // Runs that nobody has begun to read, without those no status has reported.
  std::size_t drop_unread();
  bool has_next() const { return !queue_.empty(); }
  // The next one to read, which then is the one that is read.
  Run take_next();
  // Statuses say that the run that is read has ended.
  std::optional<RunEnd> end_of_read() const;

  // Of the run: what was printed of it already under the run before.
  Handover handed_to(const Run& run, Handover before) const;
  std::optional<Time> start_of(const Run& run) const { return times_.start_of(run.id); }
  // When the current run, or the lack of one, ended.
  std::optional<Time> current_end() const { return times_.end_of(current_); }
  // When a status said what is known; long ago where that is not known.
  Time known_at() const { return known_at_; }

 private:
  void note_ids(const Json& status, Time now);
  void adopt();
  bool add(std::string id, bool previous, bool here_before, int restarts);

  int restarts_ = 0;
  int next_restarts_ = 0;        // those of the first run that is not known yet
  std::set<std::string> known_;  // ids of runs begun or queued
  std::deque<Run> queue_;
  RunTimes times_;
  std::string current_;  // id of the run the status shows; "" between runs
  std::string before_;   // and of the one before it
  bool running_ = false;
  bool may_restart_ = false;
  Time known_at_{};
  std::string read_;  // id of the run that is read
};

}  // namespace trainctl::job
