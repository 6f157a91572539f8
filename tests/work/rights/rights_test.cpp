// A Role would lack a verb that a use needs, or grant one that none of them does.
#include "work/rights/rights.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "manifest/kind/kind.h"

namespace trainctl::work {
namespace rights_test {

// "get list" for the resource; "" = no rule names it.
std::string verbs_for(const Json& role, std::string_view group, std::string_view resource) {
  std::string verbs;
  for (const Json& rule : role["rules"]) {
    if (rule["apiGroups"] != Json::array({group})) continue;
    for (const Json& each : rule["resources"]) {
      if (each == resource) verbs += join(rule["verbs"].get<std::vector<std::string>>(), " ");
    }
  }
  return verbs;
}

Json role_of(std::vector<Use> uses) {
  return roles_for(uses, "trainctl", "ml").front();
}

TEST_CASE("each use has the verbs that it needs, and no other use's") {
  struct Row {
    std::vector<Use> uses;
    std::string_view group, resource, verbs;
  };
  const std::vector<Row> rows = {
      {{Use::submit}, "kubeflow.org", "pytorchjobs", "get list create"},
      {{Use::submit}, "", "pods", "list"},
      {{Use::submit}, "", "pods/log", ""},
      {{Use::follow}, "kubeflow.org", "pytorchjobs", "get list watch"},
      {{Use::follow}, "", "pods/log", "get"},
      {{Use::follow}, "", "pods/exec", ""},
      {{Use::follow}, "kueue.x-k8s.io", "workloads", "list"},
      {{Use::cancel}, "kubeflow.org", "pytorchjobs", "get list delete"},
      {{Use::change}, "kubeflow.org", "pytorchjobs", "get list patch"},
      {{Use::change}, "kueue.x-k8s.io", "workloads", "list patch"},
      {{Use::exec}, "", "pods/exec", "get create"},
      {{Use::exec}, "", "pods", "list"},
      {{Use::attach}, "", "pods/attach", "get create"},
      {{Use::attach}, "", "pods/exec", ""},
      {{Use::forward}, "", "pods/portforward", "get create"},
      {{Use::fetch}, "", "persistentvolumeclaims", "get"},
      {{Use::fetch}, "", "pods", "get list watch create delete"},
      {{Use::code}, "", "configmaps", "get list create patch delete"},
      {{Use::code}, "", "secrets", ""},
      {{Use::usage}, "metrics.k8s.io", "pods", "list"},
      {{Use::usage}, "", "pods", "list"},
      {{Use::usage}, "", "pods/log", ""},
      {{Use::submit, Use::follow}, "kubeflow.org", "pytorchjobs", "get list watch create"},
      {{Use::follow, Use::submit}, "kubeflow.org", "pytorchjobs", "get list watch create"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.group);
    CAPTURE(row.resource);
    CHECK(verbs_for(role_of(row.uses), row.group, row.resource) == row.verbs);
  }
}

TEST_CASE("a use covers the jobs of every kind, each once") {
  for (const job::Kind& kind : job::kinds()) {
    CAPTURE(kind.resource.kind);
    CHECK(verbs_for(role_of({Use::submit}), kind.resource.group, kind.resource.plural) ==
          "get list create");
  }
}

TEST_CASE("no rule grants everything, whatever the uses are") {
  const std::string text = role_of({Use::submit, Use::follow, Use::cancel, Use::exec, Use::attach,
                                    Use::forward, Use::fetch, Use::code, Use::change, Use::usage})
                               .dump();
  CHECK(text.find('*') == std::string::npos);
}

TEST_CASE("the binding names the Role and an account of its namespace") {
  constexpr Use k_use[] = {Use::submit};
  const Json binding = roles_for(k_use, "trainctl", "ml", "ci").at(1);
  CHECK(binding["roleRef"]["name"] == "trainctl");
  CHECK(binding["subjects"][0]["name"] == "ci");
  CHECK(binding["subjects"][0]["namespace"] == "ml");
}

}  // namespace rights_test
}  // namespace trainctl::work
