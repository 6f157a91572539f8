// Searches manifests by the names of fields, which mean the same wherever they stand.
#include "manifest/node_rights.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text/text.h"
#include "manifest/companions.h"
#include "manifest/manifest.h"
#include "manifest/program.h"

namespace trainctl::job {
namespace {

void add_once(std::vector<std::string>& words, std::string word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
}

constexpr std::array<std::string_view, 6> k_switches = {
    "hostNetwork", "hostPID", "hostIPC", "privileged", "hostProcess", "allowPrivilegeEscalation"};
constexpr std::array<std::string_view, 6> k_values = {
    "runAsUser", "runAsGroup", "runAsUserName", "mountPropagation", "hostPort", "procMount"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string value_words(const Json& value) {
  return printable_line(value.is_string() ? value.get<std::string>() : dump(value));
}

void read_right(std::string_view name, const Json& value, std::vector<std::string>& rights) {
  if (is_one_of(k_switches, name) && value == true) add_once(rights, std::string(name));
  const bool is_set = value.is_number() || (value.is_string() && value != "" && value != "None");
  if (is_one_of(k_values, name) && is_set && value != "Default") {
    add_once(rights, cat(name, " ", value_words(value)));
  }
  if (name == "hostPath" && value.is_object()) {
    add_once(rights, cat("hostPath ", printable_line(text_at(value, "/path"))));
  }
  if (name == "nfs" && value.is_object()) {
    add_once(rights, cat("nfs ", printable_line(text_at(value, "/server"))));
  }
  if (name == "capabilities") {
    for (const Json& added : array_at(value, "/add")) {
      add_once(rights, cat("capability ", value_words(added)));
    }
  }
  const bool confines = name == "seccompProfile" || name == "appArmorProfile";
  if (confines && text_at(value, "/type") == "Unconfined") {
    add_once(rights, cat(name, " Unconfined"));
  }
  const bool is_profile =
      name.starts_with("container.apparmor.") || name.starts_with("container.seccomp.");
  if (is_profile && value == "unconfined")
    add_once(rights, cat(printable_line(name), " unconfined"));
}

void search_rights(const Json& value, std::vector<std::string>& rights) {
  for (const auto& [name, inner] : value.items()) {
    if (value.is_object()) read_right(name, inner, rights);
    if (inner.is_structured()) search_rights(inner, rights);
  }
}

// Queues and servers write these: places, counts, names of ports and the versions of references.
constexpr std::array<std::string_view, 21> k_not_of_the_program = {
    "nodeSelector",    "tolerations", "affinity",          "topologySpreadConstraints",
    "schedulingGates", "priority",    "priorityClassName", "schedulerName",
    "labels",          "protocol",    "numNodes",          "numProcPerNode",
    "manager",         "time",        "apiVersion",        "apiGroup",
    "optional",        "defaultMode", "creationTimestamp", "restartPolicy",
    "preemptionPolicy"};
constexpr std::string_view k_queue_annotation = "kueue.x-k8s.io/";

bool is_default(std::string_view name, const Json& value) {
  return value.is_null() || (value.is_structured() && value.empty()) ||
         (name == "name" && value == "");
}

// Lists of patches, to which a queue adds places: an entry of which only the target is left says
// nothing.
constexpr std::array<std::string_view, 4> k_patches = {"replicatedJobs", "runtimePatches",
                                                       "podTemplateOverrides", "podSpecOverrides"};

bool only_targets(const Json& patch) {
  return std::ranges::all_of(patch.items(), [](const auto& part) {
    return part.key() == "name" || part.key() == "targetJobs";
  });
}

Json of_the_program(const Json& value, std::string_view field = "");

Json list_of_the_program(const Json& list, std::string_view field) {
  Json kept = Json::array();
  for (const Json& inner : list) {
    Json part = of_the_program(inner);
    if (!is_one_of(k_patches, field) || !only_targets(part)) kept.push_back(std::move(part));
  }
  return kept;
}

// Servers order fields by their names.
Json of_the_program(const Json& value, std::string_view field) {
  if (value.is_array()) return list_of_the_program(value, field);
  if (!value.is_object()) return value;
  std::map<std::string, Json> kept;
  for (const auto& [name, inner] : value.items()) {
    if (is_one_of(k_not_of_the_program, name) || name.starts_with(k_queue_annotation)) continue;
    Json part = of_the_program(inner, name);
    if (!is_default(name, part)) kept.emplace(name, std::move(part));
  }
  Json object = Json::object();
  for (auto& [name, part] : kept) object[name] = std::move(part);
  return object;
}

void add_program(const Json& container, std::vector<std::string>& words) {
  if (const std::string image = text_at(container, "/image"); !image.empty()) {
    add_once(words, cat("image ", printable_line(image)));
  }
  std::vector<std::string> program;
  for (const char* list : {"/command", "/args"}) {
    for (const Json& word : array_at(container, list)) {
      program.push_back(shell_quoted(word.is_string() ? word.get<std::string>() : dump(word)));
    }
  }
  if (!program.empty()) add_once(words, cat("program ", printable_line(join(program, " "))));
}

// By name: the values that it has in any container, with their sources.
using ValuesByName = std::map<std::string, std::set<std::string>>;

void find_variables(const Json& value, ValuesByName& found) {
  for (const auto& [name, inner] : value.items()) {
    const bool is_list = value.is_object() && name == "env" && inner.is_array();
    if (!is_list && inner.is_structured()) find_variables(inner, found);
    if (!is_list) continue;
    for (const Json& variable : inner) found[text_at(variable, "/name")].insert(dump(variable));
  }
}

}  // namespace

std::vector<std::string> changed_variables(const Json& program, const Json& other) {
  ValuesByName left, right;
  find_variables(program, left);
  find_variables(other, right);
  std::set<std::string> names;
  const auto add_changed = [&names](const ValuesByName& from, const ValuesByName& in) {
    for (const auto& [name, values] : from) {
      const auto same = in.find(name);
      if (same == in.end() || same->second != values) names.insert(printable_line(name));
    }
  };
  add_changed(left, right);
  add_changed(right, left);
  return {names.begin(), names.end()};
}

std::vector<std::string> node_rights(const Json& manifest) {
  std::vector<std::string> rights;
  search_rights(manifest, rights);
  return rights;
}

Json program_of_pods(const Kind& kind, const Json& manifest) {
  if (runs_by_runtime(kind)) {
    Json spec = object_at(manifest, "/spec");
    for (const char* part : {"suspend", "managedBy", "activeDeadlineSeconds"}) spec.erase(part);
    // The server fills it in.
    if (text_at(spec, "/runtimeRef/kind").empty()) {
      set_at(spec, "/runtimeRef/kind", k_cluster_training_runtimes.kind);
    }
    return of_the_program(spec);
  }
  Json program = Json::object();
  for (const Replica& replica : replicas_of(kind, manifest)) {
    if (const Json* pods = find(*replica.spec, "/template")) program[replica.key] = *pods;
  }
  return of_the_program(program);
}

std::vector<std::string> program_words(const Kind& kind, const Json& manifest) {
  std::vector<std::string> words;
  if (const Json* program = find(manifest, k_runtime_program)) add_program(*program, words);
  for (const Replica& replica : replicas_of(kind, manifest)) {
    for (const char* list : {"/initContainers", "/containers"}) {
      for (const Json& container : array_at(*replica.spec, cat(k_pod_spec, list))) {
        add_program(container, words);
      }
    }
    const std::string account = text_at(*replica.spec, cat(k_pod_spec, "/serviceAccountName"));
    if (!account.empty()) add_once(words, cat("service account ", printable_line(account)));
  }
  for (std::string& right : node_rights(manifest)) words.push_back(std::move(right));
  return words;
}

}  // namespace trainctl::job
