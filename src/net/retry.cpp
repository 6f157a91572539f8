// Repeats unary calls by the rules in retry.h.
#include "net/retry.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "base/text/text.h"
#include "net/http.h"

namespace trainctl::net {

std::optional<Duration> retry_after(const ResponseHead& head) {
  constexpr long k_longest_seconds = 86'400;
  const auto seconds = parse_number<long>(head.header("Retry-After"));
  if (!seconds || *seconds < 0 || *seconds > k_longest_seconds) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

namespace {

constexpr int k_too_many_requests = 429;
constexpr auto k_first_wait = std::chrono::milliseconds(500);
constexpr Duration k_longest_backoff = std::chrono::seconds(8);
constexpr int k_first_contact_attempts = 4;
constexpr int k_internal_error_attempts = 4;
constexpr double k_jitter = 0.2;
// An answer is held until it is complete, so that a truncated one can be requested again. Beyond
// this size it is passed on as it comes.
constexpr std::size_t k_hold_limit = std::size_t{16} << 20;

struct RetryParts {
  Loop& loop;
  std::unique_ptr<Transport> inner;
  RetryPolicy policy;
  OnRetryWait on_wait;
  std::minstd_rand random;
  bool answered = false;                          // the server has answered at least once
  std::map<std::string, Time> silent_until = {};  // by reason: when it may be reported again

  // Parallel requests meet the same failure, so it is reported once until the wait is over.
  void report(const std::string& reason, Duration wait) {
    if (!on_wait) return;
    Time& until = silent_until[reason];
    if (loop.now() < until) return;
    until = loop.now() + wait;
    on_wait(reason, wait);
  }

  Duration backoff(int attempt) {
    const Duration wait =
        std::min<Duration>(k_first_wait * (1LL << std::min(attempt - 1, 8)), k_longest_backoff);
    const double factor = 1 + k_jitter * std::uniform_real_distribution<>()(random);
    return std::chrono::duration_cast<Duration>(wait * factor);
  }
};

constexpr int k_unavailable = 503;

bool is_worth_repeating(const Request& request, int status) {
  if (request.method == "POST") return status == k_too_many_requests || status == k_unavailable;
  return status == k_too_many_requests || status >= 500;
}

// How often an answer that names no time is asked for again. A 500 may be etcd's change of leader,
// which takes seconds, but more often it comes again.
int attempts_at(int status, const RetryPolicy& policy) {
  if (status == 500) return std::min(k_internal_error_attempts, policy.attempts);
  const bool overload =
      status == k_too_many_requests || status == 502 || status == k_unavailable || status == 504;
  return overload ? policy.attempts : 1;
}

// One call with all its attempts.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(std::shared_ptr<RetryParts> shared, Request request, Handlers handlers)
      : shared_(std::move(shared)), request_(std::move(request)), handlers_(std::move(handlers)) {
    const Time now = shared_->loop.now();
    began_ = now;
    deadline_ = now + std::min(shared_->policy.budget, request_.timeout);
  }

  void attempt() {
    ++attempts_;
    before_ = std::exchange(now_, {});
    Request request = request_;
    // The remaining time; at least 1 ms, because 0 would mean no limit.
    const Duration spent = shared_->loop.now() - began_;
    request.timeout = std::max<Duration>(request.timeout - spent, std::chrono::milliseconds(1));
    Handlers handlers;
    handlers.on_head = [self = shared_from_this()](const ResponseHead& head) {
      self->on_head(head);
    };
    handlers.on_data = [self = shared_from_this()](std::string_view data) { self->on_data(data); };
    handlers.on_done = [self = shared_from_this()](Status status) {
      self->on_done(std::move(status));
    };
    handlers.on_transient = [self = shared_from_this()](std::optional<Duration> pause) {
      self->now_.transient = true;
      self->now_.pause = pause;
    };
    handlers.on_unsent = [self = shared_from_this()] { self->now_.unsent = true; };
    running_ = shared_->inner->start(std::move(request), std::move(handlers));
  }
  void abandon() {
    abandoned_ = true;
    running_.reset();
    waiting_.reset();
  }

 private:
  // The outcome of an attempt.
  struct Outcome {
    std::optional<ResponseHead> head;
    std::string held;
    Status status;
    bool transient = false;
    bool unsent = false;
    std::optional<Duration> pause;  // requested by the transport
  };

  bool is_get() const { return request_.method == "GET"; }

  void on_head(const ResponseHead& head) {
    now_.head = head;
    shared_->answered = true;
    if (!is_get() && !is_worth_repeating(request_, head.status)) pass_on();
  }
  void on_data(std::string_view data) {
    if (passing_on_) return emit_data(data);
    now_.held += data;
    if (now_.held.size() > k_hold_limit) pass_on();
  }
  void on_done(Status status) {
    now_.status = std::move(status);
    if (!now_.unsent) maybe_sent_ = true;
    const auto wait = passing_on_ ? std::nullopt : next_wait();
    if (wait) return try_again_in(*wait);
    if (was_cut_short()) now_ = std::move(before_);
    if (now_.head) pass_on();
    if (abandoned_) return;
    running_.reset();
    if (now_.transient && handlers_.on_transient) handlers_.on_transient(now_.pause);
    if (!maybe_sent_ && handlers_.on_unsent) handlers_.on_unsent();
    if (handlers_.on_done) handlers_.on_done(std::move(now_.status));
  }

  // The last attempt has only the time that the others left, so its timeout says less than the
  // failure before it.
  bool was_cut_short() const {
    constexpr auto k_clock_tick = std::chrono::milliseconds(1);
    const bool time_is_up = shared_->loop.now() + k_clock_tick >= began_ + request_.timeout;
    return attempts_ > 1 && !passing_on_ && !now_.status && time_is_up;
  }

  // Emits the held answer once; later data is passed on directly.
  void pass_on() {
    if (std::exchange(passing_on_, true)) return;
    if (handlers_.on_head) handlers_.on_head(*now_.head);
    if (!now_.held.empty()) emit_data(std::exchange(now_.held, {}));
  }
  void emit_data(std::string_view data) {
    if (!abandoned_ && handlers_.on_data) handlers_.on_data(data);
  }

  std::optional<Duration> next_wait() {
    if (attempts_ >= shared_->policy.attempts) return std::nullopt;
    const auto wait = now_.status ? wait_after_answer() : wait_after_failure();
    if (!wait || shared_->loop.now() + *wait > deadline_) return std::nullopt;
    return wait;
  }
  std::optional<Duration> wait_after_answer() {
    if (!now_.head || !is_worth_repeating(request_, now_.head->status)) return std::nullopt;
    if (const auto asked = retry_after(*now_.head)) return asked;
    if (!is_get() || attempts_ >= attempts_at(now_.head->status, shared_->policy)) {
      return std::nullopt;
    }
    return backoff();
  }
  std::optional<Duration> wait_after_failure() {
    if (!now_.transient || (maybe_sent_ && !is_get())) return std::nullopt;
    if (now_.pause) return now_.pause;
    if (!shared_->answered && attempts_ >= k_first_contact_attempts) return std::nullopt;
    return backoff();
  }
  // A call with little time makes several attempts in what is left of it.
  Duration backoff() const {
    const Duration wait = shared_->backoff(attempts_);
    if (request_.timeout >= shared_->policy.budget) return wait;
    const Duration left = deadline_ - shared_->loop.now();
    return std::min(wait, std::max<Duration>(left / 4, k_first_wait));
  }

  void try_again_in(Duration wait) {
    std::string reason;
    if (!now_.status) {
      reason = now_.status.error().message;
    } else {
      const bool busy = now_.head->status == k_too_many_requests;
      reason = cat(busy ? "server busy (" : "server failing (", now_.head->status, ')');
    }
    shared_->report(reason, wait);
    running_.reset();
    waiting_ = shared_->loop.after(wait, [self = shared_from_this()] { self->attempt(); });
  }

  std::shared_ptr<RetryParts> shared_;
  Request request_;
  Handlers handlers_;
  Time began_;
  Time deadline_;
  int attempts_ = 0;
  Outcome now_, before_;  // of the current attempt, and of the one before it
  bool passing_on_ = false;
  bool maybe_sent_ = false;  // by any attempt
  bool abandoned_ = false;
  HandlePtr running_;
  HandlePtr waiting_;
};

class CallHandle : public Handle {
 public:
  explicit CallHandle(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  ~CallHandle() override { call_->abandon(); }

 private:
  std::shared_ptr<Call> call_;
};

class RetryTransport : public Transport {
 public:
  explicit RetryTransport(RetryParts shared)
      : shared_(std::make_shared<RetryParts>(std::move(shared))) {}

  HandlePtr start(Request request, Handlers handlers) override {
    const bool unary = request.timeout > Duration::zero();
    if (!unary || request.owner_retries)
      return shared_->inner->start(std::move(request), std::move(handlers));
    auto call = std::make_shared<Call>(shared_, std::move(request), std::move(handlers));
    call->attempt();
    return std::make_unique<CallHandle>(std::move(call));
  }

 private:
  std::shared_ptr<RetryParts> shared_;
};

}  // namespace

std::unique_ptr<Transport> make_retry(Loop& loop, std::unique_ptr<Transport> inner,
                                      RetryPolicy policy, OnRetryWait on_wait) {
  // The current time is a sufficient seed to spread many clients, and keeps scripted time
  // repeatable.
  const auto seed =
      static_cast<std::minstd_rand::result_type>(loop.now().time_since_epoch().count());
  return std::make_unique<RetryTransport>(
      RetryParts{loop, std::move(inner), policy, std::move(on_wait), std::minstd_rand(seed)});
}

}  // namespace trainctl::net
