// Says how a program ended, in words that digest, reports and notices share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainctl::job {

struct LastExit;  // status/state.h

// The signal that ended a program, by the convention of shells and the kubelet; nullopt when it
// ended by itself.
std::optional<int> signal_of(std::int64_t exit_code);

// The exit code for people: "3", "137 (SIGKILL)".
std::string exit_code_words(std::int64_t exit_code);

// The end for people: "exited 3", "exited 137 (SIGKILL, OOMKilled)"; "failed" when the exit code is
// not known. `reason` is the kubelet's, and may be "".
std::string exit_words(std::optional<std::int64_t> exit_code, std::string_view reason = "");
// The same of a replica's last run, with OOMKilled where memory ran out.
std::string exit_words(const LastExit& exit);
// "exited 1: ValueError: x; restarted (restart 2)". `reason` as above; `error` may be "".
std::string restart_words(std::optional<std::int64_t> exit_code, std::int64_t restarts,
                          std::string_view reason = "", std::string_view error = "");

// The way in which the cluster, and not the program, ended a pod.
enum class PodEnd {
  evicted,  // for other pods, or because its node ran short of something
  lost,     // with its node, or because the node could not take it
};
// By the pod's reason, or that of its condition DisruptionTarget; nullopt for other reasons.
std::optional<PodEnd> pod_end(std::string_view pod_reason);
// True for the reason of a pod that a kubelet has refused for good. "OutOfcpu" has the resource's
// name.
bool is_refusal_of_node(std::string_view pod_reason);
// The same as pod_end for people: "was evicted", "was terminated"; "" for other reasons.
std::string_view pod_end_words(std::string_view pod_reason);

}  // namespace trainctl::job
