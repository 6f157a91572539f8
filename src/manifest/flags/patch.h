// Turns typed flags into patches, and applies them to their place in the manifest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "base/value/json.h"
#include "manifest/flags/flags.h"
#include "manifest/manifest.h"

namespace trainctl::job {

struct FlagContext {
  const Kind& kind;
  const std::vector<FlagUse>& uses;
  const Environment& environment;
};

// The order of flags: those that shape the job come first, then those that fill a volume, then
// those that may mount another volume there. Flags of one role are the last of these two groups.
enum class FlagPass { job, counts, fill_every_role, fill_one_role, every_role, one_role };

// Refuses values that are empty, no UTF-8 or hold a NUL, flags of other kinds, and flags that only
// Run:ai has.
Status check_uses(const FlagContext& context);
Status apply_flags(const FlagContext& context, FlagPass pass, Json& manifest);

// The fault of a text that no API object may hold, or "".
std::string text_fault(std::string_view text);

void merge_into_pod(Json& manifest, const Replica& replica, Json patch);
void merge_into_container(const Kind& kind, Json& manifest, const Replica& replica, Json patch);

// Finds flags that mount different volumes at one path, since only one of them would be seen there.
// Code::usage that names both flags and the path. A flag of one role may replace one of all roles,
// and --git-sync and --download may fill what another flag mounts. `with_code`: --code is mounted
// in every role.
Status check_mount_conflicts(const FlagContext& context, bool with_code);

// Implements --set POINTER=VALUE, which sets any field of a manifest. The value is read as a YAML
// scalar, else it is a text; null removes the field. Missing parents are created, as a list when
// the next step is its first element (0 or -, which appends). Code::usage for a pointer that leads
// past the end of a list or through a text.
Status apply_setting(const std::string& text, Json& manifest);

}  // namespace trainctl::job
