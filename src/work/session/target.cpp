// Reads job and pods, and picks the container.
#include "work/session/target.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/kind/replica.h"
#include "status/pod_state.h"
#include "work/find/batch_fetch.h"
#include "work/find/find_job.h"
#include "work/find/worker_cluster.h"

namespace trainctl::work {
namespace {

const Json* container_spec(const Json& pod, std::string_view name) {
  for (const std::string_view list : job::k_container_lists) {
    for (const Json& container : array_at(pod, cat("/spec/", list))) {
      if (text_at(container, "/name") == name) return &container;
    }
  }
  return nullptr;
}

// Returns why nothing can be run in a container that is not running.
Error not_running(const Target& target, const Json& pod) {
  const Json* status = job::container_status(pod, target.container);
  const std::string what = cat(target.replica, " of ", target.job);
  const bool ended = status != nullptr && find(*status, "/state/terminated") != nullptr;
  if (ended) {
    return {Code::not_found, cat("the container ", target.container, " of ", what, " has ended"),
            cat("trainctl logs ", target.name(), " shows what it printed")};
  }
  std::string reason = status == nullptr ? "" : text_at(*status, "/state/waiting/reason");
  if (reason.empty()) reason = text_at(pod, "/status/phase");
  return {Code::not_started,
          cat(what, " is not running yet", reason.empty() ? "" : ": ", printable_line(reason)),
          cat("trainctl wait ", target.job, " --for=running; trainctl why ", target.job,
              " says what it waits for")};
}

}  // namespace

std::string Target::name() const {
  return cat(job, '/', replica);
}

kube::RemoteQuery Target::query() const {
  kube::RemoteQuery query;
  query.ns = ns;
  query.pod = pod;
  query.container = container;
  return query;
}

Result<FoundPods> find_job_pods(Access& access, const TargetQuery& query) {
  const job::JobRef& ref = query.ref;
  JobListings around = pods_around(access.ns(), ref.kind, ref.name);
  TRY_ASSIGN(FoundJob job, find_job(access, ref, &around));
  TRY_ASSIGN(auto pods, take_pods(access, job, std::move(around)));
  if (!query.rank.empty()) {
    if (!job.replica.empty()) {
      return Error{Code::usage, cat("the replica is already named: ", job.replica),
                   "leave out --rank, or the replica"};
    }
    job.replica = "rank:" + query.rank;
  }
  return FoundPods{std::move(job), std::move(pods)};
}

std::vector<job::ReplicaId> FoundPods::replicas() const {
  std::vector<job::ReplicaId> seen;
  for (const Json& pod : pods) {
    if (const auto replica = job::replica_of(*job.kind, pod)) seen.push_back(*replica);
  }
  return job::expected_replicas(*job.kind, job.object, seen);
}

const Json* FoundPods::pod_of(const job::ReplicaId& replica) const {
  const Json* leaving = nullptr;
  for (const Json& pod : pods) {
    if (job::replica_of(*job.kind, pod) != replica) continue;
    if (!kube::is_being_deleted(pod)) return &pod;
    leaving = &pod;
  }
  return leaving;
}

Result<Target> target_of(const FoundPods& found, const job::ReplicaId& replica,
                         const std::string& container) {
  Target target{found.job.name(), replica.name(), found.job.ns(), "", container};
  const Json* pod = found.pod_of(replica);
  if (pod == nullptr) {
    return Error{Code::not_found, cat(target.replica, " of ", target.job, " has no pod"),
                 cat("trainctl why ", target.job, " shows the job's state")};
  }
  target.pod = text_at(*pod, "/metadata/name");
  target.job_uid = found.job.uid();
  if (target.container.empty()) target.container = job::main_container(*found.job.kind, *pod);
  const Json* spec = container_spec(*pod, target.container);
  if (spec == nullptr) {
    return Error{Code::not_found,
                 cat(target.replica, " of ", target.job, " has no container ",
                     printable_line(target.container)),
                 cat("its containers: ", join(job::container_names(*pod), ", "))};
  }
  target.has_input = true_at(*spec, "/stdin");
  target.has_terminal = true_at(*spec, "/tty");
  const Json* status = job::container_status(*pod, target.container);
  const bool runs = status != nullptr && find(*status, "/state/running") != nullptr;
  if (!runs) return not_running(target, *pod);
  return target;
}

Result<Target> find_target(Access& access, const TargetQuery& query) {
  TRY_ASSIGN(const FoundPods found, find_job_pods(access, query));
  const std::vector<job::ReplicaId> replicas = found.replicas();
  const FoundJob& job = found.job;
  if (!job.replica.empty()) {
    TRY_ASSIGN(const job::ReplicaId named,
               job::find_replica(*job.kind, job.object, job.replica, replicas));
    return target_of(found, named, query.container);
  }
  if (replicas.empty()) {
    return Error{Code::not_found, cat(job.name(), " has no replicas"),
                 cat("trainctl why ", job.name(), " shows the job's state")};
  }
  TRY_ASSIGN(Target target, target_of(found, replicas.front(), query.container));
  if (replicas.size() > 1) {
    access.console.notice(cat("in ", target.replica, ", one of ", replicas.size(),
                              " replicas; name another as ", job.name(), '/',
                              replicas.back().name()));
  }
  return target;
}

Result<std::vector<Target>> find_targets(Access& access, const TargetQuery& query) {
  TRY_ASSIGN(const FoundPods found, find_job_pods(access, query));
  std::vector<Target> targets;
  std::optional<Error> first;
  std::vector<std::string> left_out;
  for (const job::ReplicaId& replica : found.replicas()) {
    Result<Target> target = target_of(found, replica, query.container);
    if (target) {
      targets.push_back(*std::move(target));
    } else {
      left_out.push_back(replica.name());
      if (!first) first = std::move(target).error();
    }
  }
  if (targets.empty()) {
    if (first) return *std::move(first);
    return Error{Code::not_found, cat(found.job.name(), " has no replicas"),
                 cat("trainctl why ", found.job.name(), " shows the job's state")};
  }
  if (first) {
    access.console.warn(cat("left out: ", join(left_out, ", "), " (", first->message, ")"));
  }
  return targets;
}

}  // namespace trainctl::work
