// Creates a job exactly once, whatever happened under its name before, and whatever the network
// does.
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
  Json object;        // as stored by the server
  bool fresh = true;  // false: it existed before (skip, attach)
};

struct CreateLimits {
  std::optional<Deadline> deadline;  // for the replaced job to go
  bool stays = false;                // the caller waits for the job's verdict afterwards
};

// Sends the manifest, marked with an annotation of this submission. When the answer is lost, the
// object is read back and recognised by that mark; it is never sent a second time.
Result<Created> create_job(Context& context, const Manifest& manifest, IfExists if_exists,
                           const CreateLimits& limits);

// The manifest after the server's admission; nothing is stored.
Result<Json> dry_run_on_server(Context& context, const Manifest& manifest);

}  // namespace trainctl::cli
