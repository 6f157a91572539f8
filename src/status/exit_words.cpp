// Exit codes above 128 are signals, if there is a signal of that number.
#include "status/exit_words.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text/text.h"
#include "status/state.h"

namespace trainctl::job {

namespace {

constexpr int k_signalled = 128;

// By number from 1 on, as Linux has them: replicas run there, wherever this program does.
constexpr std::string_view k_signals[] = {
    "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1", "SEGV",
    "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN", "TTOU",
    "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "POLL", "PWR",  "SYS"};

// The name of the signal; "" when there is none: 255 is most often a program's own -1.
std::string signal_name(std::int64_t exit_code) {
  constexpr auto k_last = k_signalled + static_cast<std::int64_t>(std::size(k_signals));
  if (exit_code <= k_signalled || exit_code > k_last) return "";
  return cat("SIG", k_signals[exit_code - k_signalled - 1]);
}

struct EndedPod {
  std::string_view reason;
  PodEnd end;
  std::string_view words;
};

// As kubelet, scheduler and the node and pod controllers of Kubernetes write them (KEP-3329).
constexpr EndedPod k_ended_pods[] = {
    {"Evicted", PodEnd::evicted, "was evicted"},
    {"EvictionByEvictionAPI", PodEnd::evicted, "was evicted"},
    {"TerminationByKubelet", PodEnd::evicted, "was terminated by its node"},
    {"PreemptionByScheduler", PodEnd::evicted, "was preempted"},
    {"Preempting", PodEnd::evicted, "was preempted"},
    {"NodeLost", PodEnd::lost, "lost its node"},
    {"NodeShutdown", PodEnd::lost, "lost its node"},
    {"DeletionByTaintManager", PodEnd::lost, "lost its node"},
    {"DeletionByPodGC", PodEnd::lost, "lost its node"},
    // A graceful shutdown of the node (KEP-2000), and that of the embedded cluster.
    {"Terminated", PodEnd::lost, "was terminated"},
};

constexpr EndedPod k_refused_pod{"", PodEnd::lost, "was refused by its node"};

const EndedPod* find_ended(std::string_view reason) {
  if (is_refusal_of_node(reason)) return &k_refused_pod;
  const auto found = std::ranges::find(k_ended_pods, reason, &EndedPod::reason);
  return found == std::end(k_ended_pods) ? nullptr : &*found;
}

std::string in_brackets(const std::vector<std::string>& words) {
  return words.empty() ? "" : cat(" (", join(words, ", "), ")");
}

}  // namespace

bool is_refusal_of_node(std::string_view reason) {
  return reason == "UnexpectedAdmissionError" || reason == "NodeAffinity" ||
         reason == "TopologyAffinityError" || reason.starts_with("OutOf");
}

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
  if (!reason.empty() && reason != "Error") why.push_back(printable_line(reason));
  return cat(exit_code ? cat("exited ", *exit_code) : "failed", in_brackets(why));
}

std::string exit_words(const LastExit& exit) {
  return exit_words(exit.code, exit.out_of_memory ? "OOMKilled" : "");
}

std::string restart_words(std::optional<std::int64_t> exit_code, std::int64_t restarts,
                          std::string_view reason, std::string_view error) {
  return cat(exit_code ? exit_words(exit_code, reason) : "ended", error.empty() ? "" : ": ", error,
             "; restarted (restart ", restarts, ")");
}

std::optional<PodEnd> pod_end(std::string_view pod_reason) {
  const EndedPod* ended = find_ended(pod_reason);
  return ended == nullptr ? std::nullopt : std::optional(ended->end);
}

std::string_view pod_end_words(std::string_view pod_reason) {
  const EndedPod* ended = find_ended(pod_reason);
  return ended == nullptr ? "" : ended->words;
}

}  // namespace trainctl::job
