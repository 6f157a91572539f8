// The user's choice of logs, and of their form.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "logs/log_options.h"
#include "logs/log_session.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/replica.h"
#include "metrics/metric_pattern.h"
#include "status/state.h"

namespace trainctl::job {

// Selects the replicas whose logs are printed. With nothing set, it selects the leader, or, when
// the job has failed already, the first failed replica, with a notice on stderr.
struct LogSelection {
  bool none = false;  // no logs: `wait`
  bool all = false;
  std::string replica;                  // "worker-1", "rank:3" or a pod's name
  std::vector<std::string> ranks = {};  // several, by rank: "0", "last"
  std::string role;                     // every replica of a role
  std::string container;                // "" = the main container

  // False: the log of the job's leader stands for the job.
  bool names_replicas() const { return all || !replica.empty() || !ranks.empty() || !role.empty(); }
};

enum class Prefix { automatic, always, never };

struct LogChoice {
  LogSelection selection;
  LogOptions options;
  Prefix prefix = Prefix::automatic;
  bool timestamps = false;
  LogFormat format = LogFormat::text;
  LineFilter lines = {};
  MetricPatterns metrics = {};  // the user's own; see JobMetrics
  // --save-logs saves the logs of all replicas, printed or not.
  LogPlaces places;
  std::string job;  // named with each line, where several jobs' logs are printed; else ""

  // Returns the form of lines that come from this number of replicas.
  PrintOptions print_options(std::size_t replicas) const {
    const bool automatic = prefix == Prefix::automatic && (replicas > 1 || !job.empty());
    return {prefix == Prefix::always || automatic, timestamps, format, lines, job};
  }
};

// Resolves the user's choice of logs to replicas. Pure.
struct Selected {
  std::vector<ReplicaId> replicas;
  std::string notice;  // printed on stderr when the choice may surprise
};

// Code::not_found for a replica or role the job does not have.
Result<Selected> select_replicas(const Kind& kind, const Json& job, const JobState& state,
                                 const LogSelection& selection);

}  // namespace trainctl::job
