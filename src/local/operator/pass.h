// One pass of the operator over one job, and what its parts do to pods and services on the way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "local/operator/verdict.h"
#include "local/store/store.h"

namespace trainctl::local {

struct OperatorPass {
  Store& store;
  const job::OperatedJob& job;
  Judgement& judgement;  // events go there, in order
  std::vector<ObjectPtr> services;
  // Passes over this job that failed in a row. The real operator visits roles in random order, so
  // that each has its turn although another cannot be served; ours begins with the next one.
  int failures = 0;
};

struct PassResult {
  bool failed = false;        // to be tried again, after a while
  std::optional<Time> again;  // when the job needs another look although nothing changes
  std::vector<OperatorEvent> events;
};

// Looks at the job as it is stored, does what is to be done and writes its status.
PassResult reconcile(Store& store, Time now, const ServedResource& resource, const Json& job,
                     int failures);

// Stores a pod as an API server would; the refusal otherwise.
std::optional<ApiError> store_pod(Store& store, Json pod);

// These record what they did, and answer whether it worked. Deleting what is being deleted already,
// or gone, does nothing.
bool create_pod(OperatorPass& pass, Json pod);
bool create_service(OperatorPass& pass, Json service);
bool delete_pod(OperatorPass& pass, const std::string& name);
bool delete_service(OperatorPass& pass, const std::string& name);

// The pods of the job itself, not of another of its name.
std::vector<ObjectPtr> pods_of(const Store& store, const job::OperatedJob& job);

// OperatorKind::reconcile_replicas of …
bool reconcile_pods_and_services(OperatorPass& pass);  // all but MPI
bool reconcile_mpi(OperatorPass& pass);

// Deletes the pods (and their services) of a finished or suspended job as cleanPodPolicy says.
bool clean_pods(OperatorPass& pass);

// Repeats what containers and pods complain about as events of the job.
void mirror_pod_errors(Judgement& judgement);

}  // namespace trainctl::local
