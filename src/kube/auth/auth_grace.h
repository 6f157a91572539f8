// Decides whether a 401 or 403 may be temporary.
#pragma once

#include <optional>

#include "base/text/time.h"
#include "kube/client/api_error.h"

namespace trainctl::kube {

// An API server that has just started refuses valid tokens, and rights that it has not loaded yet
// (seen on Kubernetes 1.34 for some seconds), so a client that was accepted before is likely to be
// accepted again.
class AuthGrace {
 public:
  void accepted();
  // False for other refusals than 401 and 403, for a client that was never accepted, and a minute
  // after the first such refusal.
  bool may_pass(const Refusal& refusal, Time now);

 private:
  bool known_ = false;         // was accepted at least once
  std::optional<Time> since_;  // first refusal since then
};

}  // namespace trainctl::kube
