// The table of served kinds; the job kinds come from the kind table.
#include "local/resources.h"

#include "base/text/text.h"

namespace trainctl::local {

namespace {

ServedResource core(kube::Resource resource) {
  ServedResource row;
  row.resource = resource;
  return row;
}

ServedResource row_of(const job::Kind& kind) {
  ServedResource row = core(kind.resource);
  row.job_kind = &kind;
  row.has_generation = true;
  return row;
}

std::vector<ServedResource> all_rows() {
  ServedResource pods = core(kube::k_pods);
  pods.has_generation = pods.graceful = true;
  pods.at_birth = R"({"status":{"phase":"Pending"}})";
  ServedResource claims = core({"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"});
  claims.at_birth = R"({"status":{"phase":"Pending"}})";
  ServedResource namespaces = core(kube::k_namespaces);
  namespaces.namespaced = false;
  namespaces.at_birth = R"({"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}})";
  ServedResource nodes = core({"", "v1", "nodes", "Node"});
  nodes.namespaced = false;

  std::vector<ServedResource> rows = {pods,
                                      core({"", "v1", "services", "Service"}),
                                      core(kube::k_events),
                                      core({"", "v1", "configmaps", "ConfigMap"}),
                                      core({"", "v1", "secrets", "Secret"}),
                                      claims,
                                      namespaces,
                                      core({"", "v1", "serviceaccounts", "ServiceAccount"}),
                                      nodes};
  for (const job::Kind& kind : job::operator_kinds()) rows.push_back(row_of(kind));
  return rows;
}

}  // namespace

std::string ServedResource::qualified() const {
  if (resource.group.empty()) return std::string(resource.plural);
  return cat(resource.plural, '.', resource.group);
}

std::string ServedResource::qualified_kind() const {
  if (resource.group.empty()) return std::string(resource.kind);
  return cat(resource.kind, '.', resource.group);
}

std::span<const ServedResource> served_resources() {
  static const std::vector<ServedResource> k_served = all_rows();
  return k_served;
}

const ServedResource* find_resource(std::string_view group, std::string_view version,
                                    std::string_view plural) {
  for (const ServedResource& row : served_resources()) {
    const kube::Resource& resource = row.resource;
    if (resource.plural == plural && resource.group == group && resource.version == version) {
      return &row;
    }
  }
  return nullptr;
}

const ServedResource& resource_of(const kube::Resource& resource) {
  const ServedResource* found = find_resource(resource.group, resource.version, resource.plural);
  return found != nullptr ? *found : served_resources().front();
}

}  // namespace trainctl::local
