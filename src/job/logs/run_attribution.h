// Of which run of a container an answer is: a server does not say, and a container may restart at
// any moment.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace trainctl::job {

// Container ids; both are "" when the pod is gone, or another has taken its name.
struct KnownRuns {
  std::string current, previous;
};

// What statuses say of the end of a run.
struct RunEnd {
  bool replaced = false;     // a new run has begun, so this one's log is now the previous one
  bool removed = false;      // and even the previous one is not this any more
  bool may_restart = false;  // a new run may begin before its status says so
  std::optional<Time> finished = {};  // in whole seconds, rounded down
  std::optional<Time> known_at = {};  // when a status said so; else just now
};

// A request that was answered with a log.
struct LogAnswer {
  bool first = false;     // nothing had been asked for before
  bool resumes = false;   // asked for what comes behind lines seen before
  bool previous = false;  // asked for the run before the current one
  bool drains = false;    // asked for after the run's end
  Time opened{};          // when the server answered
};

class RunAttribution {
 public:
  // `id`: the run's, "" = not known, then all answers count as its own.
  RunAttribution(std::string id, bool previous, std::optional<Time> started, Time known_at);

  // Asked for with `previous`, the server answers with this run.
  bool is_previous() const { return previous_; }
  void end(const RunEnd& end, Time now);

  // A line not seen before, of an answer that has brought none seen before: either the node has
  // rotated the log, or a run has begun that no status has reported yet.
  bool is_ours(const LogAnswer& answer, Time stamp) const;
  // An answer that ended without any such line may be the next run's, which has written none.
  bool may_hide_next_run(const LogAnswer& answer) const;

  enum class Ruling { ours, anothers, ask_node };
  // By the API server's list, which has had the time to learn of a new run.
  Ruling judge(const LogAnswer& answer, const KnownRuns& runs,
               std::optional<Time> first_seen) const;
  // The API server may not know of a restart yet: a line of the run before the current one, from
  // here on, shows that the answer was another run's.
  std::optional<Time> next_runs_begin(const LogAnswer& answer,
                                      std::optional<Time> first_seen) const;
  // Nobody waits for the run any more, and another one's answer came. False: so did enough of them,
  // its own will not come.
  bool may_ask_again();

  // The lines seen came after this run's end: the next one answered, and this one is still unseen.
  bool was_next_run(std::optional<Time> first_seen) const;
  // And by more than a status's precision, else they may be a short run's own.
  bool was_surely_next_run(Time first_seen) const;

 private:
  bool is_fresh(const LogAnswer& answer) const;

  std::string id_;
  bool previous_;
  bool ended_ = false;
  bool may_restart_ = false;
  std::optional<Time> started_, finished_;
  Time known_at_;     // when a status last said that this run is the one it is
  int refusals_ = 0;  // of answers for another run, after this one's end
};

}  // namespace trainctl::job
