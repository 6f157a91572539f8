// Names of phases and states, and what a whole state says.
#include "status/state.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr std::array<std::string_view, 9> k_phase_names = {"Submitted", "Queued",    "Pending",
                                                           "Starting",  "Running",   "Restarting",
                                                           "Suspended", "Succeeded", "Failed"};

constexpr std::array<std::string_view, 7> k_run_state_names = {
    "Missing", "Pending", "Waiting", "Running", "Succeeded", "Failed", "Terminating"};

}  // namespace

std::string_view phase_name(Phase phase) {
  return k_phase_names[static_cast<std::size_t>(phase)];
}

std::optional<Phase> parse_phase(std::string_view text) {
  for (std::size_t i = 0; i < k_phase_names.size(); ++i) {
    if (lower(k_phase_names[i]) == lower(text)) return static_cast<Phase>(i);
  }
  return std::nullopt;
}

bool is_final(Phase phase) {
  return phase == Phase::succeeded || phase == Phase::failed;
}

std::string_view run_state_name(RunState state) {
  return k_run_state_names[static_cast<std::size_t>(state)];
}

std::string_view shown_state(const JobState& job, const ReplicaState& replica) {
  const bool is_gone = is_final(job.phase) && replica.run.state == RunState::missing;
  if (!is_gone) return run_state_name(replica.run.state);
  const bool has_failed =
      ended_in_failure(replica) || (replica.never_started() && replica.last_exit.code);
  if (has_failed) return run_state_name(RunState::failed);
  if (replica.last_exit.code == 0) return run_state_name(RunState::succeeded);
  const bool have_others_run = std::ranges::any_of(job.replicas, [](const ReplicaState& one) {
    return one.last_exit.code && !one.never_started();
  });
  return have_others_run ? k_stopped : run_state_name(replica.run.state);
}

const ReplicaState* first_kept(const JobState& state) {
  const auto kept = std::ranges::find_if(
      state.replicas, [](const ReplicaState& r) { return !r.pod.kept_by.empty(); });
  return kept == state.replicas.end() ? nullptr : &*kept;
}

std::optional<Time> first_placed(const JobState& state) {
  std::optional<Time> first;
  for (const ReplicaState& replica : state.replicas) {
    if (replica.failures.replaced > 0) return std::nullopt;
    const auto& placed = replica.pod.placed;
    if (placed && (!first || *placed < *first)) first = placed;
  }
  return first;
}

bool spans_nodes(const JobState& state) {
  std::string_view first;
  return std::ranges::any_of(state.replicas, [&first](const ReplicaState& replica) {
    const std::string_view node = replica.pod.node;
    if (first.empty()) first = node;
    return !node.empty() && node != first;
  });
}

}  // namespace trainctl::job
