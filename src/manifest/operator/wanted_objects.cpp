// Builds pods and services as training-operator 1.9 does.
#include "manifest/operator/wanted_objects.h"

#include <map>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/names.h"

namespace trainctl::job {

namespace {

bool is_master_pod(const OperatedJob& job, const OperatedReplica& replica, int index) {
  const Role* role = find_role(*job.kind, replica.role);
  if (job.has_leader()) return role != nullptr && role->leads();
  return job.operated().first_worker_leads && replica.type == "worker" && index == 0;
}

Json replica_labels(const OperatedJob& job, const OperatedReplica& replica, int index) {
  Json labels = job_labels(job);
  labels[std::string(k_label_role)] = replica.type;
  labels[std::string(k_label_index)] = std::to_string(index);
  return labels;
}

// Ports are keyed by name, so of those without a name only the last counts.
Json service_ports(const OperatedJob& job, const OperatedReplica& replica) {
  std::map<std::string, std::int64_t> by_name;
  if (const Json* container = main_container(job, replica)) {
    for (const Json& port : array_at(*container, "/ports")) {
      by_name[text_at(port, "/name")] = int_at(port, "/containerPort").value_or(0);
    }
  }
  Json ports = Json::array();
  for (const auto& [name, number] : by_name) {
    Json port = Json{{"port", number}};
    if (!name.empty()) port["name"] = name;
    ports.push_back(port);
  }
  return ports;
}

}  // namespace

Json job_labels(const OperatedJob& job) {
  return Json{{k_label_job_name, job.name}, {k_label_operator, job.kind->operator_name}};
}

Json owner_reference(const OperatedJob& job) {
  const kube::Resource& resource = job.kind->resource;
  return Json{{"apiVersion", resource.api_version()},
              {"blockOwnerDeletion", true},
              {"controller", true},
              {"kind", resource.kind},
              {"name", job.name},
              {"uid", job.uid}};
}

std::string pod_restart_policy(const OperatedReplica& replica) {
  return replica.restart_policy == "ExitCode" ? "Never" : replica.restart_policy;
}

Json pod_from_template(const OperatedJob& job, const Json& pod_template, std::string_view name,
                       const Json& labels) {
  Json metadata = Json{{"name", name}, {"namespace", job.ns}};
  if (const Json& own = object_at(pod_template, "/metadata/annotations"); !own.empty()) {
    metadata["annotations"] = own;
  }
  if (const Json& own = array_at(pod_template, "/metadata/finalizers"); !own.empty()) {
    metadata["finalizers"] = own;
  }
  metadata["labels"] = object_at(pod_template, "/metadata/labels");
  metadata["labels"].update(labels);
  metadata["ownerReferences"] = Json::array({owner_reference(job)});
  return Json{{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", metadata},
              {"spec", object_at(pod_template, "/spec")}};
}

Json wanted_pod(const OperatedJob& job, const OperatedReplica& replica, int index) {
  if (job.operated().make_pod != nullptr) return job.operated().make_pod(job, replica, index);
  Json labels = replica_labels(job, replica, index);
  if (is_master_pod(job, replica, index)) {
    labels[std::string(k_label_job_role)] = k_label_master;
  }
  Json pod = pod_from_template(job, replica.pod, replica_name(job, replica.type, index), labels);
  job.operated().set_environment(job, replica, index, pod);
  member(object_in(pod, "spec"), "restartPolicy") = pod_restart_policy(replica);
  return pod;
}

Json predicted_pod(const Kind& kind, const Json& job, const ReplicaId& replica) {
  if (kind.operated == nullptr && kind.has_launcher()) return mpi_operator_pod(kind, job, replica);
  if (kind.operated == nullptr) return Json::object();
  OperatedJob operated = operated_job(kind, job);
  if (operated.name.empty()) {
    operated.name =
        text_at(job, "/metadata/generateName") + std::string(kube::k_generated_tail, '?');
  }
  const OperatedReplica* role = operated.find_role(replica.role->name);
  return role == nullptr ? Json::object() : wanted_pod(operated, *role, replica.index);
}

Json wanted_service(const OperatedJob& job, const OperatedReplica& replica, int index) {
  const Json labels = replica_labels(job, replica, index);
  Json spec = Json{{"clusterIP", "None"}, {"selector", labels}};
  if (Json ports = service_ports(job, replica); !ports.empty()) spec["ports"] = std::move(ports);
  return Json{{"apiVersion", "v1"},
              {"kind", "Service"},
              {"metadata",
               {{"name", replica_name(job, replica.type, index)},
                {"namespace", job.ns},
                {"labels", labels},
                {"ownerReferences", Json::array({owner_reference(job)})}}},
              {"spec", spec}};
}

}  // namespace trainctl::job
