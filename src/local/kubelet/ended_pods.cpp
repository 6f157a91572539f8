// Keeps the last state of each pod in a file, in a directory named after the job's uid. The logs
// stay where the kubelet wrote them, so that their readers are not disturbed.
#include "local/kubelet/ended_pods.h"

#include <algorithm>

#include "base/file/small_file.h"
#include "kube/object/metadata.h"
#include "local/kubelet/guard_watch.h"

namespace trainctl::local {

namespace {

std::string directory_of_all(const KubeletContext& context) {
  return cat(context.settings.directory, "/ended");
}

std::string directory_of_job(const KubeletContext& context, std::string_view job_uid) {
  return cat(directory_of_all(context), "/", job_uid);
}

Json read_pod(const std::string& path) {
  const auto pod = parse_json(read_small_file(path), path);
  return pod ? *pod : Json();
}

// The uid of the job that controls a pod and is to stay; "" = there is none.
std::string living_job(const Store& store, const Json& pod) {
  for (const Json& owner : array_at(pod, "/metadata/ownerReferences")) {
    if (!true_at(owner, "/controller")) continue;
    for (const ServedResource& resource : served_resources()) {
      if (resource.job_kind == nullptr || resource.resource.kind != text_at(owner, "/kind")) {
        continue;
      }
      const auto job = store.get(resource, namespace_of(pod), text_at(owner, "/name"));
      const bool stays =
          job && uid_of(*job) == text_at(owner, "/uid") && !kube::is_being_deleted(*job);
      return stays ? uid_of(*job) : "";
    }
  }
  return "";
}

bool has_run(const KubeletContext& context, const Json& pod) {
  return std::ranges::any_of(array_at(pod, "/spec/containers"), [&](const Json& container) {
    return !attempts_of(context, uid_of(pod), text_at(container, "/name")).empty();
  });
}

std::set<std::string, std::less<>> job_uids(const Store& store) {
  std::set<std::string, std::less<>> uids;
  for (const ServedResource& resource : served_resources()) {
    if (resource.job_kind == nullptr) continue;
    for (const auto& job : store.list(resource, "")) uids.insert(uid_of(*job));
  }
  return uids;
}

}  // namespace

bool keep_ended_pod(const KubeletContext& context, const Json& pod) {
  const std::string job = living_job(context.store, pod);
  if (job.empty() || !has_run(context, pod)) return false;
  const std::string directory = directory_of_job(context, job);
  const std::string path = cat(directory, "/", name_of(pod));
  const std::string earlier = uid_of(read_pod(path));
  if (!make_directories(directory) || !write_file(path, dump(pod))) return false;
  if (!earlier.empty() && earlier != uid_of(pod)) remove_directory(context.pod_directory(earlier));
  return true;
}

std::vector<Json> ended_pods(const KubeletContext& context, std::string_view job_uid) {
  std::vector<Json> pods;
  const std::string directory = directory_of_job(context, job_uid);
  for (const auto& name : names_in(directory)) {
    if (Json pod = read_pod(cat(directory, "/", name)); pod.is_object()) {
      pods.push_back(std::move(pod));
    }
  }
  return pods;
}

std::optional<Json> find_ended_pod(const KubeletContext& context, std::string_view ns,
                                   std::string_view name) {
  for (const auto& job : names_in(directory_of_all(context))) {
    Json pod = read_pod(cat(directory_of_job(context, job), "/", name));
    if (namespace_of(pod) == ns) return pod;
  }
  return std::nullopt;
}

void forget_ended_pods(const KubeletContext& context, std::string_view job_uid) {
  for (const Json& pod : ended_pods(context, job_uid)) {
    remove_directory(context.pod_directory(uid_of(pod)));
  }
  remove_directory(directory_of_job(context, job_uid));
}

std::set<std::string, std::less<>> kept_pod_uids(const KubeletContext& context) {
  const auto jobs = job_uids(context.store);
  std::set<std::string, std::less<>> uids;
  for (const auto& job : names_in(directory_of_all(context))) {
    if (!jobs.contains(job)) {
      forget_ended_pods(context, job);
      continue;
    }
    for (const Json& pod : ended_pods(context, job)) uids.insert(uid_of(pod));
  }
  return uids;
}

}  // namespace trainctl::local
