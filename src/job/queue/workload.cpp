// Goes by spec.active and by the conditions' types: their reasons differ between Kueue's versions.
#include "job/queue/workload.h"

#include <array>

#include "base/text/text.h"
#include "job/queue/shortage.h"
#include "kube/object/conditions.h"
#include "kube/object/metadata.h"

namespace trainctl::job {
namespace {

constexpr std::array<std::string_view, 6> k_admission_names = {"Waiting",  "Stuck",  "Checking",
                                                               "Admitted", "Paused", "Finished"};

constexpr std::string_view k_ask_administrator = "ask the administrator of the cluster's queues";

std::string message_of(const Json& condition) {
  return printable_line(text_at(condition, "/message"));
}

bool says(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "… a workload (UID: …, JobUID: …) due to prioritization …"
std::string preemptor_in(std::string_view message) {
  constexpr std::string_view k_uid = "JobUID: ";
  const std::size_t found = message.find(k_uid);
  if (found == std::string_view::npos) return "";
  message.remove_prefix(found + k_uid.size());
  return std::string(message.substr(0, message.find_first_of("), ")));
}

std::optional<Eviction> eviction_of(const Json& workload) {
  const Json* evicted = kube::true_condition(workload, "Evicted");
  if (evicted == nullptr) return std::nullopt;
  Eviction eviction{text_at(*evicted, "/reason"), message_of(*evicted),
                    kube::transition_time(*evicted), "",
                    parse_time(text_at(workload, "/status/requeueState/requeueAt"))};
  if (eviction.reason == "Preempted") eviction.preemptor = preemptor_in(eviction.message);
  return eviction;
}

QueueStanding paused(const Json* evicted) {
  const std::string why = evicted == nullptr ? "" : message_of(*evicted);
  QueueStanding standing{
      Admission::paused, why.empty() ? "the Workload is deactivated" : why, {}, std::nullopt};
  if (says(why, "AdmissionCheck")) {
    standing.hint = "an admission check has rejected it: ask whoever runs the check";
  }
  return standing;
}

// The checks that are not ready, with their own words.
std::string open_checks(const Json& workload) {
  std::vector<std::string> open;
  for (const Json& check : array_at(workload, "/status/admissionChecks")) {
    const std::string state = text_at(check, "/state");
    if (state == "Ready") continue;
    const std::string message = printable_line(text_at(check, "/message"));
    open.push_back(cat("admission check ", text_at(check, "/name"), " is ", lower(state),
                       message.empty() ? "" : cat(": ", message)));
  }
  return join(open, "; ");
}

// A queue that is missing, stopped or broken, as every reason for it is worded.
std::string queue_hint(std::string_view message) {
  if (says(message, "LocalQueue") && says(message, "doesn't exist")) {
    return "choose an existing queue with --queue: kubectl get localqueues";
  }
  return std::string(k_ask_administrator);
}

QueueStanding without_quota(const Json& workload, const Json& reserved) {
  const std::string message = message_of(reserved);
  QueueStanding standing{Admission::waiting, message, {}, eviction_of(workload)};
  if (standing.eviction && standing.eviction->message == message) {
    standing.cause = "it waits to be admitted again";
  }
  if (const auto shortage = read_shortage(workload, message)) {
    standing.cause = shortage->words;
    if (shortage->passes) return standing;
    standing.admission = Admission::stuck;
    standing.hint = "ask for less, with fewer replicas or smaller ones, or choose another --queue";
    return standing;
  }
  if (says(message, "doesn't exist") || says(message, "is inactive") ||
      says(message, "is stopped")) {
    standing.admission = Admission::stuck;
    standing.hint = queue_hint(message);
  }
  return standing;
}

}  // namespace

std::string queue_of(const Json& job) {
  return text_at(job, kube::label_pointer(k_label_queue));
}

std::string_view admission_name(Admission admission) {
  return k_admission_names[static_cast<std::size_t>(admission)];
}

QueueStanding read_workload(const Json& workload) {
  if (kube::true_condition(workload, "Finished") != nullptr)
    return {Admission::finished, {}, {}, std::nullopt};
  const Json* active = find(workload, "/spec/active");
  if (active != nullptr && *active == false) {
    return paused(kube::find_condition(workload, "Evicted"));
  }
  if (const Json* admitted = kube::true_condition(workload, "Admitted")) {
    return {Admission::admitted,
            "its queue has admitted the job",
            {},
            std::nullopt,
            kube::transition_time(*admitted)};
  }
  const Json* reserved = kube::find_condition(workload, "QuotaReserved");
  if (reserved == nullptr) return {Admission::waiting, "Kueue has not considered it yet", {}, {}};
  if (text_at(*reserved, "/status") != "True") return without_quota(workload, *reserved);
  const std::string checks = open_checks(workload);
  return {Admission::checking, checks.empty() ? "admission checks are not done" : checks,
          "the job starts when the check passes, and holds its quota meanwhile", std::nullopt};
}

}  // namespace trainctl::job
