// --all, --role, JOB/REPLICA, and the default choice.
#include "follow/log_choice.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

// Roles in the words that --role takes; `replicas` are in the order of roles.
std::string roles_hint(const std::vector<ReplicaId>& replicas) {
  std::vector<std::string> roles;
  const Role* last = nullptr;
  for (const ReplicaId& replica : replicas) {
    if (replica.role != last) roles.emplace_back(replica.role->prefix);
    last = replica.role;
  }
  return roles.empty() ? "" : cat("its roles are ", join(roles, ", "));
}

// "0", "last": the replica of that rank, or of the highest.
Result<ReplicaId> of_rank(const Kind& kind, const Json& job, const std::string& text,
                          const std::vector<ReplicaId>& replicas) {
  const auto last = std::ranges::max_element(replicas, [&](const auto& a, const auto& b) {
    return rank_of(kind, job, a) < rank_of(kind, job, b);
  });
  if (text == "last" && last != replicas.end()) return *last;
  return find_replica(kind, job, "rank:" + text, replicas);
}

Result<Selected> of_ranks(const Kind& kind, const Json& job, const std::vector<std::string>& ranks,
                          const std::vector<ReplicaId>& replicas) {
  Selected selected;
  for (const std::string& text : ranks) {
    TRY_ASSIGN(const ReplicaId replica, of_rank(kind, job, text, replicas));
    auto& chosen = selected.replicas;
    if (std::ranges::find(chosen, replica) == chosen.end()) chosen.push_back(replica);
  }
  return selected;
}

}  // namespace

Result<Selected> select_replicas(const Kind& kind, const Json& job, const JobState& state,
                                 const LogSelection& selection) {
  if (selection.none) return Selected{};
  std::vector<ReplicaId> replicas;
  for (const ReplicaState& replica : state.replicas) replicas.push_back(replica.id);
  if (selection.all) return Selected{replicas, ""};
  if (!selection.replica.empty()) {
    TRY_ASSIGN(const ReplicaId replica, find_replica(kind, job, selection.replica, replicas));
    return Selected{{replica}, ""};
  }
  if (!selection.ranks.empty()) return of_ranks(kind, job, selection.ranks, replicas);
  if (!selection.role.empty()) {
    Selected selected;
    const Role* role = find_role(kind, selection.role);
    for (const ReplicaId& replica : replicas) {
      if (replica.role == role) selected.replicas.push_back(replica);
    }
    if (!selected.replicas.empty()) return selected;
    return Error{Code::not_found,
                 cat("job ", text_at(job, "/metadata/name"), " has no role '", selection.role, "'"),
                 roles_hint(replicas)};
  }
  if (replicas.empty()) return Selected{};
  const ReplicaId lead = replicas.front();
  if (state.phase != Phase::failed || !state.first_failed) return Selected{{lead}, ""};
  const ReplicaId failed = state.replicas[*state.first_failed].id;
  if (failed == lead) return Selected{{lead}, ""};
  return Selected{{failed}, cat("showing ", failed.name(), ", which failed first")};
}

}  // namespace trainctl::job
