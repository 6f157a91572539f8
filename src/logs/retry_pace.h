// Decides how often and how soon a log is requested again, and interprets refusals.
#pragma once

#include <optional>

#include "base/text/time.h"
#include "kube/client/api_error.h"
#include "kube/client/backoff.h"
#include "kube/client/client.h"

namespace trainctl::job {

// Interprets refusals of log requests by the messages of API server and kubelet, since many share
// the same status and reason.
bool waits_to_start(const kube::Refusal& refusal);

// True when the node does not know the pod: for about a second after its start, a kubelet does not
// find the pods that run on it. The API server's message names "pods/log" when the node lacks the
// object, and "pods" when the API server itself does.
bool node_lacks_it(const kube::Refusal& refusal);

// True when the node has deleted the log: it keeps the log of at most one ended run of a container.
bool node_deleted_it(const kube::Refusal& refusal);
// True when the error, made from such a refusal, says that there is no previous run. A container
// that was never restarted is refused in the same way.
bool has_no_run_before(const Error& error);

class RetryPace {
 public:
  // `rights_known` says that this or another log was read before with the same credential.
  RetryPace(bool follows, bool rights_known);

  // A request was answered. An answer that stays open for a while is no failed attempt.
  void accepted(Time now);
  // A new line came, or the log is requested for another reason: attempts are counted anew.
  void begin_anew() { failures_ = 0; }
  // An attempt has failed. Returns how long to wait before the next one; nullopt when another would
  // not succeed, or enough were made. `ended` says that the container has ended.
  std::optional<Duration> failed(const kube::Failure& failure, bool ended, Time now);

  // The time a followed stream may be silent before it is requested anew, since it may have reached
  // the end of a file that the kubelet has rotated, or its connection may be dead. Grows while
  // nothing comes.
  Duration idle_limit() const { return idle_limit_; }
  void was_idle();
  void was_busy();

 private:
  bool may_pass(const kube::Failure& failure, bool ended, Time now);

  bool follows_;
  kube::AuthGrace rights_;
  int failures_ = 0;  // consecutive
  std::optional<Time> opened_;
  Duration idle_limit_;
};

}  // namespace trainctl::job
