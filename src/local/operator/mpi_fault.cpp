// Has the texts of training-operator 1.9's pkg/apis/…/validation of MPIJobs.
#include "local/operator/mpi_fault.h"

#include "base/text/text.h"

namespace trainctl::local {

std::string mpi_fault(const Json& job) {
  const Json* map = find(job, "/spec/mpiReplicaSpecs");
  if (map == nullptr || !map->is_object()) return "MPIReplicaSpecs is not valid";
  for (const auto& [role, spec] : map->items()) {
    const Json& containers = array_at(spec, "/template/spec/containers");
    if (containers.empty()) {
      return cat("MPIReplicaSpecs is not valid: containers definition expected in ", role);
    }
    if (role != "Launcher" && role != "Worker") {
      return cat("MPIReplicaType is ", role, " but must be one of [Launcher Worker]");
    }
    for (const Json& container : containers) {
      const bool no_image = text_at(container, "/image").empty();
      if (!no_image && !text_at(container, "/name").empty()) continue;
      return cat("MPIReplicaSpec is not valid: ", no_image ? "Image" : "ImageName",
                 " is undefined in the container of ", role);
    }
    if (role == "Launcher" && int_at(spec, "/replicas").value_or(1) != 1) {
      return "MPIReplicaSpec is not valid: There must be only 1 launcher replica";
    }
  }
  if (find(*map, "/Launcher") == nullptr) {
    return "MPIReplicaSpec is not valid: Master ReplicaSpec must be present";
  }
  return "";
}

}  // namespace trainctl::local
