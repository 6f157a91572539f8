// Creates a job exactly once, even if its name was used before or the network fails.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/loop/wait_limit.h"
#include "base/result.h"
#include "work/access.h"
#include "work/create/manifest.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Returns "Running, created 2m ago by ada", as far as it is known. The user comes from the label of
// templates, because the server's own record (managedFields) names programs and never users.
std::string describe_namesake(Access& access, const FoundJob& job);

enum class IfExists { fail, skip, replace, attach };

struct Created {
  Json object;        // as stored by the server
  bool fresh = true;  // false: it existed before (skip, attach)
};

struct CreateLimits {
  bool stays = false;  // the caller waits for the job's verdict afterwards
  // Makes what the job's pods need beside its companions. Called when the name is known to be free
  // or about to be replaced, before anything is created or deleted, once for each attempt.
  std::function<Status()> prepare = {};
};

// Sends the manifest, marked with an annotation of this submission (marked_create.h), after the
// config maps, secrets and runtimes that come with it. When the job was not created, they are
// deleted again; when that is unknown, they stay. nullopt is IfExists::fail for a command without
// --if-exists, which hints then do not advise.
Result<Created> create_job(Access& access, const Manifest& manifest,
                           std::optional<IfExists> if_exists, const CreateLimits& limits);

// Returns the manifest and its companions after the server's admission; nothing is stored. Also
// refuses a job whose pods' names another owner's pods have.
Result<Manifest> dry_run_on_server(Access& access, const Manifest& manifest);

}  // namespace trainctl::work
