// The table of what training-operator 1.9 puts into the pods of each job kind.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct OperatedJob;
struct OperatedReplica;

struct OperatedKind {
  std::string_view alias;           // alias of the row in kinds()
  std::string_view port_name = "";  // "" = no port is added to the container
  std::int64_t port = 0;

  // In a job without a leader: true = worker 0 carries the label job-role=master; false = no pod
  // does.
  bool first_worker_leads = false;
  // Pointer to another field of spec that may hold the clean-up policy; "" = none.
  std::string_view clean_pod_policy = "";

  // Adds the variables with rank, addresses and world size to the pod (spec and all).
  void (*set_environment)(const OperatedJob& job, const OperatedReplica& replica, int index,
                          Json& pod) = nullptr;
  // Builds the whole pod, for kinds whose pod is more than a template and its environment.
  Json (*make_pod)(const OperatedJob& job, const OperatedReplica& replica, int index) = nullptr;

  const Kind& job_kind() const;
};

// nullptr when the operator does not know the kind.
const OperatedKind* find_operated_kind(const Kind& kind);

}  // namespace trainctl::job
