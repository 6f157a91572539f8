// Allows one minute from the first denial.
#include "kube/auth/auth_grace.h"

namespace trainctl::kube {
namespace {

constexpr Duration k_denial_patience = std::chrono::seconds(60);

}  // namespace

void AuthGrace::accepted() {
  known_ = true;
  since_.reset();
}

bool AuthGrace::may_pass(const Refusal& refusal, Time now) {
  if (!known_ || (refusal.status != 401 && refusal.status != 403)) return false;
  if (!since_) since_ = now;
  return now - *since_ < k_denial_patience;
}

}  // namespace trainctl::kube
