// One pass of the operator over one job, and the steps that change pods and services.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "local/operator/verdict.h"
#include "local/store/store.h"

namespace trainctl::local {

inline constexpr kube::Resource k_services{"", "v1", "services", "Service"};

// The names of failed pods that must be created again, and the earliest time for each.
using Recreations = std::map<std::string, Time, std::less<>>;

struct OperatorPass {
  Store& store;
  const job::OperatedJob& job;
  StatusUpdate& update;  // receives events, in order
  std::vector<ObjectPtr> services;
  // Consecutive failed passes over this job. The real operator visits roles in random order, so
  // that a role that fails does not hold up the others; ours begins with the next role.
  int failures = 0;
  Recreations& recreations;
  std::optional<Time> again = {};  // when a pod that has to wait may be created
};

struct PassResult {
  bool failed = false;        // the pass must be repeated after a while
  std::optional<Time> again;  // when to repeat the pass even without a change
  std::vector<OperatorEvent> events;
};

// Reads the stored job, changes pods and services as needed, and writes its status.
PassResult reconcile(Store& store, Time now, const ServedResource& resource, const Json& job,
                     int failures, Recreations& recreations);

// Stores a pod as an API server would, or returns the refusal.
std::optional<ApiError> store_pod(Store& store, Json pod);

// These record events and return whether they succeeded. Deleting an object that is gone or being
// deleted does nothing.
bool create_pod(OperatorPass& pass, Json pod);
bool create_service(OperatorPass& pass, Json service);
bool delete_pod(OperatorPass& pass, const std::string& name);
bool delete_service(OperatorPass& pass, const std::string& name);

// The pods of this very job, not of another with the same name.
std::vector<ObjectPtr> pods_of(const Store& store, const job::OperatedJob& job);

// Create and delete pods and services as the job requires; false when something could not be
// created, which ends the pass.
bool reconcile_pods_and_services(OperatorPass& pass);  // all kinds but MPI
bool reconcile_mpi(OperatorPass& pass);

// Why the operator refuses an MPIJob; "" = it does not.
std::string mpi_fault(const Json& job);

}  // namespace trainctl::local
