// Adds working directory and variables to the training containers of a manifest.
#include "cli/jobs/local_manifest.h"

#include <algorithm>

#include "base/text.h"
#include "job/manifest/expansion.h"
#include "job/manifest/manifest.h"
#include "local/operator/kind.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_variables[] = {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH",
                                            "LD_LIBRARY_PATH"};

bool sets(const Json& container, std::string_view variable) {
  const Json& env = array_at(container, "/env");
  return std::any_of(env.begin(), env.end(),
                     [&](const Json& entry) { return text_at(entry, "/name") == variable; });
}

void localize_container(const Environment& environment, const std::string& directory,
                        Json& container) {
  if (find(container, "/workingDir") == nullptr && !directory.empty()) {
    container["workingDir"] = directory;
  }
  for (const std::string_view variable : k_variables) {
    const auto value = environment.get(variable);
    if (!value || value->empty() || sets(container, variable)) continue;
    Json& env = container["env"];
    if (!env.is_array()) env = Json::array();
    env.push_back({{"name", std::string(variable)}, {"value", job::unexpanded(*value)}});
  }
}

bool has_limit(const job::Kind& kind, const Json& manifest, std::string_view resource) {
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    const std::string containers = cat(replica.pointer, job::k_pod_spec, "/containers");
    for (const Json& container : array_at(manifest, containers)) {
      if (find(container, cat("/resources/limits/", resource)) != nullptr) return true;
    }
  }
  return false;
}

bool has_claim(const job::Kind& kind, const Json& manifest) {
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    for (const Json& volume : array_at(*replica.spec, cat(job::k_pod_spec, "/volumes"))) {
      if (find(volume, "/persistentVolumeClaim") != nullptr) return true;
    }
  }
  return false;
}

}  // namespace

Status check_kind_runs_here(const job::Kind& kind) {
  if (local::find_controller_rules(kind) != nullptr) return {};
  return Error{Code::usage, cat("the embedded cluster runs no ", kind.resource.kind, "s"),
               "leave out --local, or submit a job of the training operator: submit-pytorch"};
}

std::vector<std::string> not_kept_locally(const job::Kind& kind, const Json& manifest) {
  std::vector<std::string> sentences;
  if (has_limit(kind, manifest, "memory")) {
    sentences.push_back(
        "the embedded cluster checks the memory limit once a second: a real one at every moment");
  }
  if (has_limit(kind, manifest, "cpu")) {
    sentences.push_back("the embedded cluster does not keep the CPU limit: a real one does");
  }
  if (has_claim(kind, manifest)) {
    sentences.push_back(
        "the embedded cluster creates claims at first use: on a real one they must exist");
  }
  return sentences;
}

void localize(const job::Kind& kind, const Environment& environment, const std::string& directory,
              Json& manifest) {
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    const std::string name = job::training_container(kind, *replica.spec);
    const std::string containers = cat(replica.pointer, job::k_pod_spec, "/containers");
    Json* list = job::find_in(manifest, containers);
    if (list == nullptr || !list->is_array()) continue;
    for (Json& container : *list) {
      if (container.is_object() && text_at(container, "/name") == name) {
        localize_container(environment, directory, container);
      }
    }
  }
}

Status check_runs_here(const job::Kind& kind, const Json& manifest) {
  for (const job::Replica& replica : job::replicas_of(kind, manifest)) {
    const bool waits = kind.leader_runs_words && replica.role != nullptr && !replica.role->leads();
    if (waits) continue;
    for (const Json& container : array_at(*replica.spec, cat(job::k_pod_spec, "/containers"))) {
      if (!array_at(container, "/command").empty() || !array_at(container, "/args").empty())
        continue;
      return Error{Code::usage,
                   cat("nothing to run: container ", printable_line(text_at(container, "/name")),
                       " of ", replica.key, " names no program, and --local ignores its image"),
                   "end with -- PROGRAM ARG, as in -- python3 train.py"};
    }
  }
  return {};
}

}  // namespace trainctl::cli
