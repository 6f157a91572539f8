// Checks the job's name, replicas and policies: faults that the webhooks refuse, and faults that
// nothing else refuses.
#include "job/manifest/check.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/kind/names.h"
#include "job/kind/pod_identity.h"
#include "job/manifest/check_fault.h"
#include "job/manifest/check_fields.h"
#include "job/manifest/check_pod.h"
#include "job/manifest/flag_values.h"
#include "job/manifest/manifest.h"
#include "job/manifest/predecessors.h"
#include "job/manifest/runtime_program.h"
#include "job/queue/workload.h"
#include "kube/object/names.h"

namespace trainctl::job {

namespace {

Status check_identity(const Kind& kind, const Json& manifest) {
  if (kind_of(manifest) == &kind) return {};
  return Error{
      Code::usage,
      cat("the manifest's kind is not ", kind.resource.kind, " of ", kind.resource.api_version()),
      ""};
}

Status check_length(std::size_t length, std::size_t limit, std::string_view pointer,
                    std::string_view flag) {
  if (length <= limit) return {};
  return manifest_fault(pointer,
                        cat("has ", length, " characters; at most ", limit,
                            " leave room for the names of "
                            "its replicas"),
                        cat("the cluster would accept it but never run it: shorten ", flag));
}

// Requires one of the blank-separated values, where the operator ignores a job with another.
Status check_choice(const Json& manifest, const std::string& pointer, std::string_view choices) {
  const std::string value = text_at(manifest, pointer);
  const auto known = split(choices, ' ');
  if (value.empty() || choices.empty() || std::ranges::find(known, value) != known.end()) return {};
  return manifest_fault(pointer,
                        cat('\'', printable_line(value), "' is none of ", join(known, ", ")),
                        "the cluster would accept the job but never run it: choose one of these");
}

// The last of each role, which has the longest name of all.
std::vector<ReplicaId> last_replicas(const Kind& kind, const Json& manifest) {
  std::vector<ReplicaId> last;
  for (const Role& role : kind.roles) {
    const int count = replica_count(kind, manifest, role);
    if (count > 0) last.push_back({&role, count - 1});
  }
  return last;
}

Status check_name(const Kind& kind, const Json& manifest) {
  const std::string name = text_at(manifest, "/metadata/name");
  const std::string stem = text_at(manifest, "/metadata/generateName");
  const std::size_t limit = longest_name(kind, last_replicas(kind, manifest));
  if (!name.empty()) {
    TRY(check_length(name.size(), limit, "/metadata/name", "--name"));
    const auto fault = job_name_fault(kind, name);
    if (fault.empty()) return {};
    return manifest_fault("/metadata/name", cat('\'', printable_line(name), "' ", fault));
  }
  if (stem.empty()) return manifest_fault("/metadata/name", "is missing", "--name NAME");
  TRY(check_length(std::min(stem.size(), kube::k_generated_stem), limit - kube::k_generated_tail,
                   "/metadata/generateName", "--job-name-prefix"));
  const auto fault = job_name_fault(kind, stem.substr(0, kube::k_generated_stem) + 'x');
  if (fault.empty()) return {};
  return manifest_fault("/metadata/generateName", cat('\'', printable_line(stem), "' ", fault));
}

Status check_count_of(const Kind& kind, const Json& manifest, const Replica& replica) {
  const std::string pointer = replica.pointer + "/replicas";
  TRY(check_number(manifest, pointer, 0));
  const Role& role = *replica.role;
  const auto count = int_at(manifest, pointer);
  if (count > k_most_replicas) {
    return manifest_fault(pointer, cat(*count, " is more than the ", k_most_replicas,
                                       " replicas that a role may have"));
  }
  if (role.count_required && count != 1) {
    return manifest_fault(pointer, count ? "must be 1" : "is missing; it must be 1",
                          cat("ranks are counted from a single ", role.name));
  }
  if (role.never_empty && replica_count(kind, manifest, role) == 0) {
    return manifest_fault(pointer, "asks for no replica",
                          "the cluster would accept the job but never run it: leave out the role");
  }
  if (role.single && count.value_or(1) > 1) {
    return manifest_fault(pointer, cat(kind.resource.kind, "s have at most one ", role.name));
  }
  return {};
}

std::string role_names(const Kind& kind) {
  std::vector<std::string> names;
  for (const Role& role : kind.roles) names.emplace_back(role.name);
  return cat("the roles of ", kind.resource.kind, "s are ", join(names, ", "));
}

Status check_replica(const Kind& kind, const Json& manifest, const Replica& replica) {
  if (replica.role == nullptr) {
    return manifest_fault(replica.pointer, "is not a role", role_names(kind));
  }
  TRY(check_count_of(kind, manifest, replica));
  TRY(check_choice(manifest, replica.pointer + "/restartPolicy", kind.controller.restart_policies));
  return check_pod(kind, manifest, replica);
}

Status check_leaders(const Kind& kind, const std::vector<Replica>& replicas) {
  const auto leaders =
      std::ranges::count_if(replicas, [](const Replica& one) { return one.role->leads(); });
  if (leaders > 1) return manifest_fault(kind.replica_specs, "has more than one leading role");
  if (leaders == 1 || !kind.requires_leader()) return {};
  return manifest_fault(kind.replica_specs, cat("has no ", kind.roles.front().name),
                        cat(kind.resource.kind, "s cannot run without it"));
}

Status check_replicas(const Kind& kind, const Json& manifest) {
  const auto replicas = replicas_of(kind, manifest);
  if (replicas.empty()) {
    return manifest_fault(kind.replica_specs, "is empty",
                          "the cluster would accept the job but never run it: ask for --workers=1");
  }
  int pods = 0;
  for (const Replica& replica : replicas) {
    TRY(check_replica(kind, manifest, replica));
    pods += replica_count(kind, manifest, *replica.role) > 0 ? 1 : 0;
  }
  if (pods == 0) return manifest_fault(kind.replica_specs, "asks for no replica at all");
  return check_leaders(kind, replicas);
}

Status check_run_policy(const Kind& kind, const Json& manifest) {
  const std::string policy(kind.controller.run_policy);
  TRY(check_field(manifest, policy + "/cleanPodPolicy", check_clean_pod_policy));
  TRY(check_choice(manifest, policy + "/managedBy", kind.controller.managers));
  TRY(check_number(manifest, policy + "/backoffLimit", 0));
  TRY(check_number(manifest, policy + "/ttlSecondsAfterFinished", 0));
  return check_number(manifest, policy + "/activeDeadlineSeconds", 1);
}

// Fields that only one kind has; another's manifest does not hold them.
Status check_own_fields(const Json& manifest) {
  if (!text_at(manifest, "/spec/successPolicy").empty()) {
    TRY(check_field(manifest, "/spec/successPolicy", check_success_policy));
  }
  TRY(check_field(manifest, "/spec/nprocPerNode", check_processes));
  TRY(check_number(manifest, "/spec/slotsPerWorker", 1));
  TRY(check_field(manifest, "/spec/elasticPolicy/rdzvBackend", check_rendezvous_backend));
  TRY(check_number(manifest, "/spec/elasticPolicy/minReplicas", 1));
  TRY(check_number(manifest, "/spec/elasticPolicy/maxReplicas", 1));
  const auto least = int_at(manifest, "/spec/elasticPolicy/minReplicas");
  const auto most = int_at(manifest, "/spec/elasticPolicy/maxReplicas");
  if (!least || !most || *least <= *most) return {};
  return manifest_fault("/spec/elasticPolicy", cat("at least ", *least, " workers and at most ",
                                                   *most, " contradict each other"));
}

// A job in a queue is started by the queue.
Status check_waiting(const Kind& kind, const Json& manifest) {
  TRY_ASSIGN(const auto predecessors, predecessors_of(manifest));
  if (predecessors.empty()) return {};
  if (!waits_for_jobs(kind, manifest)) {
    return manifest_fault("/metadata/annotations",
                          "names jobs to wait for, but the job is not suspended",
                          "--after and --after-ok do both");
  }
  const std::string queue = queue_of(manifest);
  if (!queue.empty()) {
    return Error{Code::usage,
                 cat("--after cannot be used with queue ", printable_line(queue),
                     ": Kueue decides when the job starts"),
                 "leave out --after and --after-ok, or --queue"};
  }
  const std::string name = text_at(manifest, "/metadata/name");
  const bool waits_for_itself = std::ranges::any_of(
      predecessors, [&name](const Predecessor& one) { return one.job.name == name; });
  if (!waits_for_itself) return {};
  return Error{Code::usage, cat("job ", name, " would wait for itself"), "choose another --name"};
}

}  // namespace

std::size_t longest_name(const Kind& kind, const std::vector<ReplicaId>& replicas) {
  const std::size_t limit = kube::k_dns_1035.longest;
  if (!kind.service_per_pod) return limit;
  const PodNaming& naming = kind.controller.pod_naming;
  const std::size_t tail =
      naming.random_tail > 0 && naming.tail_behind_index ? naming.random_tail + 1 : 0;
  std::size_t longest = 0;
  for (const ReplicaId& replica : replicas) {
    longest = std::max(longest, pod_name(kind, "", replica).size());
  }
  return limit - longest - tail;
}

Status check_manifest(const Kind& kind, const Json& manifest) {
  TRY(check_encoding(manifest));
  TRY(check_identity(kind, manifest));
  TRY(check_fields(kind.schema_type(), manifest));
  TRY(runs_by_runtime(kind) ? check_runtime_program(kind, manifest)
                            : check_replicas(kind, manifest));
  TRY(check_texts(kind.schema_type(), manifest));
  TRY(check_name(kind, manifest));
  TRY(check_metadata(manifest, "/metadata"));
  TRY(check_run_policy(kind, manifest));
  TRY(check_waiting(kind, manifest));
  return check_own_fields(manifest);
}

}  // namespace trainctl::job
