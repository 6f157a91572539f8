// The exit statuses of the contract.
#include "base/error.h"

namespace trainctl {

namespace {

constexpr ExitStatus k_exit_statuses[] = {
    {Code::ok, "done; where a verdict was asked for: the job succeeded"},
    {Code::error, "other error"},
    {Code::usage, "usage: bad flag, value, file or kubeconfig; nothing was sent"},
    {Code::job_failed, "the job failed"},
    {Code::auth, "not authenticated or not permitted"},
    {Code::not_found, "not found: job, replica, container, namespace, or kind not installed"},
    {Code::refused, "refused by the cluster: exists already, conflict, invalid, webhook, quota"},
    {Code::timeout, "timed out (--timeout)"},
    {Code::unreachable, "cluster unreachable or failing, after retries"},
    {Code::not_started, "the job could not start: image, config, unschedulable"},
    {Code::removed, "the job was deleted or suspended by someone else while waited for"},
    {Code::interrupted, "interrupted (Ctrl-C)"},
    {Code::broken_pipe, "the reader of stdout went away"},
    {Code::terminated, "terminated (SIGTERM)"},
};

}  // namespace

Error in_context(std::string_view what, Error error) {
  error.message = std::string(what) + ": " + error.message;
  return error;
}

std::span<const ExitStatus> exit_statuses() {
  return k_exit_statuses;
}

}  // namespace trainctl
