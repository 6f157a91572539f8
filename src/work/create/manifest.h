// Builds the manifest that will be sent, and runs all local checks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "manifest/array.h"
#include "manifest/companions.h"
#include "manifest/persistent_volumes.h"
#include "manifest/render.h"
#include "work/access.h"
#include "work/code/pack.h"

namespace trainctl::work {

// Notices of what the embedded cluster ignores: once for each command, not for each job that it
// creates again.
enum class LocalNotices { print, omit };

// A run that the history alone has left.
struct RememberedRun {
  std::int64_t number = 0;
  std::string line;  // that created it
};

struct ManifestSource {
  const job::Kind* kind = nullptr;  // null: `file` decides
  std::string file;                 // the user's own manifest, "-" = stdin; "" = the template
  std::shared_ptr<const job::JobFile> earlier = {};  // instead: that of an earlier run
  std::optional<RememberedRun> remembered = {};      // from which `earlier` comes
  std::string template_path;                         // --template
  std::vector<std::string> overlays, set;
  std::vector<std::string> words;
  CodeSource code;              // --code
  std::string directory;        // where the embedded cluster runs it; "" = the user's own
  bool ignores_others = false;  // objects of the file that cannot be created with the job
  bool idle = false;            // runs nothing, but waits to be used from inside
  LocalNotices notices = LocalNotices::print;
  // The job flags for the kind that the file turned out to be; unset: none can be typed.
  std::function<Result<std::vector<job::FlagUse>>(const job::Kind&)> flags;
};

// Code that goes through a claim. All jobs of a line share it, so that it is sent once.
struct CodeForClaim {
  job::PackedCode code;
  std::string bytes;
  // The pod that writes to the claim has the user and the tolerations of this one.
  std::optional<job::PodPlan> plan = {};
  std::optional<Status> outcome = {};  // of sending it
};

struct Manifest {
  const job::Kind* kind = nullptr;
  std::string ns;
  Json object;
  std::vector<job::DependentObject> companions;       // created before the job, and owned by it
  std::vector<job::DependentObject> earlier = {};     // of an earlier run: the job owns them, too
  std::shared_ptr<const job::RenderInput> line = {};  // what the object was rendered from
  std::shared_ptr<const SentCode> sent = {};          // by --code
  std::shared_ptr<CodeForClaim> for_claim = {};       // by --code-claim
};

// Reads files and nothing else. Errors are Code::usage.
Result<Manifest> build_manifest(Access& access, const ManifestSource& source);

// The jobs that a line with --array makes, in the order of their index; never empty.
struct JobArray {
  std::string name;
  std::vector<Manifest> members;
};
// Builds a manifest for each combination of the axes' values; Code::usage for more than `limit`.
// Every file is read once.
Result<JobArray> build_array(Access& access, const ManifestSource& source,
                             const std::vector<job::ArrayAxis>& axes, long limit);

}  // namespace trainctl::work
