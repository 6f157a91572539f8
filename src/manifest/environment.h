// Environment variables of containers: as a manifest has them, and as Kubernetes expands them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// Holds the job's name; a generated name is known only when its pods exist.
inline constexpr std::string_view k_job_variable = "TRAINCTL_JOB_NAME";

// Has the value of a label of the pod.
inline Json from_label(std::string_view name, std::string_view label) {
  const std::string path = cat("metadata.labels['", label, "']");
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

// The variable of that name in a container, null = none: a later one replaces an earlier one.
const Json* last_variable(const Json& container, std::string_view name);

// Adds MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK, PET_MASTER_ADDR, PET_MASTER_PORT and
// PET_NODE_RANK to the workers of a PyTorchJob manifest without Master and without elasticPolicy,
// where the user has not set them. Job name and index come from pod labels by the downward API, so
// that a generated name works too. (training-operator pkg/controller.v1/pytorch/envvar.go sets them
// only when a Master exists.)
void add_rendezvous_environment(const Kind& kind, Json& manifest);

// Switches PyTorch's flight recorder on in each training container: it keeps the last collectives
// and writes them to files when NCCL times out, or when somebody writes to its pipe. Leaves alone
// what the user has set.
void add_flight_recorder(const Kind& kind, Json& manifest);

// Gives the processes of each torchrun the grace period of their pod: torchrun kills them 30
// seconds after SIGTERM otherwise. Leaves alone what the user has set.
void add_shutdown_timeout(const Kind& kind, Json& manifest);

// Lets each training container find the packages that an init container named `init_name` installs
// at `path`, in front of the user's PYTHONPATH. Code::usage when its value is not in the manifest.
Status add_python_path(const Kind& kind, std::string_view init_name, std::string_view path,
                       Json& manifest);

// Expands $(NAME) in a container's arguments and variables as Kubernetes does, and escapes text
// from it.
using Variables = std::map<std::string, std::string, std::less<>>;

// The text after the kubelet's expansion: $(NAME) of a known variable becomes its value, an unknown
// one is unchanged, and $$ becomes $. (k8s.io/kubernetes/third_party/forked/golang/expansion)
std::string expanded(std::string_view text, const Variables& variables);

// The text that expands to `text`, byte for byte, whatever the variables are.
std::string unexpanded(std::string_view text);

// The value of metadata.labels['x'], status.podIP, …; nullopt when the downward API has no such
// field.
std::optional<std::string> field_of(const Json& pod, std::string_view path);

// The value of limits.cpu, requests.memory, … in units of the divisor, rounded up; nullopt when the
// container sets none, so that the node decides. A limit is also a request.
std::optional<std::string> resource_of(const Json& container, std::string_view resource,
                                       std::string_view divisor);

// A quantity in units of the divisor, rounded up; "0" when it is none.
std::string in_units(std::string_view quantity, std::string_view divisor);

// The lines of a file of environment variables, as `docker run --env-file` reads them. Pure. The
// lines that --env would take: NAME=VALUE, or NAME alone for the user's own variable. Blanks in
// front of a name, empty lines and those that begin with '#' are left out; quotes are part of a
// value. Code::usage for a name that no variable may have, with its line but without the value.
Result<std::vector<std::string>> env_file_variables(std::string_view text);

}  // namespace trainctl::job
