// Merges template, overlays and flags into the manifest that is sent. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "base/value/json.h"
#include "manifest/code.h"
#include "manifest/flags/flags.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The label that names the user who submitted a template's job, so that the user's jobs can be
// found.
inline constexpr std::string_view k_label_owner = "trainctl/owner";
// The annotation with the mark of the submission that created an object.
inline constexpr std::string_view k_submission_annotation = "trainctl/submission";

struct RenderInput {
  const Kind* kind = nullptr;
  Json manifest;                   // the template, or the user's own manifest
  bool is_template = true;         // false: the user's manifest; only given flags change it
  std::vector<Json> overlays;      // manifest fragments, merged in order
  std::vector<FlagUse> flags;      // in the order typed
  std::vector<std::string> words;  // behind "--": args, or the command with --command
  // In the earlier run; --command decides otherwise.
  bool words_were_command = false;
  std::vector<std::string> set;  // "/json/pointer=value" (flags/patch.h)
  std::string ns;                // written to metadata.namespace
  std::string owner;             // label trainctl/owner of the job; "" = as in the manifest
  Environment environment;
  std::optional<PackedCode> code = {};  // --code
};

// True when the words behind "--" are the whole command: --command says so, else the earlier run.
bool words_are_command(const RenderInput& input);

// Renders the manifest, in the order of the template. Errors are Code::usage and name the flag.
// Flags for every role are applied before those for one, in whatever order they are typed. A
// template's job also gets the labels of tool and owner, a generated name when it has none, and a
// sized /dev/shm for containers that request GPUs.
// Roles: a count for a role that the template lacks adds a copy of its Worker block; 0 removes the
// role; --no-master removes the leading roles (and, for PyTorch, gives workers the variables that a
// master's presence would set: see environment.h).
Result<Json> render(const RenderInput& input);

}  // namespace trainctl::job
