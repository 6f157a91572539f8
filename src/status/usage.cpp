// Trusts nothing that the metrics API says: an adapter may serve anything.
#include "status/usage.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "base/text/text.h"
#include "base/text/time.h"
#include "base/value/quantity.h"
#include "kube/object/metadata.h"
#include "manifest/manifest.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

constexpr std::int64_t k_most_cpu = k_milli_per_unit * 1'000'000;  // a million cores
constexpr std::int64_t k_most_memory = std::int64_t{1} << 50U;     // 1 PiB

// Amounts are never negative.
std::int64_t sum(std::int64_t one, std::int64_t other) {
  std::int64_t both = 0;
  const bool overflows = __builtin_add_overflow(one, other, &both);
  return overflows ? std::numeric_limits<std::int64_t>::max() : both;
}

void add_known(std::optional<std::int64_t>& to, std::optional<std::int64_t> more) {
  if (more) to = sum(to.value_or(0), *more);
}

// In thousandths.
std::optional<std::int64_t> amount_at(const Amounts& amounts, std::string_view resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> at_most(std::optional<std::int64_t> value, std::int64_t limit) {
  return value && *value <= limit ? value : std::nullopt;
}

bool is_of_earlier_pod(const Json& pod, const Json& metrics) {
  const auto created = parse_time(text_at(pod, "/metadata/creationTimestamp"));
  const auto measured = parse_time(text_at(metrics, "/timestamp"));
  return created && measured && *measured < *created;
}

std::string place_of(const Json& object) {
  return cat(text_at(object, "/metadata/namespace"), "/", text_at(object, "/metadata/name"));
}

}  // namespace

Resources resources_of(const Amounts& amounts) {
  Resources all;
  for (const auto& [resource, amount] : amounts) {
    if (is_gpu(resource)) all.gpus = sum(all.gpus, amount / k_milli_per_unit);
  }
  all.cpu = amount_at(amounts, "cpu").value_or(0);
  all.memory = amount_at(amounts, "memory").value_or(0) / k_milli_per_unit;
  return all;
}

void add_resources(Resources& to, const Resources& more) {
  to.gpus = sum(to.gpus, more.gpus);
  to.cpu = sum(to.cpu, more.cpu);
  to.memory = sum(to.memory, more.memory);
}

void add_usage(Usage& to, const Usage& more) {
  add_known(to.cpu, more.cpu);
  add_known(to.memory, more.memory);
}

Usage usage_of(const Json& quantities) {
  const Amounts amounts = amounts_of(quantities);
  Usage usage;
  usage.cpu = at_most(amount_at(amounts, "cpu"), k_most_cpu);
  if (const auto memory = amount_at(amounts, "memory")) {
    usage.memory = at_most(*memory / k_milli_per_unit, k_most_memory);
  }
  return usage;
}

// One container without a credible value makes the pod's sum unknown.
Usage usage_of_pod(const Json& pod, const Json* metrics) {
  if (metrics == nullptr || is_of_earlier_pod(pod, *metrics)) return {};
  const std::vector<std::string> names = container_names(pod);
  std::set<std::string> own(names.begin(), names.end());
  bool knows_cpu = true;
  bool knows_memory = true;
  Usage all;
  for (const Json& container : array_at(*metrics, "/containers")) {
    // A name that comes twice counts once.
    if (own.erase(text_at(container, "/name")) == 0) continue;
    const Usage usage = usage_of(object_at(container, "/usage"));
    knows_cpu = knows_cpu && usage.cpu;
    knows_memory = knows_memory && usage.memory;
    add_usage(all, usage);
  }
  if (!knows_cpu) all.cpu.reset();
  if (!knows_memory) all.memory.reset();
  return all;
}

std::optional<double> Load::share() const {
  const auto part = [](std::int64_t of, std::int64_t whole) {
    return static_cast<double>(of) / static_cast<double>(whole);
  };
  if (used.cpu && measured.cpu > 0) return part(*used.cpu, measured.cpu);
  if (used.memory && measured.memory > 0) return part(*used.memory, measured.memory);
  return std::nullopt;
}

namespace {

bool is_over(const Json& pod) {
  const std::string_view phase = view_at(pod, "/status/phase");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

Load load_of_pod(const Json& pod, const Json* metrics) {
  if (is_over(pod)) return {};
  Load load;
  load.requested = resources_of(asked_beside_program(object_at(pod, "/spec")));
  load.used = usage_of_pod(pod, metrics);
  if (load.used.cpu) load.measured.cpu = load.requested.cpu;
  if (load.used.memory) load.measured.memory = load.requested.memory;
  load.measured_pods = load.used.cpu || load.used.memory ? 1 : 0;
  return load;
}

void add_load(Load& to, const Load& more) {
  add_resources(to.requested, more.requested);
  add_usage(to.used, more.used);
  add_resources(to.measured, more.measured);
  to.measured_pods += more.measured_pods;
}

PodLoads loads_of_pods(const std::vector<Json>& pods, const std::vector<Json>& metrics) {
  std::map<std::string, const Json*> metrics_of;
  for (const Json& each : metrics) metrics_of.emplace(place_of(each), &each);
  PodLoads loads;
  for (const Json& pod : pods) {
    const auto found = metrics_of.find(place_of(pod));
    loads.emplace(text_at(pod, "/metadata/uid"),
                  load_of_pod(pod, found == metrics_of.end() ? nullptr : found->second));
  }
  return loads;
}

Load load_of_replica(const ReplicaState& replica, const PodLoads& pods) {
  const auto found = pods.find(replica.pod.uid);
  return found == pods.end() || replica.pod.uid.empty() ? Load{} : found->second;
}

Load load_of_job(const JobState& state, const PodLoads& pods) {
  Load all;
  for (const ReplicaState& replica : state.replicas) {
    add_load(all, load_of_replica(replica, pods));
  }
  return all;
}

namespace {

enum class Group { failed, waiting, restarting, starting, lagging, running, paused, ended, done };

constexpr double k_unknown = std::numeric_limits<double>::max();

Group group_of(const JobState& state) {
  using enum Group;
  if (state.phase == Phase::failed) return ended;
  if (state.phase == Phase::succeeded) return done;
  if (state.phase == Phase::suspended) return paused;
  if (state.blocker) return waiting;
  if (state.phase == Phase::restarting) return restarting;
  if (state.phase == Phase::starting) return starting;
  return state.phase == Phase::running ? running : waiting;
}

Group group_of(const ReplicaState& replica) {
  using enum Group;
  switch (replica.run.state) {
    case RunState::failed:
      return failed;
    case RunState::missing:
    case RunState::pending:
      return waiting;
    case RunState::waiting:
      return replica.run.restarts.value_or(0) > 0 ? restarting : starting;
    case RunState::running:
      return running;
    case RunState::terminating:
      return paused;
    case RunState::succeeded:
      return done;
  }
  return running;
}

TroubleRank ranked(Group group, const Load& load) {
  return {static_cast<int>(group), group == Group::running ? load.share().value_or(k_unknown) : 0};
}

}  // namespace

TroubleRank trouble_rank(const JobState& state, const Load& load, bool lags) {
  const Group group = group_of(state);
  return ranked(lags && group == Group::running ? Group::lagging : group, load);
}

TroubleRank trouble_rank(const ReplicaState& replica, const Load& load) {
  return ranked(group_of(replica), load);
}

namespace {

using NodesByName = std::map<std::string, NodeLoad>;

NodeHealth health_of(const Json& node) {
  const bool is_ready = kube::true_condition(node, "Ready") != nullptr;
  return is_ready ? NodeHealth::ready : NodeHealth::not_ready;
}

NodesByName named_nodes(const std::vector<Json>& nodes) {
  NodesByName all;
  for (const Json& node : nodes) {
    NodeLoad& load = all[text_at(node, "/metadata/name")];
    load.health = health_of(node);
    load.cordoned = true_at(node, "/spec/unschedulable");
    load.allocatable = resources_of(amounts_of(object_at(node, "/status/allocatable")));
  }
  return all;
}

// The node of that name; null when the list of nodes is known and has no such node.
NodeLoad* node_called(NodesByName& nodes, const std::string& name, bool lists_nodes) {
  const auto found = nodes.find(name);
  if (found != nodes.end()) return &found->second;
  return lists_nodes || name.empty() ? nullptr : &nodes[name];
}

auto rank(const NodeLoad& node) {
  return std::tuple(node.health != NodeHealth::not_ready, !node.cordoned);
}

}  // namespace

std::vector<NodeLoad> loads_of_nodes(const std::vector<Json>* nodes, const std::vector<Json>* pods,
                                     const std::vector<Json>& metrics) {
  const bool lists_nodes = nodes != nullptr;
  NodesByName all = lists_nodes ? named_nodes(*nodes) : NodesByName{};
  for (const Json& each : metrics) {
    NodeLoad* node = node_called(all, text_at(each, "/metadata/name"), lists_nodes);
    if (node != nullptr) node->used = usage_of(object_at(each, "/usage"));
  }
  if (pods != nullptr) {
    std::map<const NodeLoad*, Resources> requested;
    for (const Json& pod : *pods) {
      NodeLoad* node = node_called(all, text_at(pod, "/spec/nodeName"), lists_nodes);
      if (node == nullptr || is_over(pod)) continue;
      add_resources(requested[node], resources_of(asked_by_pod(object_at(pod, "/spec"))));
    }
    for (auto& [name, node] : all) node.requested = requested[&node];
  }
  std::vector<NodeLoad> loads;
  for (auto& [name, node] : all) {
    node.name = name;
    loads.push_back(std::move(node));
  }
  std::ranges::stable_sort(loads, {}, rank);
  return loads;
}

}  // namespace trainctl::job
