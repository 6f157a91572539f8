// A shell waits, since every image that can be used from inside has one.
#include "job/manifest/idle.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {
namespace {

// The first process of a container ignores the signals that it does not handle. Not every sleep
// knows "infinity".
constexpr std::string_view k_wait =
    "trap 'exit 0' TERM INT\nwhile :; do sleep 86400 & wait $!; done";

bool asks_for_numbers(const RenderInput& line) {
  return std::ranges::any_of(line.flags, [](const FlagUse& use) {
    return use.flag->scope == Scope::count || use.flag->name == "no-master";
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
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const std::string name = training_container(kind, *replica.spec);
    Json* containers = find_in(manifest, cat(replica.pointer, k_pod_spec, "/containers"));
    if (containers == nullptr) continue;
    for (Json& container : *containers) {
      if (text_at(container, "/name") != name) continue;
      container["command"] = Json{"sh", "-c", k_wait};
      container.erase("args");
    }
  }
  Json& policy = manifest[Json::json_pointer(std::string(kind.controller.run_policy))];
  if (!policy.contains("activeDeadlineSeconds")) policy["activeDeadlineSeconds"] = k_longest_idle;
}

}  // namespace trainctl::job
