// The signals that end a command in order: it says how things stand and leaves its reports.
#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
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
     {SIGTERM, Code::terminated, "terminated"},
     {SIGHUP, Code::hung_up, "the terminal was closed"}}};

// nullptr when none of them leads to this exit status.
constexpr const EndingSignal* ending_signal(Code code) {
  const auto* const found = std::ranges::find_if(
      k_ending_signals, [code](const EndingSignal& one) { return one.code == code; });
  return found == k_ending_signals.end() ? nullptr : found;
}

// Runs the callback at each of these signals, while the handles live.
inline std::vector<HandlePtr> on_ending_signals(
    Loop& loop, const std::function<void(const EndingSignal&)>& callback) {
  std::vector<HandlePtr> handles;
  for (const EndingSignal& signal : k_ending_signals) {
    handles.push_back(loop.on_signal(signal.number, [&signal, callback] { callback(signal); }));
  }
  return handles;
}

}  // namespace trainctl
