// THE TABLE of what training-operator 1.9 puts into the pods of each job kind.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct OperatedJob;
struct OperatedReplica;

struct OperatedKind {
  std::string_view alias;                     // of the row in kinds()
  std::string_view restart_policy = "Never";  // of a replica that names none
  std::string_view port_name = "";            // "" = no port is added to the container
  std::int64_t port = 0;

  // Which pod carries the label job-role=master where there is no leader: worker 0, or none.
  bool first_worker_leads = false;
  std::string_view clean_pod_policy = "";  // where else that policy may stand: a pointer into spec

  // Adds what tells a replica its place in the world to the pod (spec and all).
  void (*set_environment)(const OperatedJob& job, const OperatedReplica& replica, int index,
                          Json& pod) = nullptr;
  // Makes the whole pod where a template and its environment are not all of it.
  Json (*make_pod)(const OperatedJob& job, const OperatedReplica& replica, int index) = nullptr;

  const Kind& job_kind() const;
};

// nullptr when the operator does not know the kind.
const OperatedKind* find_operated_kind(const Kind& kind);

}  // namespace trainctl::job
