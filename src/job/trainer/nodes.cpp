// Compares the roles' templates member by member.
#include "job/trainer/nodes.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

namespace {

constexpr std::string_view k_alike = "all nodes of a TrainJob share one template";

// Workers before the leader, because there are more of them; nullptr when no role has a rank.
const Replica* model_of(const std::vector<Replica>& replicas) {
  const Replica* model = nullptr;
  for (const Replica& replica : replicas) {
    if (replica.role == nullptr || !replica.role->ranked()) continue;
    if (model == nullptr || !replica.role->leads()) model = &replica;
  }
  return model;
}

Json without_count(Json replica) {
  replica.erase("replicas");
  return replica;
}

void compare(const Replica& replica, const Replica& model, std::vector<Loss>& losses) {
  const Json own = without_count(*replica.spec);
  const Json wanted = without_count(*model.spec);
  for (const Json& difference : Json::diff(own, wanted)) {
    losses.push_back({replica.pointer + text_at(difference, "/path"),
                      cat(k_alike, ", here that of the ", lower(model.key), "s"), ""});
  }
}

}  // namespace

Nodes unite_roles(const Kind& kind, const Json& job, std::vector<Loss>& losses) {
  Nodes nodes;
  const std::vector<Replica> replicas = replicas_of(kind, job);
  const Replica* model = model_of(replicas);
  if (model == nullptr) return nodes;
  nodes.alike = {without_count(*model->spec), model->pointer, restart_policy_of(*model)};
  for (const Replica& replica : replicas) {
    if (replica.role == nullptr || !replica.role->ranked()) {
      losses.push_back({replica.pointer, cat(k_alike, ", so it has no ", lower(replica.key)),
                        "run it as a job of its own"});
      continue;
    }
    if (kind.has_launcher() && replica.role->leads()) {
      nodes.launcher = {without_count(*replica.spec), replica.pointer, restart_policy_of(replica)};
      continue;
    }
    nodes.count += replica_count(kind, job, *replica.role);
    if (&replica != model) compare(replica, *model, losses);
  }
  return nodes;
}

}  // namespace trainctl::job
