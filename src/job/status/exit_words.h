// Says how a program ended, in words that digest, reports and notices share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainctl::job {

// The signal that ended a program, by the convention of shells and the kubelet; nullopt when it
// ended by itself.
std::optional<int> signal_of(std::int64_t exit_code);

// The exit code for people: "3", "137 (SIGKILL)".
std::string exit_code_words(std::int64_t exit_code);

// The end for people: "exited 3", "exited 137 (SIGKILL, OOMKilled)"; "failed" when the exit code is
// not known. `reason` is the kubelet's, and may be "".
std::string exit_words(std::optional<std::int64_t> exit_code, std::string_view reason = "");
// "exited 1; restarted (restart 2)".
std::string restart_words(std::optional<std::int64_t> exit_code, std::int64_t restarts);

// Says how a node ended a whole pod, by the pod's reason: "was evicted", "was terminated"; "" when
// the reason is not about the node.
std::string_view node_end_words(std::string_view pod_reason);

}  // namespace trainctl::job
