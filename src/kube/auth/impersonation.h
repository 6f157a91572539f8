// Request headers for acting as another user (--as and related flags).
#pragma once

#include <vector>

#include "kube/config/kubeconfig.h"
#include "net/http.h"

namespace trainctl::kube {

// Empty when no user is named; make_auth() has refused a uid, groups or extra fields without one.
std::vector<net::Header> impersonation_headers(const AuthInfo& auth);

}  // namespace trainctl::kube
