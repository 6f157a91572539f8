// Builds the patch of each value alone: its mounts tell the paths, whatever the flag's syntax.
#include "job/manifest/mount_conflicts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "job/manifest/code.h"

namespace trainctl::job {
namespace {

struct MountingFlag {
  const Role* role;  // null = every role
  std::string path;
  std::string words;  // "--pvc data:/data", for the message
  Json patch;         // equal patches mount the same volume in the same way
};

// A wrong value mounts nothing here; its flag's own check says what is wrong.
void add_mounts(const FlagContext& context, const FlagUse& use, const std::string& value,
                std::vector<MountingFlag>& all) {
  const std::vector<std::string> values = {value};
  const auto patch =
      use.flag->build({context.kind, use.role, "", values, context.uses, context.environment});
  if (!patch) return;
  const bool is_switch = use.flag->value_name.empty();
  for (const Json& mount : array_at(*patch, "/containers/0/volumeMounts")) {
    all.push_back({use.role, text_at(mount, "/mountPath"),
                   is_switch ? use.spelled() : cat(use.spelled(), ' ', value), *patch});
  }
}

std::vector<MountingFlag> mounting_flags(const FlagContext& context) {
  std::vector<MountingFlag> all;
  for (const FlagUse& use : context.uses) {
    if (use.flag->scope != Scope::pod || use.flag->build == nullptr || use.switched_off()) continue;
    if (use.values.empty()) add_mounts(context, use, "", all);
    for (const std::string& value : use.values) add_mounts(context, use, value, all);
  }
  return all;
}

Error both_mount(const std::string& one, const std::string& other, const std::string& path) {
  return {Code::usage, cat(one, " and ", other, " both mount at ", path),
          "mount one of them at another path, or leave it out"};
}

}  // namespace

Status check_mount_conflicts(const FlagContext& context, bool with_code) {
  const std::vector<MountingFlag> all = mounting_flags(context);
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (with_code && one->path == k_code_path) return both_mount("--code", one->words, one->path);
    const auto before = std::find_if(all.begin(), one, [one](const MountingFlag& other) {
      return other.role == one->role && other.path == one->path && other.patch != one->patch;
    });
    if (before != one) return both_mount(before->words, one->words, one->path);
  }
  return {};
}

}  // namespace trainctl::job
