// The signals that end a command in order: it says how things stand and leaves its reports.
#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <list>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/loop/loop.h"

namespace trainctl {

struct EndingSignal {
  int number;
  Code code;
  std::string_view what_happened;
};

inline constexpr std::array<EndingSignal, 3> k_ending_signals = {
    {{SIGINT, Code::interrupted, "interrupted"},
     {SIGTERM, Code::terminated, "terminated (SIGTERM)"},
     {SIGHUP, Code::hung_up, "hung up (SIGHUP)"}}};

// nullptr when none of them leads to this exit status.
constexpr const EndingSignal* ending_signal(Code code) {
  const auto* const found = std::ranges::find_if(
      k_ending_signals, [code](const EndingSignal& one) { return one.code == code; });
  return found == k_ending_signals.end() ? nullptr : found;
}

// The one listener of a command (Loop::ending_signals). While it lives, these signals do not kill
// the process. A signal that comes while nobody watches stays pending, and ends the next wait; a
// second one then kills the process, since nobody may ever look.
class EndingSignals {
 public:
  using Callback = std::function<void(const EndingSignal&)>;

  explicit EndingSignals(Loop& loop);
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  // The last signal; nullptr when there was none, or forget() was called since.
  const EndingSignal* pending() const { return pending_; }
  // Call it before work that a signal itself has caused, such as rolling back: only a further
  // signal ends that.
  void forget() { pending_ = nullptr; }
  // Runs the callback at each signal while the handle lives, and on the next turn for the pending
  // one.
  [[nodiscard]] HandlePtr watch(Callback callback);
  // Does what the signal would do. Call it inside Loop::run_until.
  void take(const EndingSignal& signal);

 private:
  class Watch;

  Loop& loop_;
  const EndingSignal* pending_ = nullptr;
  std::list<Watch*> watches_;
  std::vector<HandlePtr> handles_;
};

}  // namespace trainctl
