// Doubles the delay after each failure, and decides which refusals are temporary.
#include "logs/retry_pace.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "net/http.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_no_run_before = "previous terminated container";

bool says(const kube::Refusal& refusal, int status, std::string_view words) {
  return refusal.status == status && refusal.message.find(words) != std::string::npos;
}

}  // namespace

bool waits_to_start(const kube::Refusal& refusal) {
  return says(refusal, 400, "waiting to start");
}

bool node_lacks_it(const kube::Refusal& refusal) {
  return says(refusal, 404, "pods/log");
}

bool node_deleted_it(const kube::Refusal& refusal) {
  return says(refusal, 400, k_no_run_before);
}

bool has_no_run_before(const Error& error) {
  return error.code == Code::refused && error.message.find(k_no_run_before) != std::string::npos;
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration k_longest_retry_wait = seconds(15);  // between two attempts
// Attempts to read the rest of a followed container that has ended: together three minutes, enough
// for a node or an API server to come back, or for one of many broken answers to deliver a line.
constexpr int k_attempts_after_end = 16;
constexpr int k_attempts_without_follow = 6;
constexpr Duration k_lasting = seconds(5);  // of an answer: the log can be read
constexpr Duration k_idle = seconds(60);
constexpr Duration k_longest_idle_limit = seconds(480);

}  // namespace

RetryPace::RetryPace(bool follows, bool rights_known) : follows_(follows), idle_limit_(k_idle) {
  if (rights_known) rights_.accepted();
}

void RetryPace::accepted(Time now) {
  rights_.accepted();
  opened_ = now;
}

std::optional<Duration> RetryPace::failed(const kube::Failure& failure, bool ended, Time now) {
  const auto opened = std::exchange(opened_, std::nullopt);
  if (!ended && opened && now - *opened >= k_lasting) begin_anew();
  ++failures_;
  if (!may_pass(failure, ended, now)) return std::nullopt;
  const Duration own = std::min<Duration>(milliseconds(500) * (1 << std::min(failures_ - 1, 5)),
                                          k_longest_retry_wait);
  return failure.refusal.retry_after.value_or(own);
}

bool RetryPace::may_pass(const kube::Failure& failure, bool ended, Time now) {
  const kube::Refusal& refusal = failure.refusal;
  if (follows_ && rights_.may_pass(refusal, now)) return true;
  const bool bounded = ended || !follows_;
  // Nothing comes back that this process itself lacks.
  const bool is_patient = follows_ && !net::is_too_many_open(failure.error);
  if (bounded && failures_ >= (is_patient ? k_attempts_after_end : k_attempts_without_follow))
    return false;
  if (!follows_ && kube::is_permanent(refusal)) return false;
  const int status = refusal.status;
  return status == 0 || status == 429 || status >= 500 || node_lacks_it(refusal);
}

void RetryPace::was_idle() {
  idle_limit_ = std::min(idle_limit_ * 2, k_longest_idle_limit);
}

void RetryPace::was_busy() {
  idle_limit_ = k_idle;
}

}  // namespace trainctl::job
