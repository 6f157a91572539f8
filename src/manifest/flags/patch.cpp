// Applies the patches of each scope to their place in the manifest.
#include "manifest/flags/patch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "manifest/code.h"
#include "manifest/flags/values.h"
#include "manifest/merge.h"

namespace trainctl::job {
namespace {

void merge_at(Json& manifest, std::string_view pointer, Json patch) {
  Json whole = Json::object();
  set_at(whole, pointer, std::move(patch));
  strategic_merge(manifest, whole);
}

// The patch of a row, relative to its scope.
Result<Json> patch_of(const PatchInput& input, const FlagUse& use) {
  const Flag& flag = *use.flag;
  if (flag.build != nullptr) return flag.build(input);
  Json leaf = !use.switched_off();
  if (flag.check != nullptr) {
    TRY_ASSIGN(leaf, flag.check(input.values.back()));
  }
  Json patch = Json::object();
  set_at(patch, flag.pointer, std::move(leaf));
  return patch;
}

Status apply_to_job(const FlagContext& context, const FlagUse& use, Json& manifest) {
  TRY_ASSIGN(
      Json patch,
      patch_of({context.kind, nullptr, "", use.values, context.uses, context.environment}, use));
  switch (use.flag->scope) {
    case Scope::run_policy:
      merge_at(manifest, context.kind.controller.run_policy, std::move(patch));
      break;
    case Scope::metadata:
      merge_at(manifest, "/metadata", std::move(patch));
      break;
    default:
      strategic_merge(manifest, patch);
  }
  return {};
}

Status apply_to_replica(const FlagContext& context, const FlagUse& use, const Replica& replica,
                        Json& manifest) {
  const std::string container = training_container(context.kind, *replica.spec);
  TRY_ASSIGN(Json patch, patch_of({context.kind, replica.role, container, use.values, context.uses,
                                   context.environment},
                                  use));
  switch (use.flag->scope) {
    case Scope::metadata:
      merge_at(manifest, replica.pointer + std::string(k_pod_metadata), std::move(patch));
      break;
    case Scope::replica:
      merge_at(manifest, replica.pointer, std::move(patch));
      break;
    case Scope::pod:
    case Scope::fill:
      merge_into_pod(manifest, replica, std::move(patch));
      break;
    default:
      merge_into_container(context.kind, manifest, replica, std::move(patch));
  }
  return {};
}

std::string present_roles(const Kind& kind, const Json& manifest) {
  std::vector<std::string> prefixes;
  for (const Replica& replica : replicas_of(kind, manifest)) {
    if (replica.role != nullptr) prefixes.emplace_back(replica.role->prefix);
  }
  return join(prefixes, ", ");
}

Status apply_to_replicas(const FlagContext& context, const FlagUse& use, Json& manifest) {
  bool found = false;
  for (const Replica& replica : replicas_of(context.kind, manifest)) {
    if (use.role != nullptr && replica.role != use.role) continue;
    found = true;
    const bool idle_leader = context.kind.has_launcher() && replica.role != nullptr &&
                             replica.role->leads() && use.role == nullptr;
    if (use.flag->computes && idle_leader) continue;
    TRY(apply_to_replica(context, use, replica, manifest));
  }
  if (found || use.role == nullptr) return {};
  return Error{Code::usage, cat("this job has no ", use.role->prefix),
               cat("its roles are ", present_roles(context.kind, manifest))};
}

// A role that the manifest lacks starts as a copy of an existing one, if possible of the workers.
Result<Json> replica_to_copy(const Kind& kind, const Json& manifest) {
  const auto replicas = replicas_of(kind, manifest);
  if (replicas.empty()) {
    return Error{Code::usage, cat("no replicas at ", kind.replica_specs, " in the manifest"), ""};
  }
  const auto worker =
      std::ranges::find_if(replicas, [](const Replica& one) { return one.key == "Worker"; });
  return *(worker == replicas.end() ? replicas.front() : *worker).spec;
}

Status apply_count(const FlagContext& context, const FlagUse& use, Json& manifest) {
  const Kind& kind = context.kind;
  const Role* role = find_role(kind, use.flag->pointer);
  if (role == nullptr) return Error{Code::usage, cat(kind.resource.kind, "s have none"), ""};
  TRY_ASSIGN(const Json count, check_count(use.values.back()));
  const auto wanted = count.get<std::int64_t>();
  if (role->single && wanted > 1) {
    return Error{Code::usage, cat(kind.resource.kind, "s have at most one ", role->prefix), ""};
  }
  const std::string place = cat(kind.replica_specs, '/', role->name);
  if (wanted == 0) {
    merge_at(manifest, place, nullptr);
    return {};
  }
  if (role->leads() && given(context.uses, "no-master")) {
    return Error{Code::usage, "contradicts --no-master", "leave out one of them"};
  }
  if (find(manifest, place) == nullptr) {
    TRY_ASSIGN(Json copied, replica_to_copy(kind, manifest));
    set_at(manifest, place, std::move(copied));
  }
  set_at(manifest, place + "/replicas", wanted);
  return {};
}

FlagPass pass_of(const FlagUse& use) {
  const bool fills = use.flag->scope == Scope::fill;
  if (fills) return use.role == nullptr ? FlagPass::fill_every_role : FlagPass::fill_one_role;
  if (use.role != nullptr) return FlagPass::one_role;
  if (use.flag->scope == Scope::count) return FlagPass::counts;
  const bool above_roles = use.flag->scope == Scope::job || use.flag->scope == Scope::run_policy;
  return above_roles ? FlagPass::job : FlagPass::every_role;
}

Status apply(const FlagContext& context, const FlagUse& use, Json& manifest) {
  const Scope scope = use.flag->scope;
  if (scope == Scope::count) return apply_count(context, use, manifest);
  if (scope == Scope::job || scope == Scope::run_policy) {
    return apply_to_job(context, use, manifest);
  }
  if (scope == Scope::metadata && use.role == nullptr) TRY(apply_to_job(context, use, manifest));
  return apply_to_replicas(context, use, manifest);
}

Status check_use(const Kind& kind, const FlagUse& use) {
  if (!use.flag->instead.empty()) {
    return Error{Code::usage, "has no meaning here", std::string(use.flag->instead)};
  }
  if (!applies_to(*use.flag, kind)) {
    return Error{Code::usage, cat(kind.resource.kind, "s have no such field"), ""};
  }
  const bool is_switch = use.flag->value_name.empty();
  if (use.values.empty() && !is_switch) return Error{Code::usage, "needs a value", ""};
  for (const std::string& value : use.values) {
    if (value.empty()) return Error{Code::usage, "must not be empty", "leave the flag out"};
    if (const auto fault = text_fault(value); !fault.empty()) {
      return Error{Code::usage, cat("the value ", fault), ""};
    }
  }
  return {};
}

}  // namespace

Status check_uses(const FlagContext& context) {
  for (const FlagUse& use : context.uses) {
    if (auto status = check_use(context.kind, use); !status) {
      return in_context(use.spelled(), std::move(status).error());
    }
  }
  return {};
}

Status apply_flags(const FlagContext& context, FlagPass pass, Json& manifest) {
  for (const FlagUse& use : context.uses) {
    // Kubernetes has defaults of its own for a field: =false sets it.
    const bool changes_nothing = use.switched_off() && use.flag->pointer.empty();
    if (pass_of(use) != pass || changes_nothing) continue;
    if (auto status = apply(context, use, manifest); !status) {
      return in_context(use.spelled(), std::move(status).error());
    }
  }
  return {};
}

std::string text_fault(std::string_view text) {
  if (!is_utf8(text)) return "is not valid UTF-8";
  if (text.find('\0') != std::string_view::npos) return "holds a NUL byte";
  return "";
}

void merge_into_pod(Json& manifest, const Replica& replica, Json patch) {
  merge_at(manifest, replica.pointer + std::string(k_pod_spec), std::move(patch));
}

void merge_into_container(const Kind& kind, Json& manifest, const Replica& replica, Json patch) {
  Json container = {{"name", training_container(kind, *replica.spec)}};
  container.update(patch);
  merge_into_pod(manifest, replica, {{"containers", Json::array({std::move(container)})}});
}

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

namespace {

Error misplaced(std::string_view place, std::string_view fault, std::string_view hint) {
  return {Code::usage, cat("--set: ", printable_line(place), ' ', fault), std::string(hint)};
}

// The index that a step means in a list; the index after the last element appends.
Result<std::size_t> index_in(const Json& list, const std::string& step, std::string_view place) {
  if (step == "-") return list.size();
  const auto index = parse_number<std::int64_t>(step);
  if (!index || *index < 0) {
    return misplaced(place, cat("is a list: '", printable_line(step), "' is not a position in it"),
                     cat("count from 0; ", printable_line(place), "/- appends"));
  }
  if (*index > static_cast<std::int64_t>(list.size())) {
    return misplaced(
        place,
        cat("has ", plural(static_cast<long>(list.size()), "element"), ": there is no ", *index),
        cat("count from 0; ", printable_line(place), "/- appends"));
  }
  return static_cast<std::size_t>(*index);
}

class SettingWalk {
 public:
  SettingWalk(Json& manifest, std::string_view pointer)
      : here_(&manifest), steps_(split(pointer.substr(1), '/')) {}

  Status set(Json value) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (here_->is_null()) make(i);
      TRY(go(steps_[i]));
    }
    *here_ = std::move(value);
    return {};
  }

  Status remove() {
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      if (here_->is_object() && !here_->contains(key_of_step(steps_[i]))) return {};
      TRY(go(steps_[i]));
    }
    if (here_->is_object()) {
      here_->erase(key_of_step(steps_.back()));
    } else if (here_->is_array()) {
      TRY_ASSIGN(const std::size_t index, index_in(*here_, steps_.back(), place_));
      if (index < here_->size()) here_->erase(index);
    }
    return {};
  }

 private:
  // The next step decides whether a missing field becomes a list or an object.
  void make(std::size_t i) {
    const bool first_element = steps_[i] == "0" || steps_[i] == "-";
    const bool inside_element = i + 1 < steps_.size() && parse_number<std::int64_t>(steps_[i]);
    *here_ = first_element || inside_element ? Json::array() : Json::object();
  }

  Status go(const std::string& step) {
    if (here_->is_array()) {
      TRY_ASSIGN(const std::size_t index, index_in(*here_, step, place_));
      if (index == here_->size()) here_->push_back(nullptr);
      here_ = &(*here_)[index];
    } else if (here_->is_object()) {
      here_ = &(*here_)[key_of_step(step)];
    } else {
      return misplaced(place_, "is a single value: there is nothing below it",
                       "trainctl submit … --dry-run shows the manifest");
    }
    place_ += cat('/', step);
    return {};
  }

  Json* here_;
  std::vector<std::string> steps_;
  std::string place_;
};

}  // namespace

Status apply_setting(const std::string& text, Json& manifest) {
  const Halves setting = split_once(text, '=');
  if (!setting.first.starts_with('/') || setting.second.empty()) {
    return Error{Code::usage, cat("--set: '", printable_line(text), "' is not /POINTER=VALUE"),
                 "--set /spec/runPolicy/suspend=true"};
  }
  if (const auto fault = text_fault(text); !fault.empty()) {
    return Error{Code::usage, cat("--set: the setting ", fault), ""};
  }
  SettingWalk walk(manifest, setting.first);
  if (setting.second == "null") return walk.remove();
  const auto value = from_yaml(setting.second, "--set");
  const bool is_scalar = value && value->is_primitive() && !value->is_null();
  return walk.set(is_scalar ? *value : Json(setting.second));
}

}  // namespace trainctl::job
