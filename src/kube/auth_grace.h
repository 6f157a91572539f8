// Whether being refused for who one is may pass.
#pragma once

#include <optional>

#include "base/time.h"
#include "kube/api_error.h"

namespace trainctl::kube {

// An API server that has just started refuses tokens, and rights that it has not read yet (seen on
// Kubernetes 1.34 for some seconds): who was let in before is likely to be let in again.
class AuthGrace {
 public:
  void let_in();
  // False for what is no 401 or 403, for who never was let in, and after a minute of it.
  bool may_pass(const Refusal& refusal, Time now);

 private:
  bool known_ = false;         // let in once, at least
  std::optional<Time> since_;  // and not since then
};

}  // namespace trainctl::kube
