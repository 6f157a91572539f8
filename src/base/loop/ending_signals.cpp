// Keeps signals from getting lost between two waits of a command.
#include "base/loop/ending_signals.h"

#include <utility>

namespace trainctl {

class EndingSignals::Watch : public Handle {
 public:
  Watch(EndingSignals& signals, Callback callback)
      : signals_(signals), callback_(std::make_shared<Callback>(std::move(callback))) {
    signals_.watches_.push_back(this);
    if (signals_.pending_ == nullptr) return;
    earlier_ = signals_.loop_.after({}, [this] {
      if (signals_.pending_ != nullptr) run(*signals_.pending_);
    });
  }
  ~Watch() override { signals_.watches_.remove(this); }

  // The callback may destroy this object.
  void run(const EndingSignal& signal) {
    const std::shared_ptr<Callback> callback = callback_;
    earlier_.reset();
    (*callback)(signal);
  }

 private:
  EndingSignals& signals_;
  std::shared_ptr<Callback> callback_;
  HandlePtr earlier_;
};

Loop::Loop() = default;

Loop::~Loop() = default;

EndingSignals& Loop::ending_signals() {
  if (!ending_signals_) ending_signals_ = std::make_unique<EndingSignals>(*this);
  return *ending_signals_;
}

EndingSignals::EndingSignals(Loop& loop) : loop_(loop) {
  for (const EndingSignal& signal : k_ending_signals) {
    handles_.push_back(loop.on_signal(signal.number, [this, &signal] { take(signal); }));
  }
}

HandlePtr EndingSignals::watch(Callback callback) {
  return std::make_unique<Watch>(*this, std::move(callback));
}

void EndingSignals::take(const EndingSignal& signal) {
  if (watches_.empty() && pending_ != nullptr) {
    handles_.clear();  // the default action is back
    std::raise(signal.number);
  }
  pending_ = &signal;
  const std::list<Watch*> watches = watches_;
  for (Watch* const watch : watches) {
    const bool lives = std::ranges::find(watches_, watch) != watches_.end();
    if (lives) watch->run(signal);
  }
}

}  // namespace trainctl
