// Each use has its own rows, so that a Role for one of them holds nothing for another.
#include "work/rights/rights.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "manifest/kind/kind.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_rbac_group = "rbac.authorization.k8s.io";
constexpr std::string_view k_rbac_version = "rbac.authorization.k8s.io/v1";
// The resource of a row that stands for the jobs of every kind.
constexpr std::string_view k_jobs = "*jobs";
// In the order in which a rule lists them.
constexpr std::string_view k_verbs[] = {"get", "list", "watch", "create", "patch", "delete"};

struct Right {
  Use use;
  std::string_view group;
  std::string_view resource;
  std::string_view verbs;  // blank-separated
  enum class Scope { of_namespace, of_cluster } scope = Scope::of_namespace;
};

constexpr Right k_rights[] = {
    // A name that is taken is looked up; when an answer is lost, so is a generated name.
    {Use::submit, "", k_jobs, "get list create"},
    // Pods of an earlier job may have the names that the new ones need.
    {Use::submit, "", "pods", "list"},
    {Use::submit, "trainer.kubeflow.org", "trainingruntimes", "get list"},
    {Use::follow, "", k_jobs, "get list watch"},
    {Use::follow, "", "pods", "get list watch"},
    {Use::follow, "", "pods/log", "get"},
    {Use::follow, "", "events", "list watch"},
    {Use::follow, "kueue.x-k8s.io", "workloads", "list"},
    {Use::follow, "visibility.kueue.x-k8s.io", "localqueues/pendingworkloads", "get"},
    {Use::cancel, "", k_jobs, "get list delete"},
    {Use::cancel, "", "pods", "list"},
    {Use::change, "", k_jobs, "get list patch"},
    {Use::change, "", "pods", "list"},
    {Use::change, "", "pods/log", "get"},
    {Use::change, "kueue.x-k8s.io", "workloads", "list patch"},
    // A session begins with GET; Kubernetes from 1.35 on wants the right to create as well.
    {Use::exec, "", k_jobs, "get list"},
    {Use::exec, "", "pods", "list"},
    {Use::exec, "kueue.x-k8s.io", "workloads", "list"},
    {Use::exec, "", "pods/exec", "get create"},
    {Use::attach, "", k_jobs, "get list"},
    {Use::attach, "", "pods", "list"},
    {Use::attach, "kueue.x-k8s.io", "workloads", "list"},
    {Use::attach, "", "pods/attach", "get create"},
    {Use::forward, "", k_jobs, "get list"},
    {Use::forward, "", "pods", "list"},
    {Use::forward, "kueue.x-k8s.io", "workloads", "list"},
    {Use::forward, "", "pods/portforward", "get create"},
    {Use::fetch, "", k_jobs, "get list"},
    {Use::fetch, "", "pods", "get list watch create delete"},
    {Use::fetch, "kueue.x-k8s.io", "workloads", "list"},
    {Use::fetch, "", "pods/exec", "get create"},
    {Use::fetch, "", "events", "list"},
    {Use::fetch, "", "persistentvolumeclaims", "get"},
    {Use::fetch, "jobset.x-k8s.io", "jobsets", "get"},
    {Use::usage, "", k_jobs, "get list"},
    {Use::usage, "", "pods", "list"},
    {Use::usage, "", "events", "list"},
    {Use::usage, "metrics.k8s.io", "pods", "list"},
    {Use::claims, "", "persistentvolumeclaims", "get create patch delete"},
    {Use::check, "", k_jobs, "get create"},
    {Use::check, "", "pods", "create"},
    {Use::check, "", "secrets", "get"},
    {Use::check, "", "configmaps", "get"},
    {Use::check, "", "serviceaccounts", "get"},
    {Use::check, "", "persistentvolumeclaims", "get"},
    {Use::check, "", "resourcequotas", "list"},
    {Use::check, "", "events", "list"},
    {Use::check, "kueue.x-k8s.io", "localqueues", "get"},
    {Use::check, "", "nodes", "list", Right::Scope::of_cluster},
    {Use::check, "storage.k8s.io", "storageclasses", "list", Right::Scope::of_cluster},
    {Use::check, "scheduling.k8s.io", "priorityclasses", "get", Right::Scope::of_cluster},
    {Use::check, "node.k8s.io", "runtimeclasses", "get", Right::Scope::of_cluster},
    {Use::check, "kueue.x-k8s.io", "clusterqueues", "get", Right::Scope::of_cluster},
    {Use::check, "trainer.kubeflow.org", "clustertrainingruntimes", "get",
     Right::Scope::of_cluster},
    // The code of submits that were cut off is handed to the jobs that use it, or deleted.
    {Use::code, "", k_jobs, "list"},
    {Use::code, "", "configmaps", "get list create patch delete"},
};

// The verbs that the uses need on one resource.
struct Grant {
  std::string group, resource;
  std::vector<std::string> verbs;
};

bool is_granted(const std::vector<Grant>& grants, const Grant& other) {
  return std::ranges::any_of(grants, [&other](const Grant& grant) {
    return grant.group == other.group && grant.resource == other.resource;
  });
}

// Several groups may have a resource of one name.
std::vector<std::string> verbs_on(const Right& wanted, std::span<const Use> uses) {
  std::vector<std::string> verbs;
  for (const std::string_view verb : k_verbs) {
    const bool is_needed = std::ranges::any_of(k_rights, [&](const Right& right) {
      return right.group == wanted.group && right.resource == wanted.resource &&
             std::ranges::find(uses, right.use) != uses.end() &&
             std::ranges::count(split(right.verbs, ' '), verb) > 0;
    });
    if (is_needed) verbs.emplace_back(verb);
  }
  return verbs;
}

// The resources of a row: several for the job kinds, whose versions share one.
std::vector<Grant> resources_of(const Right& right) {
  if (right.resource != k_jobs) {
    return {{std::string(right.group), std::string(right.resource), {}}};
  }
  std::vector<Grant> all;
  for (const job::Kind& kind : job::kinds()) {
    Grant grant{std::string(kind.resource.group), std::string(kind.resource.plural), {}};
    if (!is_granted(all, grant)) all.push_back(std::move(grant));
  }
  return all;
}

std::vector<Grant> grants_for(std::span<const Use> uses, Right::Scope scope) {
  std::vector<Grant> grants;
  for (const Right& right : k_rights) {
    if (right.scope != scope || std::ranges::find(uses, right.use) == uses.end()) continue;
    for (Grant& grant : resources_of(right)) {
      if (is_granted(grants, grant)) continue;
      grant.verbs = verbs_on(right, uses);
      grants.push_back(std::move(grant));
    }
  }
  return grants;
}

// Resources of one group with the same verbs share a rule.
Json rules_of(const std::vector<Grant>& grants) {
  Json rules = Json::array();
  for (const Grant& grant : grants) {
    const Json groups = Json::array({grant.group});
    const auto rule = std::ranges::find_if(rules, [&](const Json& other) {
      return other["apiGroups"] == groups && other["verbs"] == Json(grant.verbs);
    });
    if (rule != rules.end()) {
      (*rule)["resources"].push_back(grant.resource);
      continue;
    }
    rules.push_back({{"apiGroups", groups},
                     {"resources", Json::array({grant.resource})},
                     {"verbs", grant.verbs}});
  }
  return rules;
}

// "Role" or "ClusterRole"; a ClusterRole and its binding have no namespace, and so its name in
// theirs: the roles of one namespace leave those of another as they are.
std::string name_of(std::string_view kind, const std::string& name, const std::string& ns) {
  return kind.starts_with("Cluster") ? cat(name, "-", ns) : name;
}

Json named(std::string_view kind, const std::string& name, const std::string& ns) {
  Json object = {{"apiVersion", k_rbac_version},
                 {"kind", kind},
                 {"metadata", {{"name", name_of(kind, name, ns)}}}};
  if (!kind.starts_with("Cluster")) object["metadata"]["namespace"] = ns;
  return object;
}

Json binding(std::string_view role, const std::string& name, const std::string& ns,
             const std::string& account) {
  const Json subject = {{"kind", "ServiceAccount"}, {"name", account}, {"namespace", ns}};
  Json binding = named(cat(role, "Binding"), name, ns);
  binding["roleRef"] = {
      {"apiGroup", k_rbac_group}, {"kind", role}, {"name", name_of(role, name, ns)}};
  binding["subjects"] = Json::array({subject});
  return binding;
}

}  // namespace

std::vector<Json> roles_for(std::span<const Use> uses, const std::string& name,
                            const std::string& ns, const std::string& account) {
  std::vector<Json> documents;
  for (const auto& [scope, kind] : {std::pair(Right::Scope::of_namespace, "Role"),
                                    std::pair(Right::Scope::of_cluster, "ClusterRole")}) {
    Json rules = rules_of(grants_for(uses, scope));
    if (rules.empty()) continue;
    documents.push_back(named(kind, name, ns));
    documents.back()["rules"] = std::move(rules);
    if (!account.empty()) documents.push_back(binding(kind, name, ns, account));
  }
  return documents;
}

}  // namespace trainctl::work
