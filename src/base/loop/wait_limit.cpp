// Turns a deadline and the ending signals into one error, whichever comes first.
#include "base/loop/wait_limit.h"

#include <algorithm>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"

namespace trainctl {

Error timed_out(const Deadline& deadline) {
  return {Code::timeout, cat("timed out after ", format_age(deadline.timeout)),
          "give a longer --timeout"};
}

WaitLimit::WaitLimit(Loop& loop, const std::optional<Deadline>& deadline)
    : loop_(loop), deadline_(deadline) {
  begin({});
}

WaitLimit::WaitLimit(Loop& loop, const WaitLimit* outer, Duration grace) : loop_(loop) {
  if (outer != nullptr) {
    deadline_ = outer->deadline_;
    reached_ = outer->reached_;
  }
  begin(grace);
}

void WaitLimit::begin(Duration grace) {
  const auto end = [this](const EndingSignal& signal) {
    reach({signal.code, std::string(signal.what_happened)});
  };
  EndingSignals& signals = loop_.ending_signals();
  if (signals.pending() != nullptr) end(*signals.pending());
  signals_ = signals.watch([this, end, grace](const EndingSignal& signal) {
    if (grace == Duration{} || grace_timer_) return end(signal);
    grace_timer_ = loop_.after(grace, [end, &signal] { end(signal); });
  });
  if (!deadline_ || deadline_->looks_once()) return;
  timer_ = loop_.after(std::max(deadline_->at - loop_.now(), Duration{}),
                       [this] { reach(timed_out(*deadline_)); });
}

void WaitLimit::reach(Error error) {
  if (!reached_) reached_ = std::move(error);
}

Status WaitLimit::run_until(const std::function<bool()>& done) {
  loop_.run_until([&] { return reached_.has_value() || done(); });
  if (done()) return {};
  return *reached_;
}

}  // namespace trainctl
