// The table of exit statuses that users rely on.
#include "base/error.h"

#include <system_error>

namespace trainctl {

namespace {

constexpr ExitStatus k_exit_statuses[] = {
    {Code::ok, "succeeded", "success; after waiting for a verdict: the job succeeded"},
    {Code::error, "error", "other error"},
    {Code::usage, "usage", "usage: bad flag, value, file or kubeconfig; nothing was sent"},
    {Code::job_failed, "failed", "the job failed"},
    {Code::auth, "not-permitted", "not authenticated or not permitted"},
    {Code::not_found, "not-found",
     "not found: job, replica, container, namespace, or kind not installed"},
    {Code::refused, "refused",
     "refused by the cluster: already exists, conflict, invalid, webhook, quota"},
    {Code::timeout, "timed-out", "timed out (--timeout)"},
    {Code::unreachable, "unreachable", "cluster unreachable or failing, after retries"},
    {Code::not_started, "not-started", "the job could not start: image, config, unschedulable"},
    {Code::removed, "removed", "someone else deleted or suspended the job during the wait"},
    {Code::unchecked, "unchecked", "check found nothing in the way, but could not ask everything"},
    {Code::hung_up, "hung-up", "hung up (SIGHUP): the terminal or the session was closed"},
    {Code::interrupted, "interrupted", "interrupted (Ctrl-C)"},
    {Code::broken_pipe, "broken-pipe", "the reader of stdout went away before the verdict"},
    {Code::terminated, "terminated", "terminated (SIGTERM)"},
};

}  // namespace

std::string system_words(int error_number) {
  return std::generic_category().message(error_number);
}

Error in_context(std::string_view what, Error error) {
  error.message = std::string(what) + ": " + error.message;
  return error;
}

std::span<const ExitStatus> exit_statuses() {
  return k_exit_statuses;
}

std::string_view exit_word(Code code) {
  for (const ExitStatus& row : k_exit_statuses) {
    if (row.code == code) return row.word;
  }
  return "error";
}

}  // namespace trainctl
