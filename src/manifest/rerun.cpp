// Keeps what a user may have written, and drops the rest by name.
#include "manifest/rerun.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "manifest/environment.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/persistent_volumes.h"
#include "manifest/render.h"
#include "manifest/secrets.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_node_terms =
    "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
constexpr std::string_view k_hostname_label = "kubernetes.io/hostname";

void for_each_pod_spec(const Kind& kind, Json& manifest,
                       const std::function<void(Json& spec, const std::string& main)>& change) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const std::string main = training_container(kind, *replica.spec);
    Json* spec = find_in(manifest, cat(replica.pointer, k_pod_spec));
    if (spec != nullptr && spec->is_object()) change(*spec, main);
  }
}

Json* find_main(Json& spec, const std::string& name) {
  Json* containers = find_in(spec, "/containers");
  if (containers == nullptr || !containers->is_array()) return nullptr;
  const auto found = std::ranges::find_if(
      *containers, [&name](const Json& one) { return text_at(one, "/name") == name; });
  return found == containers->end() ? nullptr : &*found;
}

bool is_mark(const Json& variable) {
  const std::string_view name = view_at(variable, "/name");
  return name == k_attempt_variable || name == k_resume_variable;
}

void remove_marks(Json& container) {
  Json* variables = find_in(container, "/env");
  if (variables == nullptr || !variables->is_array()) return;
  const auto marks = std::ranges::remove_if(*variables, is_mark);
  if (marks.empty()) return;
  variables->erase(marks.begin(), marks.end());
  if (variables->empty()) container.erase("env");
}

// The first mount, in the order of the flags, that can be written and outlives the pod.
std::optional<std::string> resume_path(const Json& spec, const Json& container) {
  const auto lasting = lasting_mounts(spec, container);
  for (const Json& mount : array_at(container, "/volumeMounts")) {
    const auto found = std::ranges::find_if(lasting, [&mount](const LastingMount& one) {
      return view_at(one.mount, "/mountPath") == view_at(mount, "/mountPath");
    });
    if (found != lasting.end() && !true_at(mount, "/readOnly")) return found->path;
  }
  return std::nullopt;
}

}  // namespace

void mark_attempt(const Kind& kind, Json& manifest, int attempt) {
  for_each_pod_spec(kind, manifest, [attempt](Json& spec, const std::string& main) {
    Json* container = find_main(spec, main);
    if (container == nullptr) return;
    remove_marks(*container);
    const auto path = attempt > 1 ? resume_path(spec, *container) : std::nullopt;
    Json& variables = (*container)["env"];
    if (!variables.is_array()) variables = Json::array();
    variables.push_back(kube::variable(k_attempt_variable, attempt));
    if (path) variables.push_back(kube::variable(k_resume_variable, *path));
  });
}

std::optional<int> attempt_of(const Kind& kind, const Json& job) {
  for (const Replica& replica : replicas_of(kind, job)) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    if (container == nullptr) continue;
    for (const Json& variable : array_at(*container, "/env")) {
      if (view_at(variable, "/name") != k_attempt_variable) continue;
      return parse_number<int>(view_at(variable, "/value"));
    }
  }
  return std::nullopt;
}

bool restarts_itself(const Kind& kind, const Json& manifest) {
  const bool has_no_retry = int_at(manifest, cat(kind.controller.run_policy, "/backoffLimit")) == 0;
  const auto replicas = replicas_of(kind, manifest);
  return std::ranges::any_of(replicas, [has_no_retry](const Replica& replica) {
    const std::string policy = restart_policy_of(replica);
    return policy == "ExitCode" || (policy != "Never" && !has_no_retry);
  });
}

bool avoids_node(const Json& pod_spec, const std::string& node) {
  const auto names_it = [&node](const Json& one) {
    const Json& values = array_at(one, "/values");
    return text_at(one, "/operator") == "NotIn" && std::ranges::count(values, Json(node)) > 0;
  };
  const Json& terms = array_at(pod_spec, k_node_terms);
  return !terms.empty() && std::ranges::all_of(terms, [&names_it](const Json& term) {
    return std::ranges::any_of(array_at(term, "/matchExpressions"), names_it) ||
           std::ranges::any_of(array_at(term, "/matchFields"), names_it);
  });
}

void avoid_node(const Kind& kind, Json& manifest, const std::string& node) {
  const Json expression = {
      {"key", k_hostname_label}, {"operator", "NotIn"}, {"values", Json::array({node})}};
  for_each_pod_spec(kind, manifest, [&expression](Json& spec, const std::string&) {
    Json* terms = find_in(spec, k_node_terms);
    if (terms == nullptr || !terms->is_array() || terms->empty()) {
      set_at(spec, k_node_terms, Json::array({Json{{"matchExpressions", {expression}}}}));
      return;
    }
    // A node may match any of the terms.
    for (Json& term : *terms) {
      Json& expressions = term["matchExpressions"];
      if (!expressions.is_array()) expressions = Json::array();
      expressions.push_back(expression);
    }
  });
}

namespace {

constexpr std::array k_metadata_of_the_server = {"uid",
                                                 "resourceVersion",
                                                 "generation",
                                                 "creationTimestamp",
                                                 "selfLink",
                                                 "managedFields",
                                                 "ownerReferences",
                                                 "deletionTimestamp",
                                                 "finalizers",
                                                 "deletionGracePeriodSeconds"};

// Marks of one submission, and what `kubectl apply` compares with.
constexpr std::array<std::string_view, 3> k_annotations_of_a_run = {
    k_submission_annotation, k_lineage_annotation,
    "kubectl.kubernetes.io/last-applied-configuration"};

// A run of a run is named after the first of them.
std::string stem_of(const Json& job) {
  const std::string generated = text_at(job, "/metadata/generateName");
  return generated.empty() ? text_at(job, "/metadata/name") + '-' : generated;
}

// Without what the server and the first run have written into it.
Json written_by_the_user(const Json& job) {
  Json manifest = job;
  manifest.erase("status");
  Json& metadata = manifest["metadata"];
  for (const char* field : k_metadata_of_the_server) metadata.erase(field);
  if (!object_at(manifest, "/metadata/annotations").empty()) {
    Json& annotations = metadata["annotations"];
    for (const std::string_view key : k_annotations_of_a_run) annotations.erase(std::string(key));
  }
  return manifest;
}

void unmark_attempt(const Kind& kind, Json& manifest) {
  for_each_pod_spec(kind, manifest, [](Json& spec, const std::string& main) {
    if (Json* container = find_main(spec, main)) remove_marks(*container);
  });
}

template <typename Predicate>
bool any_training_container(const Kind& kind, const Json& manifest, Predicate is_wanted) {
  const auto replicas = replicas_of(kind, manifest);
  return std::ranges::any_of(replicas, [&](const Replica& replica) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    return container != nullptr && is_wanted(*container);
  });
}

}  // namespace

Json submitted_manifest(const Json& job) {
  Json manifest = written_by_the_user(job);
  const Json* annotations = find(manifest, "/metadata/annotations");
  if (annotations != nullptr && annotations->empty()) manifest["metadata"].erase("annotations");
  return manifest;
}

bool is_exported(const Json& object) {
  const Json& metadata = object_at(object, "/metadata");
  return std::ranges::any_of(std::array{"uid", "resourceVersion", "managedFields"},
                             [&](const char* field) { return metadata.contains(field); }) ||
         !object_at(object, "/status").empty();
}

Json rerun_manifest(const Kind& kind, const Json& job) {
  Json manifest = written_by_the_user(job);
  Json& metadata = manifest["metadata"];
  metadata["generateName"] = stem_of(job);
  metadata.erase("name");
  metadata["annotations"][std::string(k_rerun_annotation)] = text_at(job, "/metadata/name");
  metadata["annotations"].erase(std::string(k_rerun_uid_annotation));
  if (const std::string uid = text_at(job, "/metadata/uid"); !uid.empty()) {
    metadata["annotations"][std::string(k_rerun_uid_annotation)] = uid;
  }
  if (true_at(manifest, kind.controller.suspend)) set_at(manifest, kind.controller.suspend, false);
  unmark_attempt(kind, manifest);
  return manifest;
}

void name_after_run(Json& manifest, const std::string& uid) {
  Json& metadata = manifest["metadata"];
  const std::string stem = text_at(metadata, "/generateName");
  if (!text_at(metadata, "/name").empty() || stem.empty() || uid.empty()) return;
  metadata["name"] = stem.substr(0, kube::k_generated_stem) + kube::generated_tail(uid);
}

bool words_were_command(const Kind& kind, const Json& manifest) {
  return any_training_container(kind, manifest, [](const Json& container) {
    return !array_at(container, "/command").empty() && array_at(container, "/args").empty();
  });
}

bool has_command(const Kind& kind, const Json& manifest) {
  return any_training_container(kind, manifest, [](const Json& container) {
    return !array_at(container, "/command").empty();
  });
}

namespace {

// "-1e-3" is a value.
bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !is_digit(word[1]) && word[1] != '.';
}

std::string_view name_of_option(std::string_view word) {
  return word.substr(0, word.find('='));
}

// The words of all replicas' commands as the program reads them; empty where they differ.
std::vector<std::string> common_command(const Kind& kind, const Json& manifest) {
  std::vector<std::string> words;
  const bool differ = any_training_container(kind, manifest, [&words](const Json& container) {
    std::vector<std::string> own;
    for (const char* part : {"/command", "/args"}) {
      for (const Json& word : array_at(container, part))
        own.push_back(expanded(word.get<std::string>(), {}));
    }
    if (words.empty()) words = own;
    return own != words;
  });
  return differ ? std::vector<std::string>() : words;
}

bool is_proposable(const std::vector<std::string>& command) {
  if (command.size() > 1 && command[1].starts_with("-") && command[1].ends_with('c')) return false;
  return std::ranges::none_of(command, [](const std::string& word) {
    return word.find("$(") != std::string::npos || text_without_secrets(word) != word;
  });
}

// `option` and its values.
void replace_option(std::vector<std::string>& command, std::span<const std::string> option) {
  const std::string_view name = name_of_option(option.front());
  // The last one counts where a program reads an option twice.
  const auto found = std::find_if(
      command.rbegin(), command.rend(),
      [name](const std::string& word) { return is_option(word) && name_of_option(word) == name; });
  if (found == command.rend()) {
    command.insert(command.end(), option.begin(), option.end());
    return;
  }
  const auto begin = std::prev(found.base());
  auto end = std::next(begin);
  const bool has_value_inside = begin->find('=') != std::string::npos;
  const bool brings_value_inside = option.front().find('=') != std::string::npos;
  const auto values = std::ssize(option) - 1 + int{brings_value_inside};
  for (auto i = values; i > 0 && !has_value_inside && end != command.end() && !is_option(*end); --i)
    ++end;
  const auto at = command.erase(begin, end);
  command.insert(at, option.begin(), option.end());
}

}  // namespace

std::vector<std::string> command_with_options(const Kind& kind, const Json& manifest,
                                              const std::vector<std::string>& changes) {
  std::vector<std::string> command = common_command(kind, manifest);
  if (command.empty() || !is_proposable(command)) return {};
  for (auto begin = changes.begin(); begin != changes.end();) {
    const auto end = std::find_if(std::next(begin), changes.end(), is_option);
    replace_option(command, std::span(begin, end));
    begin = end;
  }
  return command;
}

}  // namespace trainctl::job
