// Builds pods and services as training-operator 1.9 does.
#include "local/operator/pods.h"

#include <charconv>
#include <map>

#include "base/text.h"
#include "local/edit.h"

namespace trainctl::local {

namespace {

bool is_master_pod(const OperatedJob& job, const Replica& replica, int index) {
  const job::Role* role = job::find_role(job.kind->job_kind(), replica.role);
  if (job.has_leader()) return role != nullptr && role->leads;
  return job.kind->first_worker_leads && replica.type == "worker" && index == 0;
}

Json replica_labels(const OperatedJob& job, const Replica& replica, int index) {
  Json labels = job_labels(job);
  labels[std::string(job::k_label_role)] = replica.type;
  labels[std::string(job::k_label_index)] = std::to_string(index);
  return labels;
}

// Ports are keyed by name, so of those without a name only the last counts.
Json service_ports(const OperatedJob& job, const Replica& replica) {
  std::map<std::string, std::int64_t> by_name;
  if (const Json* container = main_container(job, replica)) {
    for (const Json& port : array_at(*container, "/ports")) {
      by_name[text_at(port, "/name")] = int_at(port, "/containerPort").value_or(0);
    }
  }
  Json ports = Json::array();
  for (const auto& [name, number] : by_name) {
    Json port = Json{{"port", number}, {"protocol", "TCP"}, {"targetPort", number}};
    if (!name.empty()) port["name"] = name;
    ports.push_back(port);
  }
  return ports;
}

}  // namespace

Json job_labels(const OperatedJob& job) {
  return Json{{job::k_label_job_name, job.name},
              {job::k_label_operator, job.kind->job_kind().operator_name}};
}

Json owner_reference(const OperatedJob& job) {
  const kube::Resource& resource = job.kind->job_kind().resource;
  return Json{{"apiVersion", resource.api_version()},
              {"blockOwnerDeletion", true},
              {"controller", true},
              {"kind", resource.kind},
              {"name", job.name},
              {"uid", job.uid}};
}

std::string pod_restart_policy(const Replica& replica) {
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

Json wanted_pod(const OperatedJob& job, const Replica& replica, int index) {
  if (job.kind->make_pod != nullptr) return job.kind->make_pod(job, replica, index);
  Json labels = replica_labels(job, replica, index);
  if (is_master_pod(job, replica, index)) {
    labels[std::string(job::k_label_job_role)] = k_label_master;
  }
  Json pod = pod_from_template(job, replica.pod, replica_name(job, replica.type, index), labels);
  job.kind->set_environment(job, replica, index, pod);
  member(object_in(pod, "spec"), "restartPolicy") = pod_restart_policy(replica);
  return pod;
}

Json wanted_service(const OperatedJob& job, const Replica& replica, int index) {
  const Json labels = replica_labels(job, replica, index);
  Json spec = Json{{"clusterIP", "None"},
                   {"clusterIPs", Json::array({"None"})},
                   {"internalTrafficPolicy", "Cluster"},
                   {"ipFamilies", Json::array({"IPv4"})},
                   {"ipFamilyPolicy", "SingleStack"},
                   {"selector", labels},
                   {"sessionAffinity", "None"},
                   {"type", "ClusterIP"}};
  if (Json ports = service_ports(job, replica); !ports.empty()) spec["ports"] = std::move(ports);
  return Json{{"apiVersion", "v1"},
              {"kind", "Service"},
              {"metadata",
               {{"name", replica_name(job, replica.type, index)},
                {"namespace", job.ns},
                {"labels", labels},
                {"ownerReferences", Json::array({owner_reference(job)})}}},
              {"spec", spec},
              {"status", {{"loadBalancer", Json::object()}}}};
}

bool has_labels(const Json& object, const Json& labels) {
  const Json& there = object_at(object, "/metadata/labels");
  for (const auto& [key, value] : labels.items()) {
    const auto found = there.find(key);
    if (found == there.end() || *found != value) return false;
  }
  return true;
}

int replica_index(const Json& pod) {
  const std::string text = text_at(pod, cat("/metadata/labels/", pointer_step(job::k_label_index)));
  int index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  return error == std::errc() && end == text.data() + text.size() ? index : -1;
}

bool is_active(const Json& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  return phase != "Succeeded" && phase != "Failed" &&
         find(pod, "/metadata/deletionTimestamp") == nullptr;
}

std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type) {
  const Json label = Json{{job::k_label_role, type}};
  std::vector<ObjectPtr> matching;
  for (const ObjectPtr& object : objects) {
    if (has_labels(*object, label)) matching.push_back(object);
  }
  return matching;
}

}  // namespace trainctl::local
