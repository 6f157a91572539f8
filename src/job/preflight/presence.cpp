// Says for each kind of object how to make one.
#include "job/preflight/presence.h"

#include <array>

#include "base/text/text.h"
#include "job/manifest/companions.h"

namespace trainctl::job {
namespace {

struct Making {
  std::string_view plural;
  std::string_view command;  // completed by the object's name; "" = see `otherwise`
  std::string_view otherwise = "";
};
constexpr std::array k_makings = {
    Making{"configmaps", "kubectl create configmap"},
    Making{"secrets", "kubectl create secret generic"},
    Making{"serviceaccounts", "kubectl create serviceaccount"},
    Making{"persistentvolumeclaims", "",
           "create the claim, or list those that exist: kubectl get pvc"},
    Making{"priorityclasses", "", "list those that exist: kubectl get priorityclasses"},
    Making{"runtimeclasses", "", "list those that exist: kubectl get runtimeclasses"},
};

bool has_key(const Json& object, const std::string& key) {
  for (const char* data : {"/data", "/binaryData", "/stringData"}) {
    if (find(object, cat(data, '/', pointer_step(key))) != nullptr) return true;
  }
  return false;
}

}  // namespace

std::string remedy_for_missing(const NeededObject& needed, const std::string& ns) {
  const std::string place = needed.is_namespaced() ? cat(" -n ", shell_quoted(ns)) : "";
  if (needed.need == Need::image_pull) {
    return cat("kubectl create secret docker-registry ", shell_quoted(needed.name), place);
  }
  for (const Making& making : k_makings) {
    if (making.plural != needed.resource.plural) continue;
    return making.command.empty() ? cat(making.otherwise, place)
                                  : cat(making.command, ' ', shell_quoted(needed.name), place);
  }
  return "";
}

Findings judge_missing(const NeededObject& needed, const std::string& ns) {
  const std::string where = needed.is_namespaced() ? cat(" in namespace ", ns) : "";
  if (needed.need == Need::image_pull) {
    return {{Prospect::may_fail, needed.title(),
             cat("does not exist", where, ": images are pulled without its credentials"),
             remedy_for_missing(needed, ns), Code::not_found}};
  }
  return {{Prospect::fails, needed.title(), cat("does not exist", where),
           remedy_for_missing(needed, ns), Code::not_found}};
}

Findings judge_present(const NeededObject& needed, const Json& object) {
  std::vector<std::string> missing;
  for (const std::string& key : needed.keys) {
    if (!has_key(object, key)) missing.push_back(printable_line(key));
  }
  if (missing.empty()) return {{Prospect::passes, needed.title(), "exists"}};
  return {{Prospect::fails, needed.title(), cat("has no key ", join(missing, ", ")),
           "add the key, or name one that it has", Code::not_found}};
}

}  // namespace trainctl::job
