// Creating a job exactly once, whatever the name's history and the network do.
#pragma once

#include <optional>
#include <string>

#include "base/deadline.h"
#include "base/result.h"
#include "cli/context.h"
#include "cli/jobs/manifest.h"

namespace trainctl::cli {

inline constexpr std::string_view k_submission_annotation = "trainctl/submission";

enum class IfExists { fail, skip, replace, attach };

struct Created {
  Json object;        // as the server has it
  bool fresh = true;  // false: it was there before (skip, attach)
};

struct CreateLimits {
  std::optional<Deadline> deadline;  // for what is replaced to go
  bool stays = false;                // somebody waits for the verdict of what is there then
};

// Sends the manifest, marked with an annotation of this submission. When the answer is lost, the
// object is read back and recognised by that mark; it is never sent a second time.
Result<Created> create_job(Context& context, const Manifest& manifest, IfExists if_exists,
                           const CreateLimits& limits);

// What admission makes of the manifest; nothing is stored.
Result<Json> dry_run_on_server(Context& context, const Manifest& manifest);

}  // namespace trainctl::cli
