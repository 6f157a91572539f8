// Sums up what pods request of a cluster, and how much of it they use. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/value/json.h"
#include "manifest/amounts.h"
#include "status/state.h"

namespace trainctl::job {

// GPUs of all kinds, thousandths of a core, bytes. Sums saturate.
struct Resources {
  std::int64_t gpus = 0;
  std::int64_t cpu = 0;
  std::int64_t memory = 0;

  bool operator==(const Resources&) const = default;
};
Resources resources_of(const Amounts& amounts);
void add_resources(Resources& to, const Resources& more);

// Thousandths of a core and bytes; nullopt = not measured, or not credible.
struct Usage {
  std::optional<std::int64_t> cpu;
  std::optional<std::int64_t> memory;

  bool operator==(const Usage&) const = default;
};
void add_usage(Usage& to, const Usage& more);

// Reads a map of quantities of the metrics API. A quantity that is negative, malformed or larger
// than any machine is left out.
Usage usage_of(const Json& quantities);
// Returns the usage of the pod's own containers. `metrics`: its PodMetrics, null = none. Metrics
// that are older than the pod are those of an earlier pod of its name, and do not count.
Usage usage_of_pod(const Json& pod, const Json* metrics);

// The resources that a set of pods requests and uses.
struct Load {
  Resources requested;
  Usage used;
  Resources measured;  // requested by the pods whose usage is known
  int measured_pods = 0;

  // The used part of the requested CPU, else of the requested memory; nullopt = unknown. Counts
  // only measured pods.
  std::optional<double> share() const;
};
// The load of one pod; a pod that has ended takes nothing.
Load load_of_pod(const Json& pod, const Json* metrics);
void add_load(Load& to, const Load& more);

using PodLoads = std::map<std::string, Load, std::less<>>;  // by the pods' uids
PodLoads loads_of_pods(const std::vector<Json>& pods, const std::vector<Json>& metrics);
// The load of a replica's present pod; nothing when it has none.
Load load_of_replica(const ReplicaState& replica, const PodLoads& pods);
Load load_of_job(const JobState& state, const PodLoads& pods);

// Orders jobs and replicas so that failing and lagging ones come first. Pure. Smaller ranks come
// first: what cannot start, what restarts, what runs with a replica that lags, what runs (ordered
// by the share that it uses), then what is suspended or has ended. A replica that failed comes
// first: its job goes on.
using TroubleRank = std::pair<int, double>;
TroubleRank trouble_rank(const JobState& state, const Load& load, bool lags = false);
TroubleRank trouble_rank(const ReplicaState& replica, const Load& load);

// Sums up what the nodes of a cluster offer, what pods request of them, and how much is used. Pure.
enum class NodeHealth { ready, not_ready, unknown };

struct NodeLoad {
  std::string name;
  NodeHealth health = NodeHealth::unknown;
  bool cordoned = false;
  std::optional<Resources> allocatable;  // nullopt: the user may not list nodes
  std::optional<Resources> requested;    // nullopt: the user may not list all pods
  Usage used;
};

// A list that the user may not read is null; then the nodes are those that the others name. Nodes
// that are not ready come first, then cordoned ones, then the rest by name.
std::vector<NodeLoad> loads_of_nodes(const std::vector<Json>* nodes, const std::vector<Json>* pods,
                                     const std::vector<Json>& metrics);

}  // namespace trainctl::job
