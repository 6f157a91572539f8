// The connection that a pod's service account provides.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/result.h"
#include "kube/config/kubeconfig.h"

namespace trainctl::kube {

// True inside a pod: the service's address is in the environment and a token is mounted.
bool in_cluster(Files& files, const Environment& env);

// POD_NAMESPACE, else the mounted namespace, else "".
std::string in_cluster_namespace(Files& files, const Environment& env);

// The connection; --server, --token and --certificate-authority override its parts.
Result<Connection> in_cluster_connection(Files& files, const Environment& env,
                                         const ConnectionFlags& flags);

}  // namespace trainctl::kube
