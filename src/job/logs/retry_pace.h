// Decides how often and how soon a log is requested again.
#pragma once

#include <optional>

#include "base/text/time.h"
#include "kube/auth/auth_grace.h"
#include "kube/client/api_error.h"

namespace trainctl::job {

class RetryPace {
 public:
  // `rights_known` says that this or another log was read before with the same credential.
  RetryPace(bool follows, bool rights_known);

  void accepted() { rights_.accepted(); }
  // The log can be read, or is requested for another reason: attempts are counted anew.
  void begin_anew() { failures_ = 0; }
  // An attempt has failed. Returns how long to wait before the next one; nullopt when another would
  // not succeed, or enough were made. `ended` says that the container has ended.
  std::optional<Duration> failed(const kube::Refusal& refusal, bool ended, Time now);

  // The time a followed stream may be silent before it is requested anew, since it may have reached
  // the end of a file that the kubelet has rotated, or its connection may be dead. Grows while
  // nothing comes.
  Duration idle_limit() const { return idle_limit_; }
  void was_idle();
  void was_busy();

 private:
  bool may_pass(const kube::Refusal& refusal, bool ended, Time now);

  bool follows_;
  kube::AuthGrace rights_;
  int failures_ = 0;  // consecutive
  Duration idle_limit_;
};

}  // namespace trainctl::job
