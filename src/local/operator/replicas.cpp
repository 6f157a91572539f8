// Creates, counts, restarts and scales the pods and services of every kind but MPI, role by role.
#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "base/value/json.h"
#include "local/api/garbage.h"
#include "local/operator/reconcile.h"
#include "manifest/operator/mpi.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::local {
namespace {

constexpr std::int64_t k_no_exit_code = 0xbeef;  // counts as a retryable exit code
constexpr std::int64_t k_least_retryable = 128;
// A pod that fails at once is created anew about as often on a real cluster, where sandbox, image
// and clean-up take their time: no back-off limits that.
constexpr Duration k_recreation_pace = std::chrono::seconds(4);

using ByIndex = std::map<int, ObjectPtr>;

ByIndex by_index(std::span<const ObjectPtr> objects, std::string_view type) {
  ByIndex found;
  for (const ObjectPtr& object : of_role(objects, type)) {
    const int index = replica_index(*object);
    if (index >= 0) found.emplace(index, object);
  }
  return found;
}

// One past the highest index that exists or is wanted.
int slots(const job::OperatedReplica& replica, const ByIndex& there) {
  return std::max(replica.count, there.empty() ? 0 : there.rbegin()->first + 1);
}

std::int64_t record_exit_code(OperatorPass& pass, const Json& pod) {
  std::int64_t code = k_no_exit_code;
  for (const Json& container : array_at(pod, "/status/containerStatuses")) {
    const auto exit_code = int_at(container, "/state/terminated/exitCode");
    if (text_at(container, "/name") != pass.job.kind->container || !exit_code) continue;
    code = *exit_code;
    record(
        pass.update, "Normal", "ExitedWithCode",
        cat("Pod: ", pass.job.ns, '.', text_at(pod, "/metadata/name"), " exited with code ", code));
  }
  return code;
}

bool restarts_on(const job::OperatedReplica& replica, std::int64_t exit_code) {
  const std::string& policy = replica.restart_policy;
  return policy == "OnFailure" || policy == "Always" ||
         (policy == "ExitCode" && exit_code >= k_least_retryable);
}

bool restart_pod(OperatorPass& pass, const job::OperatedReplica& replica, const Json& pod) {
  const std::string name = text_at(pod, "/metadata/name");
  if (!delete_pod(pass, name)) return false;
  const auto created = parse_time(text_at(pod, "/metadata/creationTimestamp"));
  if (created) pass.recreations[name] = *created + k_recreation_pace;
  const std::string message =
      cat("job ", pass.job.name, " is restarting because ", replica.role, " replica(s) failed.");
  record(pass.update, "Warning", reason_of(pass.job, "Restarting"), message);
  set_true(pass.update, "Restarting", message);
  return true;
}

void fail_for_good(OperatorPass& pass, const job::OperatedReplica& replica) {
  const std::string message = cat("job \"", pass.job.name, "\" is failing because \"", replica.role,
                                  "\" replica(s) failed.");
  record(pass.update, "Warning", reason_of(pass.job, "Failed"), message);
  set_true(pass.update, "Failed", message);
}

bool look_at_pod(OperatorPass& pass, const job::OperatedReplica& replica, int index,
                 const Json& pod) {
  if (index >= replica.count && !delete_pod(pass, text_at(pod, "/metadata/name"))) return false;
  const std::int64_t exit_code = record_exit_code(pass, pod);
  if (text_at(pod, "/status/phase") == "Failed") {
    if (restarts_on(replica, exit_code)) {
      if (!restart_pod(pass, replica, pod)) return false;
    } else if (replica.restart_policy == "ExitCode") {
      fail_for_good(pass, replica);
    }
  }
  count_pod(pass.update.status.replicas[replica.role], pod);
  return true;
}

// True when the pod failed so early that its successor has to wait.
bool is_too_early(OperatorPass& pass, const std::string& name) {
  const auto due = pass.recreations.find(name);
  if (due == pass.recreations.end()) return false;
  if (pass.update.now >= due->second) {
    pass.recreations.erase(due);
    return false;
  }
  pass.again = std::min(pass.again.value_or(due->second), due->second);
  return true;
}

bool make_pod(OperatorPass& pass, const job::OperatedReplica& replica, int index) {
  if (is_too_early(pass, job::replica_name(pass.job, replica.type, index))) return true;
  if (!text_at(replica.pod, "/spec/restartPolicy").empty()) {
    record(pass.update, "Warning", "SetPodTemplateRestartPolicy",
           "Restart policy in pod template will be overwritten by restart policy in replica spec");
  }
  return create_pod(pass, wanted_pod(pass.job, replica, index));
}

bool reconcile_pods(OperatorPass& pass, const job::OperatedReplica& replica) {
  pass.update.status.replicas[replica.role] = {};
  const ByIndex pods = by_index(pass.update.pods, replica.type);
  for (int index = 0; index < slots(replica, pods); ++index) {
    const auto there = pods.find(index);
    const bool done = there == pods.end() ? index >= replica.count || make_pod(pass, replica, index)
                                          : look_at_pod(pass, replica, index, *there->second);
    if (!done) return false;
  }
  return true;
}

bool reconcile_services(OperatorPass& pass, const job::OperatedReplica& replica) {
  const ByIndex services = by_index(pass.services, replica.type);
  for (int index = 0; index < slots(replica, services); ++index) {
    const auto there = services.find(index);
    const bool wanted = index < replica.count;
    if (wanted == (there != services.end())) continue;
    const bool done = wanted ? create_service(pass, wanted_service(pass.job, replica, index))
                             : delete_service(pass, text_at(*there->second, "/metadata/name"));
    if (!done) return false;
  }
  return true;
}

}  // namespace

bool reconcile_pods_and_services(OperatorPass& pass) {
  const std::size_t roles = pass.job.replicas.size();
  for (std::size_t i = 0; i < roles; ++i) {
    const auto turn = (i + static_cast<std::size_t>(pass.failures)) % roles;
    const job::OperatedReplica& replica = pass.job.replicas[turn];
    if (!reconcile_pods(pass, replica) || !reconcile_services(pass, replica)) return false;
  }
  return true;
}

}  // namespace trainctl::local
