// Finds what keeps a job from starting: pods that cannot be created or begun, a gang, a deletion.
// Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "status/state.h"

namespace trainctl::job {

struct Evidence;  // status/ownership.h

// The first replica by rank that does not start, if waiting alone will not help.
std::optional<Blocker> replica_blocker(std::span<const ReplicaState> replicas);
// The fault that keeps the operator from creating pods.
std::optional<Blocker> missing_pods_blocker(const Evidence& evidence,
                                            std::span<const ReplicaState> replicas);
// The blocker of a job that is being deleted.
Blocker deletion_blocker(const Json& job);

// The finalizers that keep a deleted object until their controllers remove them, as printable text.
std::vector<std::string> keeping_finalizers(const Json& object);
// "it is being deleted, and kept by finalizers: example.com/audit"; "" for a job that is not.
std::string deletion_words(const Json& job);

}  // namespace trainctl::job
