// Tells a program or a web hook how a job has ended.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "base/value/json.h"
#include "net/http.h"
#include "work/access.h"

namespace trainctl::work {

inline constexpr Duration k_longest_notice = std::chrono::seconds(30);

// True for "https://…" and "http://…"; anything else is a program with its arguments.
bool is_hook(const std::string& target);
// The target without the path of a hook, which is often its secret: "https://HOST". The URLs among
// a program's arguments are shortened alike.
std::string shown_target(const std::string& target);
// Code::usage for a URL that is not a hook's, and for a program that does not exist.
Status check_notify(Access& access, const std::string& target);

// Runs the program, without a shell: `target` is split at blanks. The variables TRAINCTL_JOB,
// TRAINCTL_NAMESPACE, TRAINCTL_VERDICT and TRAINCTL_REPORT (the notice as JSON, without replicas
// where it is too long for a variable) are added to its environment. It reads the whole notice from
// stdin, and what it prints is dropped. An error when it fails, or takes longer than `longest`.
Status run_notifier(Access& access, const std::string& target, const Json& report,
                    Duration longest = k_longest_notice);

// How to connect to the hook, by the proxy that the environment names.
Result<net::Endpoint> hook_endpoint(const Access& access, const std::string& target);
// Posts the notice as JSON. An error when the answer is not a 2xx, or takes longer than `longest`;
// it names the host alone, since the path of a hook is often its secret.
Status post_notice(Loop& loop, net::Transport& transport, const std::string& target,
                   const Json& report, Duration longest = k_longest_notice);

}  // namespace trainctl::work
