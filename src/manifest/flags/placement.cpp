// Builds flags that say where a job's pods run: on which nodes, near or far from each other.
#include <algorithm>
#include <array>
#include <vector>

#include "base/text/text.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/values.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_host_label = "kubernetes.io/hostname";

// All values of a flag that count for the role: those of the role itself, else those of every role.
std::vector<std::string> values_for(const PatchInput& input, std::string_view flag) {
  std::vector<std::string> all;
  bool for_role = false;
  for (const FlagUse& use : input.uses) {
    const bool exact = use.role != nullptr && use.role == input.role;
    if (use.flag->name != flag || (use.role != nullptr && !exact)) continue;
    if (exact && !for_role) all.clear();
    if (for_role && !exact) continue;
    for_role = exact;
    all.insert(all.end(), use.values.begin(), use.values.end());
  }
  return all;
}

Status add_hosts(const PatchInput& input, std::string_view flag, std::string_view operation,
                 Json& expressions) {
  const std::vector<std::string> hosts = values_for(input, flag);
  if (hosts.empty()) return {};
  for (const std::string& host : hosts) {
    if (const auto fault = label_value_fault(host); !fault.empty()) {
      const bool is_list = host.find(',') != std::string::npos;
      return bad_value(host, fault,
                       is_list ? cat("repeat --", flag, " for each node")
                               : cat("name a node, as in --", flag, " gpu-node-1"));
    }
  }
  expressions.push_back({{"key", k_host_label}, {"operator", operation}, {"values", hosts}});
  return {};
}

// Refuses a line that leaves the pods no node at all.
Status check_nodes_left(const PatchInput& input) {
  const std::vector<std::string> wanted = values_for(input, "node");
  const std::vector<std::string> excluded = values_for(input, "exclude-node");
  const auto is_excluded = [&excluded](const std::string& node) {
    return std::ranges::find(excluded, node) != excluded.end();
  };
  if (wanted.empty() || !std::ranges::all_of(wanted, is_excluded)) return {};
  return Error{Code::usage,
               cat("no node is left: --exclude-node names all that --node allows (",
                   printable_line(join(wanted, ", ")), ")"),
               "leave out one of them"};
}

struct Level {
  bool required = false;
  std::string label;
};

// Parses "[required=|preferred=]LEVEL"; a level is a label of nodes, or a word for a usual one.
Result<Level> level_from(std::string_view text) {
  Level level;
  level.label = std::string(text);
  const Halves halves = split_once(text, '=');
  if (halves.found) {
    level.required = halves.first == "required";
    level.label = halves.second;
    if (!level.required && halves.first != "preferred") {
      return bad_value(text, "is not [required=|preferred=]LEVEL", "write it like required=zone");
    }
  }
  if (level.label == "node") level.label = k_host_label;
  if (level.label == "zone") level.label = "topology.kubernetes.io/zone";
  if (level.label == "region") level.label = "topology.kubernetes.io/region";
  if (const auto fault = qualified_name_fault(level.label); !fault.empty()) {
    return bad_value(text, cat("is not a node label: it ", fault), "write node, zone or a label");
  }
  return level;
}

// Pods of the same job, whatever the cluster will call it: a generated name is not known yet.
Json pods_of_this_job() {
  const Json any = {{"key", k_label_index}, {"operator", "Exists"}};
  return {{"labelSelector", {{"matchExpressions", Json::array({any})}}},
          {"matchLabelKeys", Json::array({k_label_job_name})}};
}

Json packed(const Level& level) {
  Json term = pods_of_this_job();
  term["topologyKey"] = level.label;
  Json affinity;
  if (level.required) {
    affinity["requiredDuringSchedulingIgnoredDuringExecution"] = Json::array({std::move(term)});
  } else {
    constexpr int k_most_weight = 100;
    affinity["preferredDuringSchedulingIgnoredDuringExecution"] =
        Json::array({{{"weight", k_most_weight}, {"podAffinityTerm", std::move(term)}}});
  }
  return {{"affinity", {{"podAffinity", std::move(affinity)}}}};
}

Result<Json> packed_at(std::string_view text) {
  TRY_ASSIGN(const Level level, level_from(text));
  return packed(level);
}

// Pods that must share a node, a zone, … cannot be spread over several.
Status check_not_packed(const PatchInput& input, const Level& spread) {
  const std::vector<std::string> packs = values_for(input, "pack");
  if (packs.empty()) return {};
  const auto pack = level_from(packs.back());
  if (!pack || !pack->required || pack->label != spread.label) return {};
  return Error{Code::usage, cat("contradicts --pack ", printable_line(packs.back())),
               "write preferred= in one of them, or leave it out"};
}

}  // namespace

// --node and --exclude-node fill one list, which is replaced as a whole.
Result<Json> build_nodes(const PatchInput& input) {
  TRY(check_nodes_left(input));
  Json expressions = Json::array();
  TRY(add_hosts(input, "node", "In", expressions));
  TRY(add_hosts(input, "exclude-node", "NotIn", expressions));
  Json patch;
  const Json term = {{"matchExpressions", std::move(expressions)}};
  patch["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
       ["nodeSelectorTerms"] = Json::array({term});
  return patch;
}

Result<Json> build_pack(const PatchInput& input) {
  return packed_at(input.values.back());
}

Result<Json> build_pack_required(const PatchInput& input) {
  return packed_at(cat("required=", input.values.back()));
}

Result<Json> build_pack_preferred(const PatchInput& input) {
  return packed_at(cat("preferred=", input.values.back()));
}

Result<Json> build_spread(const PatchInput& input) {
  TRY_ASSIGN(const Level level, level_from(input.values.back()));
  if (level.required) TRY(check_not_packed(input, level));
  Json constraint = pods_of_this_job();
  constraint["maxSkew"] = 1;
  constraint["topologyKey"] = level.label;
  constraint["whenUnsatisfiable"] = level.required ? "DoNotSchedule" : "ScheduleAnyway";
  return Json{{"topologySpreadConstraints", Json::array({std::move(constraint)})}};
}

}  // namespace trainctl::job
