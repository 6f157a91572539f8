// Each function looks at one oddity.
#include "manifest/warnings.h"

#include <algorithm>
#include <set>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "manifest/check_fields.h"
#include "manifest/elastic.h"
#include "manifest/environment.h"
#include "manifest/footprint.h"
#include "manifest/kind/replica.h"
#include "manifest/manifest.h"
#include "manifest/operator/wanted_objects.h"
#include "manifest/program.h"
#include "manifest/secrets.h"

namespace trainctl::job {

namespace {

std::string overwritten_variables(const Kind& kind, const Json& manifest) {
  std::set<std::string> names;
  for (const Replica& replica : replicas_of(kind, manifest)) {
    if (replica.role == nullptr) continue;
    const Json pod = predicted_pod(kind, manifest, {replica.role, 0});
    const Json& predicted = array_at(pod, "/spec/containers");
    const Json& own = array_at(*replica.spec, "/template/spec/containers");
    for (std::size_t i = 0; i < std::min(own.size(), predicted.size()); ++i) {
      for (const Json& variable : array_at(own[i], "/env")) {
        const std::string name = text_at(variable, "/name");
        const Json* last = last_variable(predicted[i], name);
        if (last != nullptr && *last != *last_variable(own[i], name)) names.insert(name);
      }
    }
  }
  if (names.empty()) return "";
  return cat("the operator overwrites ",
             join(std::vector<std::string>(names.begin(), names.end()), ", "),
             ": the replicas and ports of the job decide, and a value of your own needs another "
             "name");
}

// The operator sets these variables only beside a Master.
std::string no_rendezvous(const Kind& kind, const Json& manifest) {
  const bool is_elastic = find(manifest, "/spec/elasticPolicy") != nullptr;
  if (kind.leader != Leader::rendezvous || is_elastic) return "";
  const bool has_others = expected_replicas(kind, manifest).size() > 1;
  if (!has_others || !leaders_variable(kind, manifest, "MASTER_ADDR").empty()) return "";
  return "the job has no Master and no elasticPolicy, so its workers get no MASTER_ADDR, RANK or "
         "WORLD_SIZE and env:// cannot work; --no-master sets them";
}

// Nothing starts the processes that WORLD_SIZE counts, and init_process_group() waits for them.
std::string lone_process(const Kind& kind, const Json& manifest,
                         const std::vector<Replica>& replicas) {
  const std::int64_t processes = processes_per_pod(kind, manifest);
  for (const Replica& replica : replicas) {
    if (processes <= 1 || replica.role == nullptr) continue;
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    if (container == nullptr) continue;
    Json words = array_at(*container, "/command");
    const Json& args = array_at(*container, "/args");
    words.insert(words.end(), args.begin(), args.end());
    const std::string program = text_at(words, "/0"), script = text_at(words, "/1");
    if (program.find("python") == std::string::npos || !script.ends_with(".py")) continue;
    return cat("WORLD_SIZE counts ", processes, " processes in each replica, and ", program, ' ',
               printable_line(script), " is one: unless it starts the others, add --torchrun");
  }
  return "";
}

// Other replicas are known by the names of their Services.
std::string no_cluster_dns(const Kind& kind, const std::vector<Replica>& replicas) {
  std::vector<std::string> roles;
  for (const Replica& replica : replicas) {
    const Json& pod = object_at(*replica.spec, k_pod_spec);
    const std::string policy = text_at(pod, "/dnsPolicy", "ClusterFirst");
    const bool asks_node = policy == "ClusterFirst" || policy == "Default";
    if (true_at(pod, "/hostNetwork") && asks_node) roles.push_back(replica.key);
  }
  if (roles.empty() || !kind.service_per_pod) return "";
  return cat(join(roles, " and "), roles.size() == 1 ? " has" : " have",
             " hostNetwork without dnsPolicy ClusterFirstWithHostNet, so the names of other "
             "replicas do not resolve there; --host-network sets both");
}

// How replicas restart, where that is not what one would expect.
void add_restart_warnings(const Kind& kind, const Json& manifest,
                          const std::vector<Replica>& replicas,
                          std::vector<std::string>& warnings) {
  bool may_restart = false;
  for (const Replica& replica : replicas) {
    const std::string policy = restart_policy_of(replica);
    may_restart = may_restart || policy == "OnFailure" || policy == "Always";
    if (policy == "Always") {
      warnings.push_back(cat(replica.key,
                             " has restartPolicy Always: its pods never succeed, so the "
                             "job may never end"));
    }
    const bool launches = kind.has_launcher() && replica.role != nullptr && replica.role->leads();
    if (policy == "ExitCode" && launches && kind.resource.version == "v1") {
      warnings.emplace_back(
          "the operator never restarts a failed launcher with restartPolicy ExitCode: use "
          "OnFailure or Never");
    }
    if (policy == "ExitCode" && !kind.has_launcher()) {
      warnings.push_back(
          cat(replica.key,
              " has restartPolicy ExitCode: a replica that exits with 128 or more (killed, out of "
              "memory) is started again without limit, whatever the backoffLimit"));
    }
  }
  if (!may_restart || kind.controller.bounds_retries) return;
  const auto limit = int_at(manifest, cat(kind.controller.run_policy, "/backoffLimit"));
  if (!limit) {
    warnings.emplace_back(
        "no backoffLimit: a replica that crashes is restarted for ever; --backoff-limit=6 limits "
        "the restarts");
  }
  // The operator counts restarts of a container, and ends the job at the first.
  if (limit == 0) {
    warnings.emplace_back(
        "backoffLimit 0: a replica that fails runs once more before the job ends; --restart-policy "
        "Never runs it once");
  }
}

}  // namespace

std::vector<std::string> manifest_warnings(const Kind& kind, const Json& manifest) {
  std::vector<std::string> warnings;
  for (const UnknownField& field : unknown_fields(kind.schema_type(), manifest)) {
    warnings.push_back(
        cat(dotted(field.pointer),
            " is a field unknown to trainctl: a server that does not know it refuses "
            "the job"));
  }
  for (const SizeAt& size : sizes_in(manifest)) {
    const std::string oddity = small_size(size.text);
    if (!oddity.empty()) warnings.push_back(cat(dotted(size.pointer), ' ', oddity));
  }
  const auto replicas = replicas_of(kind, manifest);
  add_restart_warnings(kind, manifest, replicas, warnings);
  for (std::string text :
       {elastic_fault(kind, manifest), overwritten_variables(kind, manifest),
        no_rendezvous(kind, manifest), lone_process(kind, manifest, replicas),
        no_cluster_dns(kind, replicas),
        plain_credentials_warning(replicas, object_at(manifest, k_runtime_program))}) {
    if (!text.empty()) warnings.push_back(std::move(text));
  }
  return warnings;
}

}  // namespace trainctl::job
