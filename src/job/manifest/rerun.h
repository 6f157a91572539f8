// Makes the manifest of another run of a job: the job's own object, without the fields that the
// server and the first run have written into it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/manifest/companions.h"
#include "kube/client/resource.h"

namespace trainctl::job {

// The annotation on another run of a job: that job's name.
inline constexpr std::string_view k_rerun_annotation = "trainctl/rerun-of";
// The annotation that proves who wrote that annotation and a job's place in an array.
inline constexpr std::string_view k_lineage_annotation = "trainctl/lineage";

// The part of `job` that a user may have written, its name included.
Json submitted_manifest(const Json& job);

// The manifest of another run of `job`. The server completes its name: "ddp-x7k2p" for a run of
// "ddp", or for another run of "ddp-x7k2p".
Json rerun_manifest(const Kind& kind, const Json& job);

// Names the run after the job with this uid, so that a second run of the same job meets a name that
// is taken. Leaves a manifest that has a name already.
void name_after_run(Json& manifest, const std::string& uid);

// True when the program's whole line is its command, so that a new line replaces the command, and
// not only the arguments after it.
bool words_were_command(const Kind& kind, const Json& manifest);

}  // namespace trainctl::job
