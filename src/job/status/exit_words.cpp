// Exit codes above 128 are signals, if there is a signal of that number.
#include "job/status/exit_words.h"

#include <cstring>
#include <vector>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

constexpr int k_signalled = 128;
constexpr int k_last_signal_code = 255;

// The name of the signal; "" when there is none: 255 is most often a program's own -1.
std::string signal_name(std::int64_t exit_code) {
  if (exit_code <= k_signalled || exit_code > k_last_signal_code) return "";
  const char* name = sigabbrev_np(static_cast<int>(exit_code) - k_signalled);
  return name == nullptr ? "" : cat("SIG", name);
}

std::string in_brackets(const std::vector<std::string>& words) {
  return words.empty() ? "" : cat(" (", join(words, ", "), ")");
}

}  // namespace

std::optional<int> signal_of(std::int64_t exit_code) {
  if (signal_name(exit_code).empty()) return std::nullopt;
  return static_cast<int>(exit_code) - k_signalled;
}

std::string exit_code_words(std::int64_t exit_code) {
  const std::string signal = signal_name(exit_code);
  return signal.empty() ? cat(exit_code) : cat(exit_code, " (", signal, ")");
}

std::string exit_words(std::optional<std::int64_t> exit_code, std::string_view reason) {
  std::vector<std::string> why;
  const std::string signal = exit_code ? signal_name(*exit_code) : "";
  if (!signal.empty()) why.push_back(signal);
  if (!reason.empty() && reason != "Error") why.emplace_back(reason);
  return cat(exit_code ? cat("exited ", *exit_code) : "failed", in_brackets(why));
}

std::string restart_words(std::optional<std::int64_t> exit_code, std::int64_t restarts) {
  return cat(exit_code ? exit_words(exit_code) : "ended", "; restarted (restart ", restarts, ")");
}

std::string_view node_end_words(std::string_view pod_reason) {
  if (pod_reason == "Evicted") return "was evicted";
  // A graceful shutdown of the node (KEP-2000), and that of the embedded cluster.
  if (pod_reason == "Terminated") return "was terminated";
  return "";
}

}  // namespace trainctl::job
