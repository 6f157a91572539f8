// --all, --role, JOB/REPLICA, and the default choice.
#include "job/follow/selection.h"

#include "base/text.h"

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
