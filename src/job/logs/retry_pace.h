// How often and how soon a log is asked for again.
#pragma once

#include <optional>

#include "base/time.h"
#include "kube/api_error.h"
#include "kube/auth_grace.h"

namespace trainctl::job {

class RetryPace {
 public:
  // `rights_known`: this log or another was read before, with the same rights.
  RetryPace(bool follows, bool rights_known);

  void accepted() { rights_.let_in(); }
  // The log can be read, or is asked for with another purpose: attempts count from here.
  void begin_anew() { failures_ = 0; }
  // An attempt has failed: how long to wait until the next one. nullopt: another would not fare
  // better, or enough have been made. `ended`: the container has.
  std::optional<Duration> failed(const kube::Refusal& refusal, bool ended, Time now);

  // How long a stream that is followed may be silent until it is asked for anew: one may have come
  // to the end of a file that the kubelet has rotated, or its path may be dead. Grows while nothing
  // comes.
  Duration idle_limit() const { return idle_limit_; }
  void was_idle();
  void was_busy();

 private:
  bool may_pass(const kube::Refusal& refusal, bool ended, Time now);

  bool follows_;
  kube::AuthGrace rights_;
  int failures_ = 0;  // in a row
  Duration idle_limit_;
};

}  // namespace trainctl::job
