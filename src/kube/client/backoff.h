// Decides how long to wait after each consecutive failure, and when to give up.
#pragma once

#include <optional>

#include "base/text/time.h"
#include "kube/client/api_error.h"

namespace trainctl::kube {

class Backoff {
 public:
  explicit Backoff(Duration patience) : patience_(patience) {}

  // The next delay: 0.5 s, doubling to 8 s.
  Duration next_delay();
  // Like next_delay(), but none after the first failure in a row.
  Duration delay_after_first();
  // The same delay, or `wish` of the server or the transport, for failures that count against the
  // patience; nullopt when the next attempt would come after its end.
  std::optional<Duration> delay_in_trouble(Time now, std::optional<Duration> wish);

  bool in_a_row() const { return failures_ > 0; }
  void recovered();                    // requests succeed
  void answered() { since_.reset(); }  // the server answers, though requests may still fail

 private:
  Duration patience_;
  int failures_ = 0;
  std::optional<Time> since_;
};

// Spreads out the requests that resume after all of them have lost the same server.
class Spread {
 public:
  // Returns how much longer the next caller waits: the first few not at all, each later one its own
  // part of two seconds.
  Duration next(Time now);

 private:
  Time since_{};  // when the first of those that are counted came
  int count_ = 0;
};

// Decides whether a 401 or 403 may be temporary. An API server that has just started refuses valid
// tokens, and rights that it has not loaded yet (seen on Kubernetes 1.34 for some seconds), so a
// client that was accepted before is likely to be accepted again.
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
