// Turns a deadline and the ending signals into one error, whichever comes first.
#include "base/loop/wait_limit.h"

#include <algorithm>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"

namespace trainctl {

WaitLimit::WaitLimit(Loop& loop, const std::optional<Deadline>& deadline) : loop_(loop) {
  signals_ = on_ending_signals(loop, [this](const EndingSignal& signal) {
    reach({signal.code, std::string(signal.what_happened)});
  });
  // A timeout of zero asks once, and takes the answer.
  if (!deadline || deadline->timeout == Duration{}) return;
  timer_ = loop.after(std::max(deadline->at - loop.now(), Duration{}), [this, deadline] {
    reach({Code::timeout, cat("timed out after ", format_age(deadline->timeout)),
           "give a longer --timeout"});
  });
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
