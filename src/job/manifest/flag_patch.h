// Typed flags become patches, and patches find their place in the manifest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/json.h"
#include "base/result.h"
#include "job/manifest/flags.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

struct FlagContext {
  const Kind& kind;
  const std::vector<FlagUse>& uses;
  const Environment& environment;
};

// What shapes the job comes before what fills its replicas, and one role's flags come last.
enum class FlagPass { job, counts, every_role, one_role };

// Refuses empty and unprintable values, flags of other kinds and those of Run:ai alone.
Status check_uses(const FlagContext& context);
Status apply_flags(const FlagContext& context, FlagPass pass, Json& manifest);

// What no API object may hold, or "".
std::string text_fault(std::string_view text);

void merge_into_pod(Json& manifest, const Replica& replica, Json patch);
void merge_into_container(const Kind& kind, Json& manifest, const Replica& replica, Json patch);

}  // namespace trainctl::job
