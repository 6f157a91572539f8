// Builds the manifest that will be sent from the command line, and runs all local checks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/code/pack.h"
#include "cli/context.h"
#include "cli/options/flags.h"
#include "cli/options/job_flags.h"
#include "job/manifest/companions.h"
#include "job/manifest/render.h"

namespace trainctl::cli {

struct ManifestSource {
  const job::Kind* kind = nullptr;  // null: `file` decides
  std::string file;                 // the user's own manifest, "-" = stdin; "" = the template
  std::string template_path;        // --template
  std::vector<std::string> overlays, set;
  std::vector<std::string> words;
  CodeSource code;                  // --code
  std::string directory;            // where the embedded cluster runs it; "" = the user's own
  bool idle = false;                // runs nothing, but waits to be used from inside
  std::shared_ptr<JobFlags> flags;  // null: no job flags can be typed
};

struct Manifest {
  const job::Kind* kind = nullptr;
  std::string ns;
  Json object;
  std::vector<job::Companion> companions;             // created before the job, and owned by it
  std::shared_ptr<const job::RenderInput> line = {};  // what the object was rendered from
};

// The user name that a template's job gets as a label: the environment's, else the system's; ""
// when neither has one.
std::string user_name(const Context& context);

// Reads files and nothing else. Errors are Code::usage.
Result<Manifest> build_manifest(Context& context, const ManifestSource& source);

}  // namespace trainctl::cli
