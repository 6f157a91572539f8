// Reads a TrainJob's trainer and runtimeRef.
#include "manifest/program.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "manifest/check_fields.h"
#include "manifest/manifest.h"

namespace trainctl::job {
namespace {

// Trainer sets these itself, and refuses jobs that do.
constexpr std::string_view k_reserved = "PET_";

Status check_variables(const Json& job) {
  const std::string place = cat(k_runtime_program, "/env");
  const Json& variables = array_at(job, place);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string name = text_at(variables[i], "/name");
    if (!name.starts_with(k_reserved)) continue;
    return manifest_fault(cat(place, '/', i), cat(printable_line(name), " is set by the runtime"),
                          "leave it out: numNodes and numProcPerNode decide its value");
  }
  return {};
}

}  // namespace

bool runs_by_runtime(const Kind& kind) {
  return kind.replica_specs.empty();
}

std::optional<std::int64_t> runtime_gpus(const Kind& kind, const Json& job) {
  const Json& amounts = object_at(job, cat(k_runtime_program, "/resourcesPerNode"));
  const Role& node = *find_role(kind, "node");
  if (amounts.empty() || !has_known_count(kind, job, node)) return std::nullopt;
  return gpus_of({{"resources", amounts}}) * replica_count(kind, job, node);
}

std::string runtime_footprint(const Kind& kind, const Json& job) {
  const std::string runtime = text_at(job, "/spec/runtimeRef/name");
  std::vector<std::string> roles;
  std::int64_t pods = 0;
  for (const Role& role : kind.roles) {
    const int count = replica_count(kind, job, role);
    if (count == 0) continue;
    if (!role.prepares() && !has_known_count(kind, job, role)) {
      return cat("as many pods as runtime ", printable_line(runtime), " says");
    }
    pods += count;
    roles.push_back(cat(role.prefix, ' ', count));
  }
  const std::int64_t gpus = runtime_gpus(kind, job).value_or(0);
  return cat(plural(pods, "pod"), " (", join(roles, " + "), "), ",
             gpus == 0 ? "no GPUs of its own" : plural(gpus, "GPU"), ", runtime ",
             printable_line(runtime));
}

Status check_runtime_program(const Kind& kind, const Json& job) {
  if (text_at(job, "/spec/runtimeRef/name").empty()) {
    return manifest_fault("/spec/runtimeRef/name", "is missing",
                          "trainctl runtimes lists those of the cluster");
  }
  for (const Role& role : kind.roles) {
    if (!role.count_at.empty()) TRY(check_number(job, std::string(role.count_at), 1));
  }
  return check_variables(job);
}

std::optional<Error> program_word_fault(const std::string& word) {
  const std::string first = word.substr(0, word.find_first_of(" \t\n"));
  if (first.find('/') != std::string::npos) return std::nullopt;  // a path may hold anything
  const bool needs_shell = word.find_first_of("&|;<>\n") != std::string::npos;
  if (needs_shell || first.size() < word.size()) {
    const std::string shell = cat("-- sh -c ", shell_quoted(word));
    return Error{
        Code::usage,
        cat("cannot run ", shell_quoted(word), ": it is a command line in one word, not a program"),
        needs_shell ? cat("use a shell: ", shell)
                    : cat("write separate words: -- ", word, "; or use a shell: ", shell)};
  }
  if (!word.ends_with(".py")) return std::nullopt;
  return Error{Code::usage,
               cat("cannot run ", word, ": a script without a directory is searched for in PATH"),
               cat("name its interpreter: -- python3 ", shell_quoted(word))};
}

namespace {

// The first process of a container ignores the signals that it does not handle. Not every sleep
// knows "infinity".
constexpr std::string_view k_wait =
    "trap 'exit 0' TERM INT\nwhile :; do sleep 86400 & wait $!; done";

bool asks_for_numbers(const RenderInput& line) {
  return given(line.flags, "no-master") || std::ranges::any_of(line.flags, [](const FlagUse& use) {
           return use.flag->scope == Scope::count;
         });
}

void keep_the_leader(const Kind& kind, Json& manifest) {
  Json* replicas = find_in(manifest, kind.replica_specs);
  if (replicas == nullptr) return;
  const auto leader = std::ranges::find_if(
      kind.roles, [&](const Role& role) { return replicas->contains(role.name); });
  if (leader == kind.roles.end()) return;
  Json spec = replicas->at(leader->name);
  spec["replicas"] = 1;
  *replicas = Json{{leader->name, std::move(spec)}};
}

}  // namespace

void make_idle(const RenderInput& line, Json& manifest) {
  const Kind& kind = *line.kind;
  if (!asks_for_numbers(line)) keep_the_leader(kind, manifest);
  for_each_training_container(kind, manifest, [](const Replica&, Json& container) {
    container["command"] = Json{"sh", "-c", k_wait};
    container.erase("args");
  });
  Json& policy = manifest[Json::json_pointer(std::string(kind.controller.run_policy))];
  if (!policy.contains("activeDeadlineSeconds")) policy["activeDeadlineSeconds"] = k_longest_idle;
}

}  // namespace trainctl::job
