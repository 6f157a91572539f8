// Finds the rights over nodes that a manifest gives its pods, and the program that it runs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The rights that reach beyond a container: "hostPID", "hostPath /etc", "privileged", "capability
// SYS_ADMIN", "runAsUser 0", … Each once, in the order of the manifest. It examines every field, so
// that no kind of job, no init container and no patch of a runtime hides one.
std::vector<std::string> node_rights(const Json& manifest);

// Everything that the pods run and may do: images, commands, variables, mounts, security, accounts.
// Two manifests of one job have equal values although a server or a queue has completed one of
// them: what a server adds by default is left out, and so is where the pods may be placed.
Json program_of_pods(const Kind& kind, const Json& manifest);

// The names of the variables that differ between two of these, each once and in order. A value may
// be a credential.
std::vector<std::string> changed_variables(const Json& program, const Json& other);

// The program of pods for somebody who decides whether it may run: "image registry/a:1", "program
// python train.py", "service account admin", and the rights; each once.
std::vector<std::string> program_words(const Kind& kind, const Json& manifest);

}  // namespace trainctl::job
