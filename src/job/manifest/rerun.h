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

// The annotation with the name of the job that a job is another run of.
inline constexpr std::string_view k_rerun_annotation = "trainctl/rerun-of";

// The manifest of another run of `job`. The server completes its name: "ddp-x7k2p" for a run of
// "ddp", or for another run of "ddp-x7k2p".
Json rerun_manifest(const Kind& kind, const Json& job);

// True when the words of its program are its command, so that other words replace that, and not
// only arguments behind it.
bool words_were_command(const Kind& kind, const Json& manifest);

// A config map or secret that the pods of a manifest need.
struct NeededObject {
  kube::Resource resource;
  std::string name;
  bool is_optional = false;  // the pods start without it, too

  std::string title() const { return title_of(resource, name); }
};

// Each once, in the order of the manifest; one that is optional here and required there is
// required.
std::vector<NeededObject> needed_objects(const Json& manifest);

}  // namespace trainctl::job
