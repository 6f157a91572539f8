// Looks at the init containers in the order in which they start.
#include "job/status/init_state.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/code.h"
#include "job/status/exit_words.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_message_begins = "init container ";
constexpr std::string_view k_needs_tools =
    "; its image must have sh, tar and gzip, or --code-image must name one that does";

// True for an init container that keeps running beside the others
// (https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/).
bool is_native_sidecar(const Json& pod, std::string_view name) {
  const Json& containers = array_at(pod, "/spec/initContainers");
  return std::ranges::any_of(containers, [name](const Json& container) {
    return text_at(container, "/name") == name && text_at(container, "/restartPolicy") == "Always";
  });
}

std::string init_exit_words(const std::string& name, std::int64_t code) {
  return cat(k_message_begins, name, ' ', exit_words(code),
             name == k_code_container ? k_needs_tools : "");
}

// Its last run failed, and the kubelet tries again and again while the pod's program waits.
std::optional<StartFailure> read_init_failure(const Json& status, const std::string& name) {
  const Json* end = find(status, "/state/terminated");
  if (end == nullptr && find(status, "/state/waiting") != nullptr) {
    end = find(status, "/lastState/terminated");
  }
  const auto code = end == nullptr ? std::nullopt : int_at(*end, "/exitCode");
  if (code.value_or(0) == 0) return std::nullopt;
  const std::string last_words = printable_line(trim(text_at(*end, "/message")));
  return StartFailure{
      "InitFailed", cat(init_exit_words(name, *code), last_words.empty() ? "" : ": ", last_words)};
}

}  // namespace

bool read_init(const Json& pod, ReplicaState& replica) {
  PresentRun& run = replica.run;
  for (const Json& status : array_at(pod, "/status/initContainerStatuses")) {
    const std::string name = text_at(status, "/name");
    if (int_at(status, "/state/terminated/exitCode") == 0) continue;
    const bool waits = find(status, "/state/waiting") != nullptr;
    if (!waits && is_native_sidecar(pod, name)) continue;
    run.start_failure = read_start_failure(status);
    if (!run.start_failure) run.start_failure = read_init_failure(status, name);
    run.state = RunState::waiting;
    if (find(status, "/state/running") != nullptr) {
      run.reason = "Init";
      run.message = name == "init-pytorch" ? "waiting for the master's name to resolve"
                                           : cat("init container ", name, " is running");
      run.since = parse_time(text_at(status, "/state/running/startedAt"));
    } else if (waits) {
      run.reason = text_at(status, "/state/waiting/reason", "Init");
      run.message = text_at(status, "/state/waiting/message",
                            cat("init container ", name, " has not started"));
    } else if (const auto code = int_at(status, "/state/terminated/exitCode")) {
      run.reason = "InitFailed";
      run.message = init_exit_words(name, *code);
      replica.last_exit.code = static_cast<int>(*code);
      replica.last_exit.finished = parse_time(text_at(status, "/state/terminated/finishedAt"));
    }
    return true;
  }
  return false;
}

std::string_view failed_init_container(std::string_view message) {
  if (!message.starts_with(k_message_begins)) return "";
  message.remove_prefix(k_message_begins.size());
  return message.substr(0, message.find(' '));
}

}  // namespace trainctl::job
