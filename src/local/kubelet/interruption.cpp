// Reads restart policies, and keeps an empty file for each interrupted run.
#include "local/kubelet/interruption.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "job/kind/replica.h"
#include "job/operator/operated_job.h"
#include "local/kubelet/pod_status.h"

namespace trainctl::local {

namespace {

std::string note_path(const std::string& attempt_directory) {
  return cat(attempt_directory, "/interrupted");
}

// The policy of the pod's role in its training job; "" when the pod belongs to none.
std::string policy_in_job(const KubeletContext& context, const Json& pod) {
  const std::string owner = port_owner(pod);
  for (const ServedResource& resource : served_resources()) {
    if (resource.job_kind == nullptr) continue;
    const auto* kind = job::find_operated_kind(*resource.job_kind);
    const auto id = job::replica_of(*resource.job_kind, pod);
    if (kind == nullptr || !id) continue;
    for (const auto& object : context.store.list(resource, namespace_of(pod))) {
      if (uid_of(*object) != owner) continue;
      const job::OperatedJob job = job::operated_job(*kind, *object);
      const auto* role = job.find_role(id->role->name);
      return role == nullptr ? "" : role->restart_policy;
    }
  }
  return "";
}

}  // namespace

bool returns_after_shutdown(const KubeletContext& context, const Json& pod) {
  // The operator keeps the policy ExitCode itself: it deletes a pod that failed by a signal, and
  // with the pod its log, to create it again.
  return restart_policy(pod) != "Never" || policy_in_job(context, pod) == "ExitCode";
}

void note_interruption(const std::string& attempt_directory) {
  // An empty file needs no space on a disk that is full.
  const std::string path = note_path(attempt_directory);
  const Descriptor note(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

bool was_interrupted(const std::string& attempt_directory) {
  return ::access(note_path(attempt_directory).c_str(), F_OK) == 0;
}

}  // namespace trainctl::local
