// Reads a TrainJob's trainer and runtimeRef.
#include "job/manifest/runtime_program.h"

#include <vector>

#include "base/text/text.h"
#include "job/manifest/check_fault.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

namespace {

// Trainer sets these itself, and refuses jobs that do.
constexpr std::string_view k_reserved = "PET_";

Status check_variables(const Json& job) {
  const std::string place = cat(k_runtime_program, "/env");
  const Json& variables = array_at(job, place);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string name = text_at(variables[i], "/name");
    if (!name.starts_with(k_reserved)) continue;
    return manifest_fault(cat(place, '/', i), cat(printable_line(name), " is set by the runtime"),
                          "leave it out: numNodes and numProcPerNode decide its value");
  }
  return {};
}

}  // namespace

bool runs_by_runtime(const Kind& kind) {
  return kind.replica_specs.empty();
}

std::string runtime_footprint(const Kind& kind, const Json& job) {
  const std::string runtime = text_at(job, "/spec/runtimeRef/name");
  const Json amounts = {{"resources", object_at(job, cat(k_runtime_program, "/resourcesPerNode"))}};
  std::vector<std::string> roles;
  std::int64_t pods = 0;
  for (const Role& role : kind.roles) {
    const int count = replica_count(kind, job, role);
    if (count == 0) continue;
    if (!role.prepares() && !has_known_count(kind, job, role)) {
      return cat("as many pods as runtime ", printable_line(runtime), " says");
    }
    pods += count;
    roles.push_back(cat(role.prefix, ' ', count));
  }
  const std::int64_t gpus = gpus_of(amounts) * replica_count(kind, job, *find_role(kind, "node"));
  return cat(plural(pods, "pod"), " (", join(roles, " + "), "), ",
             gpus == 0 ? "no GPUs of its own" : plural(gpus, "GPU"), ", runtime ",
             printable_line(runtime));
}

Status check_runtime_program(const Kind& kind, const Json& job) {
  if (text_at(job, "/spec/runtimeRef/name").empty()) {
    return manifest_fault("/spec/runtimeRef/name", "is missing",
                          "trainctl runtimes lists those of the cluster");
  }
  for (const Role& role : kind.roles) {
    if (!role.count_at.empty()) TRY(check_number(job, std::string(role.count_at), 1));
  }
  return check_variables(job);
}

}  // namespace trainctl::job
