// Identifies the replica that a pod belongs to, and reads the names that users give to replicas.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

struct ReplicaId {
  const Role* role = nullptr;
  int index = 0;
  std::string name() const;  // "worker-1"
  auto operator<=>(const ReplicaId&) const = default;
};

// One run of a replica's main container.
struct RunId {
  std::string pod_uid;
  int restarts = 0;  // of the container in its pod, before this run
  bool operator==(const RunId&) const = default;
};

// The replica, from the pod's labels; nullopt when the pod is not a replica of this kind.
std::optional<ReplicaId> replica_of(const Kind& kind, const Json& pod);

// The position in the world, from the manifest's replica counts; nullopt for roles without ranks.
std::optional<int> rank_of(const Kind& kind, const Json& job, const ReplicaId& replica);
// All replicas that the job requests, in rank order, unranked roles last. `seen`: replicas that
// exist or existed; they are added to roles whose number of replicas the job does not state.
std::vector<ReplicaId> expected_replicas(const Kind& kind, const Json& job,
                                         std::span<const ReplicaId> seen = {});
// The replica with rank 0.
std::optional<ReplicaId> leader(const Kind& kind, const Json& job);

// A job as the user named it: "NAME", "pytorch/NAME", "NAME/worker-1", "pytorch/NAME/rank:3", or a
// pod's full name "NAME-worker-1". In A/B, A is a kind when a kind has that name and B is no
// replica.
struct JobRef {
  const Kind* kind = nullptr;  // null = look in all kinds
  std::string name;            // may be a pod's name
  std::string replica;         // "worker-1", "rank:3", a pod name, or ""
};
Result<JobRef> parse_job_ref(std::string_view text);

// The replica that a text names, one of `replicas`; Code::not_found with these as hint, Code::usage
// for a rank that is no number.
Result<ReplicaId> find_replica(const Kind& kind, const Json& job, std::string_view text,
                               const std::vector<ReplicaId>& replicas);
// The same among all that the job requests, and any replica of roles whose count it does not state.
Result<ReplicaId> find_replica(const Kind& kind, const Json& job, std::string_view text);

// "worker-1" of this kind; "launcher" alone means its only replica. nullopt for any other text.
std::optional<ReplicaId> parse_replica(const Kind& kind, std::string_view text);

// "7" as a replica's index; nullopt for any other text.
std::optional<int> parse_index(std::string_view text);

// Tells the pods of a job from those of its namesakes; pods of an earlier job of the same name may
// still be terminating.
class PodOwner {
 public:
  PodOwner(const Kind& kind, const Json& job);

  const Kind& kind() const { return *kind_; }
  // False as well for a pod with a name that no Kubernetes accepts.
  bool owns(const Json& pod) const;
  bool operator==(const PodOwner&) const = default;

 private:
  const Kind* kind_;
  std::string ns_, name_, uid_;
  std::optional<Time> created_;  // long ago = unknown
};

// The name of the job of this kind in the pod's labels, valid as long as the pod; "" when they name
// none.
std::string_view labelled_job(const Kind& kind, const Json& pod);

// Removes the pods that are not the job's.
void keep_owned(std::vector<Json>& pods, const PodOwner& owner);

// Returns the name that the replica's pod has, had or will have, or the part before a random tail.
std::string pod_name(const Kind& kind, std::string_view job_name, const ReplicaId& replica);
// The replica whose pod may be called that; nullopt when no pod of the job is.
std::optional<ReplicaId> replica_called(const Kind& kind, std::string_view job_name,
                                        std::string_view pod_name);

}  // namespace trainctl::job
