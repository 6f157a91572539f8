// Looks for volumes in the templates of pods, which are there as long as the job is.
#include "transfer/job_results.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {
namespace {

constexpr kube::Resource k_job_sets{"jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"};

// A TrainJob's pods are described by the JobSet of its name.
Result<std::vector<job::PodPlan>> plans_of_job_set(Access& access, const FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto set = client->get(k_job_sets, job.ns(), job.name());
  if (set) return job::pod_plans_of_job_set(*job.kind, *set);
  Error error = std::move(set).error();
  if (error.code == Code::not_found) {
    return Error{Code::not_found,
                 cat("the volumes of ", job.name(), " are not known: its JobSet is gone"),
                 "trainctl fetch --pvc CLAIM[:PATH] DIR fetches from a claim"};
  }
  return error;
}

Result<std::vector<job::PodPlan>> plans_of(Access& access, const FoundJob& job) {
  if (job.kind->replica_specs.empty()) return plans_of_job_set(access, job);
  return job::pod_plans(*job.kind, job.object);
}

std::string described(const std::vector<job::LastingMount>& mounts) {
  std::vector<std::string> texts;
  for (const job::LastingMount& mount : mounts) {
    const std::string what = !mount.claim.empty()       ? cat("claim ", mount.claim)
                             : !mount.node_path.empty() ? cat(mount.node_path, " of the node")
                                                        : std::string("NFS");
    texts.push_back(printable_line(cat(mount.path, " (", what, ")")));
  }
  return join(texts, ", ");
}

Error no_volume(const Access& access, const std::string& job) {
  return {Code::not_found, cat(job, " has no volume that outlives its pods"),
          access.embedded
              ? "look for its files in the directory that you submitted it from"
              : "submit it with --pvc CLAIM:/PATH, or copy with trainctl cp while it runs"};
}

Error untold(const job::LastingMount& mount) {
  return {Code::refused,
          cat("the part of the volume at ", printable_line(mount.path),
              " depends on the replica (subPathExpr)"),
          mount.claim.empty()
              ? std::string("trainctl cp copies from a replica that runs")
              : cat("trainctl fetch --list --pvc ", mount.claim, " shows the whole claim")};
}

// The paths that are meant, in the mounts of one role; empty = this role has none.
Result<std::vector<std::string>> paths_in(const std::vector<job::LastingMount>& mounts,
                                          const std::string& path, bool every) {
  std::vector<std::string> paths;
  if (!path.empty()) {
    const job::LastingMount* mount = job::mount_of(mounts, path);
    if (mount == nullptr) return paths;
    if (!mount->is_told) return untold(*mount);
    return std::vector<std::string>{path};
  }
  // A directory of the node that is mounted beside them is where the data come from, as a rule.
  const bool others =
      std::ranges::any_of(mounts, [](const auto& mount) { return mount.node_path.empty(); });
  for (const job::LastingMount& mount : mounts) {
    const bool counts = every || !others || mount.node_path.empty();
    if (mount.is_told && counts) paths.push_back(mount.path);
  }
  if (paths.empty() && !mounts.empty()) return untold(mounts.front());
  if (paths.size() > 1 && !every) {
    return Error{Code::usage, cat("the job has several volumes: ", described(mounts)),
                 cat("add a path to the job: JOB:", shell_quoted(printable_line(paths.front())))};
  }
  return paths;
}

// True when the user named this replica, or none.
bool is_meant_replica(const FoundPods& found, const job::ReplicaId& replica) {
  const std::string& name = found.job.replica;
  if (name.empty()) return true;
  const auto named = job::find_replica(*found.job.kind, found.job.object, name, found.replicas());
  return named && named->role == replica.role && named->index == replica.index;
}

bool is_wanted(const FoundPods& found, const job::PodPlan& plan) {
  const std::string& replica = found.job.replica;
  if (replica.empty()) return true;
  const auto named =
      job::find_replica(*found.job.kind, found.job.object, replica, found.replicas());
  return named && named->role->prefix == plan.role;
}

// The replicas whose volumes are meant.
std::vector<job::ReplicaId> meant_replicas(const JobResults& results) {
  std::vector<job::ReplicaId> meant = results.found.replicas();
  std::erase_if(meant, [&results](const job::ReplicaId& replica) {
    return replica.role->prefix != results.plan.role || !is_meant_replica(results.found, replica);
  });
  return meant;
}

}  // namespace

Result<JobResults> find_results(Access& access, const TargetQuery& query, const std::string& path,
                                bool every) {
  TRY_ASSIGN(FoundPods found, find_job_pods(access, query));
  if (!found.job.replica.empty()) {
    TRY(job::find_replica(*found.job.kind, found.job.object, found.job.replica, found.replicas()));
  }
  TRY_ASSIGN(std::vector<job::PodPlan> plans, plans_of(access, found.job));
  std::vector<job::LastingMount> others;
  for (job::PodPlan& plan : plans) {
    if (!is_wanted(found, plan)) continue;
    const std::vector<job::LastingMount> mounts = job::lasting_mounts(plan.spec, plan.container);
    TRY_ASSIGN(std::vector<std::string> paths, paths_in(mounts, path, every));
    if (paths.empty()) {
      others.insert(others.end(), mounts.begin(), mounts.end());
      continue;
    }
    JobResults results{std::move(found), std::move(plan), std::move(paths), {}};
    for (const job::LastingMount& mount : mounts) {
      const bool wanted = std::ranges::any_of(results.paths, [&](const std::string& one) {
        const auto holding = job::mounts_for(mounts, one);
        return std::ranges::any_of(
            holding, [&mount](const auto& other) { return other.path == mount.path; });
      });
      if (wanted) results.mounts.push_back(mount);
    }
    return results;
  }
  if (others.empty()) return no_volume(access, found.job.name());
  return Error{Code::not_found,
               cat(printable_line(path), " is in no volume of ", found.job.name(),
                   " that outlives its pods"),
               cat("these do: ", described(others))};
}

std::optional<Target> reader_of(const JobResults& results) {
  const FoundPods& found = results.found;
  for (const job::ReplicaId& replica : meant_replicas(results)) {
    Result<Target> target = target_of(found, replica, "");
    if (!target) continue;
    const Json& pod = *found.pod_of(replica);
    if (!kube::is_being_deleted(pod)) return *std::move(target);
  }
  return std::nullopt;
}

Result<std::string> node_of(const JobResults& results) {
  const auto on_node = std::ranges::find_if(
      results.mounts, [](const auto& mount) { return !mount.node_path.empty(); });
  if (on_node == results.mounts.end()) return std::string();
  const FoundPods& found = results.found;
  std::string node;
  for (const job::ReplicaId& replica : meant_replicas(results)) {
    const Json* pod = found.pod_of(replica);
    const std::string own = pod == nullptr ? "" : text_at(*pod, "/spec/nodeName");
    if (own.empty() || own == node) continue;
    if (node.empty()) {
      node = own;
      continue;
    }
    return Error{Code::usage,
                 cat(printable_line(on_node->node_path), " is a directory of each node, and the ",
                     results.plan.role, "s ran on several"),
                 cat("name the replica: trainctl fetch ", found.job.name(), "/", results.plan.role,
                     "-0:", shell_quoted(printable_line(results.paths.front())), " DIR")};
  }
  if (!node.empty()) return node;
  return Error{Code::not_found,
               cat("cannot tell which node has ", printable_line(on_node->node_path),
                   ": the pods of ", found.job.name(), " are gone"),
               "submit with --clean-pod-policy None to keep the pods, or with a claim (--pvc)"};
}

}  // namespace trainctl::work
