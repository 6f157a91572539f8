// Renders in this order: overlays, flags that shape the job, arguments, flags of all roles, flags
// of one role, --set.
#include "manifest/render.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/check_fields.h"
#include "manifest/code.h"
#include "manifest/elastic.h"
#include "manifest/environment.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/patch.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/merge.h"
#include "manifest/program.h"

namespace trainctl::job {

namespace {

void add_label(Json& manifest, std::string_view key, const std::string& value) {
  const std::string place = kube::label_pointer(key);
  if (!value.empty() && find(manifest, place) == nullptr) set_at(manifest, place, value);
}

// The program of --torchrun; empty without it. torchrun reads its options from the operator's
// PET_*.
std::vector<std::string> torchrun_command(const RenderInput& input) {
  for (const FlagUse& use : input.flags) {
    if (use.flag->name == "torchrun") return {"torchrun", use.values.back()};
  }
  return {};
}

Status check_words(const RenderInput& input, bool are_command) {
  if (are_command && input.words.empty()) {
    return Error{Code::usage, "--command: there is no program after --", "end with -- PROGRAM ARG"};
  }
  if (are_command && !torchrun_command(input).empty()) {
    return Error{Code::usage, "--command and --torchrun both give the command",
                 "leave out one of them"};
  }
  if (are_command) {
    if (auto fault = program_word_fault(input.words.front())) return *std::move(fault);
  }
  for (const std::string& word : input.words) {
    if (const auto fault = text_fault(word); !fault.empty()) {
      return Error{Code::usage, cat("an argument after -- ", fault), ""};
    }
  }
  const bool has_args = std::ranges::any_of(input.flags, [](const FlagUse& use) {
    return use.flag->name == "arg" && use.role == nullptr;
  });
  if (has_args && !input.words.empty()) {
    return Error{Code::usage, "--arg and -- both give the arguments",
                 "leave out one of them, or use a flag of one role, such as --worker-arg"};
  }
  return {};
}

// Otherwise the template's arguments would be appended to the user's command.
Status apply_words(const RenderInput& input, Json& manifest) {
  const bool are_command = words_are_command(input);
  TRY(check_words(input, are_command));
  const auto torchrun = torchrun_command(input);
  if (input.words.empty() && torchrun.empty()) return {};
  const Json words = literal_words(input.words, input.flags);
  Json patch = {{"args", input.words.empty() ? Json(nullptr) : words}};
  if (are_command) patch = {{"command", words}, {"args", nullptr}};
  if (!torchrun.empty()) patch["command"] = literal_words(torchrun, input.flags);
  if (runs_by_runtime(*input.kind)) {
    Json program;
    set_at(program, k_runtime_program, patch);
    strategic_merge(manifest, program);
  }
  for (const Replica& replica : replicas_of(*input.kind, manifest)) {
    const bool starts_others = replica.role != nullptr && replica.role->leads();
    if (input.kind->has_launcher() && !starts_others) continue;
    merge_into_container(*input.kind, manifest, replica, patch);
  }
  return {};
}

// NCCL and data loaders fail with the 64 MiB of shared memory that a container gets by default.
void add_shared_memory(const Kind& kind, Json& manifest) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const std::string name = training_container(kind, *replica.spec);
    const Json* container = find_container(*replica.spec, name);
    if (container == nullptr || gpus_of(*container) == 0) continue;
    const Json& mounts = array_at(*container, "/volumeMounts");
    const bool mounted = std::ranges::any_of(mounts, [](const Json& mount) {
      return text_at(mount, "/mountPath") == k_shared_memory_path;
    });
    if (!mounted) merge_into_pod(manifest, replica, shared_memory(name, k_shared_memory_size));
  }
}

void complete(const RenderInput& input, Json& manifest) {
  if (!input.ns.empty()) set_at(manifest, "/metadata/namespace", input.ns);
  if (input.is_template || given(input.flags, "no-master")) {
    add_rendezvous_environment(*input.kind, manifest);
  }
  if (given(input.flags, "flight-recorder")) add_flight_recorder(*input.kind, manifest);
  if (given(input.flags, "termination-grace-period")) add_shutdown_timeout(*input.kind, manifest);
  if (!input.is_template) return;
  add_shared_memory(*input.kind, manifest);
  if (text_at(manifest, "/metadata/name").empty() &&
      text_at(manifest, "/metadata/generateName").empty()) {
    set_at(manifest, "/metadata/generateName", cat(input.kind->alias, '-'));
  }
}

}  // namespace

bool words_are_command(const RenderInput& input) {
  const auto typed = std::ranges::find_if(
      input.flags, [](const FlagUse& use) { return use.flag->name == "command"; });
  return typed == input.flags.end() ? input.words_were_command : !typed->switched_off();
}

Result<Json> render(const RenderInput& input) {
  const FlagContext context{*input.kind, input.flags, input.environment};
  TRY(check_uses(context));
  TRY(check_mount_conflicts(context, input.code.has_value()));

  Json manifest = input.manifest;
  for (const Json& overlay : input.overlays) strategic_merge(manifest, overlay);
  if (input.is_template) add_label(manifest, "app.kubernetes.io/managed-by", "trainctl");
  add_label(manifest, std::string(k_label_owner), as_label_value(input.owner));
  TRY(apply_flags(context, FlagPass::job, manifest));
  TRY(apply_flags(context, FlagPass::counts, manifest));
  TRY(apply_words(input, manifest));
  if (input.code) TRY(mount_code(*input.kind, *input.code, manifest));
  for (const FlagPass pass : {FlagPass::fill_every_role, FlagPass::fill_one_role,
                              FlagPass::every_role, FlagPass::one_role}) {
    TRY(apply_flags(context, pass, manifest));
  }
  for (const std::string& text : input.set) TRY(apply_setting(text, manifest));
  read_as_kubectl(input.kind->schema_type(), manifest);
  if (input.code) TRY(unpack_code(*input.kind, *input.code, manifest));
  if (given(input.flags, "git-sync")) equip(*input.kind, k_git_container, manifest);
  if (given(input.flags, "download")) equip(*input.kind, k_download_container, manifest);
  if (given(input.flags, "with")) {
    equip(*input.kind, k_packages_container, manifest);
    TRY(add_python_path(*input.kind, k_packages_container, k_packages_path, manifest));
  }
  complete(input, manifest);
  TRY(check_elastic(*input.kind, manifest, input.flags));
  return manifest;
}

}  // namespace trainctl::job
