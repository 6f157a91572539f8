// The rules of training-operator 1.9's webhooks, one table row per kind.
#include "local/api/webhook.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "local/api/name_rules.h"
#include "local/api/object_meta.h"

namespace trainctl::local {

namespace {

using Faults = std::vector<FieldFault>;

enum class ManagedBy {
  unchecked,
  checked,
  fixed
};  // fixed: checked, and an update may not move it

struct Webhook {
  std::string_view alias;  // alias of the kind
  ManagedBy managed_by = ManagedBy::checked;
  bool known_roles = true;            // refuses roles the kind does not have
  bool one_leader_role = false;       // at most one of the roles that lead
  std::string_view present = "";      // a role that must exist
  std::string_view exactly_one = "";  // a role whose count must be written, as 1
  bool others_need_one = false;       // other roles may not have a count below 1
  bool quotes_container = false;      // its message quotes the container's name
  std::string_view elastic = "";      // pointer to the policy that needs workers
};

constexpr Webhook k_webhooks[] = {
    {.alias = "pytorch",
     .exactly_one = "Master",
     .others_need_one = true,
     .elastic = "/spec/elasticPolicy"},
    {.alias = "tf", .managed_by = ManagedBy::fixed, .known_roles = false, .one_leader_role = true},
    {.alias = "xgboost",
     .managed_by = ManagedBy::fixed,
     .present = "Master",
     .exactly_one = "Master"},
    {.alias = "paddle", .managed_by = ManagedBy::fixed, .quotes_container = true},
    {.alias = "jax", .managed_by = ManagedBy::unchecked},
};

constexpr std::string_view k_managers[] = {"kueue.x-k8s.io/multikueue",
                                           "kubeflow.org/training-operator"};

std::string unsupported(std::string_view value, const std::vector<std::string>& supported) {
  std::vector<std::string> quoted;
  for (const std::string& one : supported) quoted.push_back(dump(one));
  return cat("Unsupported value: ", dump(std::string(value)),
             ": supported values: ", join(quoted, ", "));
}

// Converts "/spec/x" to the form of field paths, "spec.x".
std::string dotted(std::string_view pointer) {
  std::string path(pointer.substr(std::min<std::size_t>(1, pointer.size())));
  std::replace(path.begin(), path.end(), '/', '.');
  return path;
}

class Review {
 public:
  Review(const Webhook& hook, const job::Kind& kind, const Json& object)
      : hook_(hook), kind_(kind), object_(object), map_(dotted(kind.replica_specs)) {}

  void name() {
    const std::string name = text_at(object_, "/metadata/name");
    const std::vector<std::string> wrong = dns_1035_faults(name);
    if (wrong.empty()) return;
    faults.push_back(invalid_value("metadata.name", name, cat("should match: ", join(wrong, ","))));
  }

  void manager(const Json* before) {
    if (hook_.managed_by == ManagedBy::unchecked) return;
    const std::string pointer = cat(kind_.controller.run_policy, "/managedBy");
    const std::string path = dotted(pointer);
    const Json* now = find(object_, pointer);
    const Json* then = before == nullptr ? nullptr : find(*before, pointer);
    const bool same = now == nullptr || then == nullptr ? now == then : *now == *then;
    if (before != nullptr && hook_.managed_by == ManagedBy::fixed && !same) {
      faults.push_back(
          invalid_value(path, now == nullptr ? Json(nullptr) : *now, "field is immutable"));
    }
    if (now == nullptr) return;
    const std::string value = text_at(*now, "");
    if (std::ranges::find(k_managers, value) != std::end(k_managers)) {
      return;
    }
    faults.push_back({path, unsupported(value, {std::begin(k_managers), std::end(k_managers)})});
  }

  void elastic_policy() {
    const Json* policy = hook_.elastic.empty() ? nullptr : find(object_, hook_.elastic);
    if (policy == nullptr) return;
    if (find(object_, cat(kind_.replica_specs, "/Worker")) == nullptr) {
      faults.push_back(
          {cat(map_, "[Worker]"), "Required value: must be configured if elastic policy is used"});
    }
    if (find(*policy, "/nProcPerNode") == nullptr) return;
    const std::string old_path = cat(dotted(hook_.elastic), ".nProcPerNode");
    const std::string new_path = dotted(kind_.processes_per_pod);
    warnings.push_back(cat(old_path, " is deprecated, use ", new_path, " instead"));
    if (find(object_, kind_.processes_per_pod) == nullptr) return;
    faults.push_back({old_path, cat("Forbidden: must not be used with ", new_path)});
  }

  void replicas() {
    if (find(object_, kind_.replica_specs) == nullptr) {
      faults.push_back({map_, "Required value: must be required"});
    }
    const Json& specs = object_at(object_, kind_.replica_specs);
    for (const auto& [role, spec] : specs.items()) replica(role, spec);
    if (!hook_.present.empty() && !specs.contains(hook_.present)) {
      faults.push_back({cat(map_, '[', hook_.present, ']'), "Required value: must be present"});
    }
    const auto leads = [&](const job::Role& role) {
      return role.leads() && specs.contains(role.name);
    };
    if (hook_.one_leader_role && std::ranges::count_if(kind_.roles, leads) > 1) {
      faults.push_back({map_, "Forbidden: must not have more than 1 Chief or Master role"});
    }
  }

  Faults faults;
  std::vector<std::string> warnings;

 private:
  void replica(const std::string& role, const Json& spec) {
    const std::string path = cat(map_, '[', role, ']');
    if (hook_.known_roles) known_role(role, path);
    containers(array_at(spec, "/template/spec/containers"), path + ".template.spec.containers");
    const auto count = int_at(spec, "/replicas");
    if (role == hook_.exactly_one && count != 1) {
      faults.push_back({path + ".replicas", "Forbidden: must be 1"});
    }
    if (role != hook_.exactly_one && hook_.others_need_one && count && *count < 1) {
      faults.push_back({path + ".replicas", "Forbidden: must be at least 1"});
    }
  }

  void known_role(const std::string& role, const std::string& path) {
    std::vector<std::string> names;
    for (const job::Role& known : kind_.roles) names.emplace_back(known.name);
    if (std::ranges::find(names, role) != names.end()) return;
    faults.push_back({path, unsupported(role, names)});
  }

  void containers(const Json& list, const std::string& path) {
    if (list.empty()) faults.push_back({path, "Required value: must be specified"});
    bool found = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (text_at(list[i], "/image").empty()) {
        faults.push_back({cat(path, '[', i, "].image"), "Required value: must be required"});
      }
      found = found || text_at(list[i], "/name") == kind_.container;
    }
    if (found) return;
    const std::string quote = hook_.quotes_container ? "\"" : "";
    faults.push_back({path, cat("Required value: must have at least one container with name ",
                                quote, kind_.container, quote)});
  }

  const Webhook& hook_;
  const job::Kind& kind_;
  const Json& object_;
  std::string map_;
};

// Joins messages like apimachinery's Aggregate: each once, in brackets when there are several.
std::string aggregate(const Faults& faults) {
  std::vector<std::string> messages;
  for (const FieldFault& fault : faults) {
    std::string message = cat(fault.field, ": ", fault.message);
    if (std::ranges::find(messages, message) != messages.end()) continue;
    messages.push_back(std::move(message));
  }
  return messages.size() == 1 ? messages.front() : cat('[', join(messages, ", "), ']');
}

}  // namespace

WebhookAnswer ask_webhook(const job::Kind& kind, const Json& object, const Json* before) {
  const auto* const hook =
      std::ranges::find_if(k_webhooks, [&](const Webhook& row) { return row.alias == kind.alias; });
  if (hook == std::end(k_webhooks)) return {};
  Review review(*hook, kind, object);
  review.name();
  review.manager(before);
  review.elastic_policy();
  review.replicas();
  WebhookAnswer answer;
  answer.warnings = std::move(review.warnings);
  if (review.faults.empty()) return answer;
  answer.denial =
      cat("admission webhook \"validator.", lower(kind.resource.kind),
          ".training-operator.kubeflow.org\" denied the request: ", aggregate(review.faults));
  return answer;
}

}  // namespace trainctl::local
