// Finds the existing job's state and creator, and the owner of the pods.
#include "work/create/namesakes.h"

#include <set>

#include "base/text/text.h"
#include "base/text/time.h"
#include "job/kind/pod_identity.h"
#include "job/status/taken_name.h"
#include "work/find/owner.h"

namespace trainctl::work {
namespace {

std::string phase_of(Access& access, const FoundJob& job) {
  const auto states = judge_jobs(access, {job});
  return states ? std::string(job::phase_name(states->front().phase)) : "";
}

}  // namespace

std::string describe_namesake(Access& access, const FoundJob& job) {
  std::string text = phase_of(access, job);
  const auto created = parse_time(text_at(job.object, "/metadata/creationTimestamp"));
  if (created) {
    text +=
        cat(text.empty() ? "" : ", ", "created ", format_age(access.loop.now() - *created), " ago");
  }
  const std::string owner = owner_of(job.object);
  if (!owner.empty()) text += cat(" by ", owner);
  return printable_line(text);
}

Status check_pod_names(Access& access, const Manifest& manifest) {
  const std::string name = text_at(manifest.object, "/metadata/name");
  // No pods are in the way when the job's name or its pods' names are generated.
  const job::PodNaming& naming = manifest.kind->controller.pod_naming;
  if (name.empty() || (naming.random_tail > 0 && naming.tail_behind_index)) return {};
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> pods = {pods_listing(manifest.ns, nullptr, name)};
  fetch_together(*client, pods);
  if (pods[0].failure) {
    // A user who may not list pods may still create jobs.
    if (pods[0].failure->error.code == Code::auth) return {};
    return pods[0].failure->error;
  }
  std::set<std::string> wanted;
  for (const job::ReplicaId& replica : job::expected_replicas(*manifest.kind, manifest.object)) {
    wanted.insert(job::pod_name(*manifest.kind, name, replica));
  }
  for (const Json& pod : pods[0].objects) {
    if (!wanted.contains(text_at(pod, "/metadata/name"))) continue;
    job::TakenName taken = job::describe_taken_name(*manifest.kind, manifest.object, pod);
    if (!taken.passes) return Error{Code::refused, std::move(taken.message), std::move(taken.hint)};
  }
  return {};
}

}  // namespace trainctl::work
