// Follows kube-scheduler's filters: NodeName, NodeUnschedulable, TaintToleration, NodeAffinity,
// NodeResourcesFit.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text/text.h"
#include "check/finding.h"
#include "check/judges.h"
#include "manifest/rerun.h"
#include "status/hints.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_required_terms =
    "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";

std::optional<long> number_in(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// `value`: null when the node has no such label.
bool expression_holds(const Json& expression, const Json* value) {
  const std::string operation = text_at(expression, "/operator");
  const Json& values = array_at(expression, "/values");
  const bool is_listed = value != nullptr && std::ranges::find(values, *value) != values.end();
  if (operation == "In") return is_listed;
  if (operation == "NotIn") return !is_listed;
  if (operation == "Exists") return value != nullptr;
  if (operation == "DoesNotExist") return value == nullptr;
  if (value == nullptr || values.size() != 1 || !values[0].is_string()) return false;
  const auto has = number_in(value->is_string() ? value->get<std::string>() : "");
  const auto bound = number_in(values[0].get<std::string>());
  if (!has || !bound) return false;
  return operation == "Gt" ? *has > *bound : operation == "Lt" && *has < *bound;
}

const Json* label_of(const Json& node, const std::string& key) {
  return find(node, cat("/metadata/labels/", pointer_step(key)));
}

bool term_holds(const Json& term, const Json& node) {
  const Json& labels = array_at(term, "/matchExpressions");
  const Json& fields = array_at(term, "/matchFields");
  if (labels.empty() && fields.empty()) return false;
  return std::ranges::all_of(labels,
                             [&node](const Json& one) {
                               return expression_holds(one, label_of(node, text_at(one, "/key")));
                             }) &&
         std::ranges::all_of(fields, [&node](const Json& one) {
           return expression_holds(one, find(node, "/metadata/name"));
         });
}

bool labels_match(const Json& node, const Json& pod_spec) {
  for (const auto& [key, value] : object_at(pod_spec, "/nodeSelector").items()) {
    const Json* label = label_of(node, key);
    if (label == nullptr || *label != value) return false;
  }
  const Json* terms = find(pod_spec, k_required_terms);
  if (terms == nullptr || !terms->is_array()) return true;
  return std::ranges::any_of(*terms, [&node](const Json& term) { return term_holds(term, node); });
}

bool tolerates(const Json& toleration, const Json& taint) {
  const std::string effect = text_at(toleration, "/effect");
  if (!effect.empty() && effect != text_at(taint, "/effect")) return false;
  const std::string key = text_at(toleration, "/key");
  const bool exists = text_at(toleration, "/operator") == "Exists";
  if (key.empty()) return exists;
  if (key != text_at(taint, "/key")) return false;
  return exists || text_at(toleration, "/value") == text_at(taint, "/value");
}

// Kubernetes itself sets and removes such taints as a node comes and goes.
bool comes_and_goes(const Json& taint) {
  const std::string key = text_at(taint, "/key");
  return key.starts_with("node.kubernetes.io/") ||
         key.starts_with("node.cloudprovider.kubernetes.io/");
}

// The first taint that keeps the pod away; null = none.
const Json* repelling_taint(const Json& node, const Json& pod_spec) {
  const Json& tolerations = array_at(pod_spec, "/tolerations");
  for (const Json& taint : array_at(node, "/spec/taints")) {
    if (text_at(taint, "/effect") == "PreferNoSchedule" || comes_and_goes(taint)) continue;
    const bool is_tolerated = std::ranges::any_of(
        tolerations, [&taint](const Json& one) { return tolerates(one, taint); });
    if (!is_tolerated) return &taint;
  }
  return nullptr;
}

Amounts offered_by(const Json& node) {
  return amounts_of(object_at(node, "/status/allocatable"));
}

bool is_device(std::string_view resource) {
  return resource.find('/') != std::string_view::npos;
}

Amounts asked_of_node(const Json& pod_spec, Scheduler scheduler) {
  Amounts asked = asked_by_pod(pod_spec);
  if (scheduler == Scheduler::embedded) {
    std::erase_if(asked, [](const auto& each) { return !is_device(each.first); });
  }
  asked["pods"] = 1000;
  return asked;
}

// The first resource of which the node offers less; "" = none. A resource that nobody asks for
// does not count.
std::string short_of(const Amounts& offered, const Amounts& asked) {
  for (const auto& [resource, amount] : asked) {
    const auto found = offered.find(resource);
    if (amount > (found == offered.end() ? 0 : found->second)) return resource;
  }
  return "";
}

// "no nvidia.com/gpu (2 nodes), the taint dedicated=infra (1 node)".
std::string listed_faults(const std::map<std::string, int>& faults) {
  std::vector<std::string> parts;
  for (const auto& [fault, count] : faults)
    parts.push_back(cat(fault, " (", plural(count, "node"), ")"));
  return join(parts, ", ");
}

// Orders pods by what is scarce: accelerators, then memory.
bool is_larger(const PredictedPod& one, const PredictedPod& other) {
  const auto size = [](const PredictedPod& each) {
    std::int64_t devices = 0;
    std::int64_t memory = 0;
    for (const auto& [resource, amount] : asked_by_pod(object_at(each.pod, "/spec"))) {
      if (is_device(resource)) devices += amount;
      if (resource == "memory") memory = amount;
    }
    return std::pair(devices, memory);
  };
  return size(one) > size(other);
}

// The number of pods that find a place if the nodes are empty: the largest pods first, each on the
// first node with room.
int placed(std::vector<PredictedPod> pods, const std::vector<Json>& nodes, Scheduler scheduler) {
  std::ranges::stable_sort(pods, is_larger);
  std::vector<Amounts> room;
  for (const Json& node : nodes) room.push_back(offered_by(node));
  int found = 0;
  for (const PredictedPod& each : pods) {
    const Json& spec = object_at(each.pod, "/spec");
    const Amounts asked = asked_of_node(spec, scheduler);
    std::size_t at = 0;
    for (int left = each.count; left > 0 && at < nodes.size();) {
      if (!short_of(room[at], asked).empty() || !node_fault(nodes[at], spec, scheduler).empty()) {
        ++at;
        continue;
      }
      add_amounts(room[at], asked, -1);
      ++found;
      --left;
    }
  }
  return found;
}

// Names, labels and taints keep the pod away, however small it is.
std::string placement_fault(const Json& node, const Json& pod_spec) {
  const std::string wanted = text_at(pod_spec, "/nodeName");
  if (!wanted.empty() && wanted != text_at(node, "/metadata/name")) return "another name";
  if (true_at(node, "/spec/unschedulable")) return "cordoned";
  if (avoids_node(pod_spec, text_at(node, "/metadata/name"))) return "excluded";
  if (!labels_match(node, pod_spec)) return "labels that do not match";
  const Json* taint = repelling_taint(node, pod_spec);
  if (taint == nullptr) return "";
  const std::string value = text_at(*taint, "/value");
  return printable_line(
      cat("the taint ", text_at(*taint, "/key"), value.empty() ? "" : "=", value));
}

std::string remedy_for(const std::vector<Json>& nodes, const Json& pod_spec, Scheduler scheduler) {
  const bool are_too_small = std::ranges::all_of(
      nodes, [&](const Json& node) { return placement_fault(node, pod_spec).empty(); });
  if (scheduler == Scheduler::embedded) {
    return are_too_small ? std::string(k_too_few_gpus_here)
                         : "leave out what chooses a node: this machine is the only one";
  }
  if (are_too_small) return "ask for less, or choose a cluster with larger nodes: --context NAME";
  const bool is_one_excluded = std::ranges::any_of(nodes, [&pod_spec](const Json& node) {
    return avoids_node(pod_spec, text_at(node, "/metadata/name"));
  });
  return cat("compare ", is_one_excluded ? "--exclude-node, " : "",
             "--node-selector, --toleration and the requests with: kubectl describe nodes");
}

// As --node does it.
bool asks_for_node(const Json& pod_spec, const std::string& node) {
  const Json& terms = array_at(pod_spec, k_required_terms);
  return std::ranges::any_of(terms, [&node](const Json& term) {
    return std::ranges::any_of(array_at(term, "/matchExpressions"), [&node](const Json& one) {
      return text_at(one, "/operator") == "In" &&
             text_at(one, "/key") == "kubernetes.io/hostname" &&
             std::ranges::count(array_at(one, "/values"), Json(node)) > 0;
    });
  });
}

// Roles whose pods fit no node, for one and the same reason.
struct Misfit {
  std::vector<std::string> roles;
  std::string fault, remedy;
};

void note_misfit(std::vector<Misfit>& misfits, const std::string& role, std::string fault,
                 std::string remedy) {
  const auto same = std::ranges::find_if(
      misfits, [&](const Misfit& each) { return each.fault == fault && each.remedy == remedy; });
  if (same != misfits.end()) return same->roles.push_back(role);
  misfits.push_back({{role}, std::move(fault), std::move(remedy)});
}

}  // namespace

std::string node_fault(const Json& node, const Json& pod_spec, Scheduler scheduler) {
  std::string placement = placement_fault(node, pod_spec);
  if (!placement.empty()) return placement;
  const Amounts offered = offered_by(node);
  const Amounts asked = asked_of_node(pod_spec, scheduler);
  const std::string resource = short_of(offered, asked);
  if (resource.empty()) return "";
  const auto has = offered.find(resource);
  if (has == offered.end() || has->second == 0) return printable_line(cat("no ", resource));
  return printable_line(cat("only ", amount_text(resource, has->second), " of ",
                            amount_text(resource, asked.at(resource)), " ", resource));
}

Findings judge_refusing(const std::vector<PredictedPod>& pods, const RefusingNode& node) {
  const bool may_get_one = std::ranges::any_of(pods, [&node](const PredictedPod& each) {
    return !avoids_node(object_at(each.pod, "/spec"), node.name);
  });
  if (!may_get_one) return {};
  const bool is_asked_for = std::ranges::any_of(pods, [&node](const PredictedPod& each) {
    return asks_for_node(object_at(each.pod, "/spec"), node.name);
  });
  return {{Severity::may_fail, "nodes", node.words(),
           is_asked_for ? cat("choose another node than --node ", printable_line(node.name))
                        : cat("keep the job off it: --exclude-node ", printable_line(node.name))}};
}

Findings judge_nodes(const std::vector<PredictedPod>& pods, const std::vector<Json>& nodes,
                     Scheduler scheduler) {
  const Severity severity = scheduler == Scheduler::embedded ? Severity::fails : Severity::may_fail;
  std::vector<Misfit> misfits;
  int total = 0;
  for (const PredictedPod& each : pods) {
    total += each.count;
    const Json& spec = object_at(each.pod, "/spec");
    std::map<std::string, int> faults;
    for (const Json& node : nodes) {
      std::string fault = node_fault(node, spec, scheduler);
      if (fault.empty()) {
        faults.clear();
        break;
      }
      ++faults[std::move(fault)];
    }
    if (faults.empty() && !nodes.empty()) continue;
    note_misfit(misfits, each.role, faults.empty() ? "the cluster has none" : listed_faults(faults),
                remedy_for(nodes, spec, scheduler));
  }
  if (!misfits.empty()) {
    Findings findings;
    for (Misfit& misfit : misfits) {
      findings.push_back(
          {severity, "nodes",
           cat("no node could host a ", join(misfit.roles, " or a "), ": ", misfit.fault),
           std::move(misfit.remedy), Code::not_started});
    }
    return findings;
  }
  const int found = placed(pods, nodes, scheduler);
  if (found < total) {
    return {{Severity::may_fail, "nodes",
             cat("the nodes could host ", found, " of the ", total,
                 " replicas at once, if they were empty"),
             "ask for fewer --workers, or for less per replica", Code::not_started}};
  }
  if (pods.empty()) return {};
  return {{Severity::passes, "nodes",
           cat("large enough for ", plural(total, "replica"), " when they are free")}};
}

}  // namespace trainctl::job
