// The runs of one container as its statuses report them: which ones still have to be read, and
// which have ended.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "logs/run_attribution.h"
#include "logs/seen_lines.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// When the runs of a container began and ended, as reported by its statuses so far.
class RunTimes {
 public:
  // Takes in `status`, one of a pod's containerStatuses, which covers the current run and the one
  // before it.
  void note(const Json& status);

  std::optional<Time> start_of(const std::string& container_id) const;
  std::optional<Time> end_of(const std::string& container_id) const;

 private:
  using Times = std::map<std::string, Time>;  // by container ID
  Times started_, finished_;
};

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

// The container of a pod whose log is read: which one it is, and whether there can be a log.
struct LogContainer {
  std::string name;
  std::string notice;  // to print once; "" = none
};

// The container named `asked`, of any kind (also init and ephemeral containers), or Code::not_found
// when the pod has no container of that name. When `asked` is "", the container that the pod's
// kubectl annotation names, else the main one.
Result<LogContainer> log_container(const Kind& kind, const Json& pod, const std::string& replica,
                                   const std::string& asked);

// False while the node cannot have started the container. A node starts one before the pod's status
// says so.
bool may_have_begun(const Json& pod, std::string_view container);

}  // namespace trainctl::job
