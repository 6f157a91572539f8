// Checks a manifest before it is sent.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/replica.h"

namespace trainctl::job {

// Refuses (Code::usage) what the server would refuse, and what it would accept but never run:
// misspelled fields, names too long for the pods and Services derived from them, an empty replica
// map, unknown roles, replica counts, missing image or container, restart and clean-up policies
// that the schema does not check, invalid labels, annotations above 256 KiB, invalid UTF-8.
Status check_manifest(const Kind& kind, const Json& manifest);
// The most characters that the job's name may have, so that the names of these replicas' pods
// ("NAME-worker-15", "NAME-node-0-15-x7k2p") are valid Service names, if the kind requires that.
std::size_t longest_name(const Kind& kind, const std::vector<ReplicaId>& replicas);

}  // namespace trainctl::job
