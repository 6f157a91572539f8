// Goes by spec.active and by the conditions' types: their reasons differ between Kueue's versions.
#include "status/workload.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/quantity.h"
#include "kube/object/metadata.h"

namespace trainctl::job {
namespace {

// Kueue's messages about missing quota, in numbers. Pure.
struct Shortage {
  bool passes = true;  // false: the job can never fit, however short the queue
  std::string words;   // "needs 800m cpu, and flavor spot has 600m free"
};

constexpr std::string_view k_pod_set = "couldn't assign flavors to pod set ";
constexpr std::string_view k_used_up = "insufficient unused quota for ";
constexpr std::string_view k_too_large = "insufficient quota for ";
constexpr std::string_view k_capacity = "maximum capacity ";
constexpr std::string_view k_not_offered = " unavailable in ClusterQueue";

// "… for cpu in flavor spot, 200m …"
std::string flavor_in(std::string_view clause) {
  return split_once(behind(clause, " in flavor "), ',').first;
}

std::optional<std::int64_t> milli(const std::string& text) {
  if (!checked_quantity(text)) return std::nullopt;
  return quantity_milli(text);
}

// In the unit in which people write it; memory in Mi.
std::string amount(std::int64_t milli, std::string_view resource) {
  constexpr std::int64_t k_thousand = 1000;
  constexpr std::int64_t k_mebi = std::int64_t{1024} * 1024;
  if (milli % k_thousand != 0) return cat(milli, "m");
  const std::int64_t whole = milli / k_thousand;
  const bool is_bytes = resource == "memory" || resource == "ephemeral-storage";
  return is_bytes && whole % k_mebi == 0 ? cat(whole / k_mebi, "Mi") : cat(whole);
}

// Sums the requests of all pod sets up to this one: Kueue assigns one set after another.
std::optional<std::int64_t> requested(const Json& workload, const std::string& pod_set,
                                      const std::string& resource) {
  std::int64_t sum = 0;
  for (const Json& request : array_at(workload, "/status/resourceRequests")) {
    const auto value = milli(text_at(request, cat("/resources/", pointer_step(resource))));
    sum += value.value_or(0);
    if (text_at(request, "/name") == pod_set) return sum > 0 ? std::optional(sum) : std::nullopt;
  }
  return std::nullopt;
}

std::string used_up(const Json& workload, const std::string& pod_set, std::string_view clause) {
  const std::string resource = between(clause, k_used_up, " in flavor ");
  const std::string flavor = flavor_in(clause);
  const std::string more = between(clause, cat(flavor, ", "), " more needed");
  if (resource.empty() || flavor.empty() || more.empty()) return "";
  const auto all = requested(workload, pod_set, resource);
  const auto missing = milli(more);
  if (all && missing && *all >= *missing) {
    return cat("needs ", amount(*all, resource), " ", resource, ", and flavor ", flavor, " has ",
               amount(*all - *missing, resource), " free");
  }
  return cat("needs ", more, " more ", resource, " than flavor ", flavor, " has free");
}

// "… > maximum capacity (3 > 1)" of Kueue 0.14; "… (3) > maximum capacity (1)" of 0.19.
std::string too_large(std::string_view clause) {
  const std::string resource = between(clause, k_too_large, " in flavor ");
  const std::string flavor = flavor_in(clause);
  const std::string numbers = between(clause, cat(k_capacity, "("), ")");
  if (resource.empty() || flavor.empty() || numbers.empty()) return "";
  const Halves halves = split_once(numbers, '>');
  const std::string most(trim(halves.found ? halves.second : numbers));
  const std::string wanted = halves.found ? std::string(trim(halves.first))
                                          : between(clause, "current podset request (", ")");
  return cat("needs ", wanted, " ", resource, ", and flavor ", flavor, " has ", most, " at most");
}

std::string of_pod_set(const std::string& name) {
  return name.empty() ? "" : cat(" (", name, ")");
}

// Reads the message of a QuotaReserved condition; the requests in the Workload's status add the
// amounts. nullopt when the message speaks of something else.
std::optional<Shortage> read_shortage(const Json& workload, std::string_view message) {
  std::optional<Shortage> first;
  for (const std::string& clause : split(message, ';')) {
    const std::string pod_set = between(clause, k_pod_set, ":");
    Shortage shortage;
    if (clause.find(k_used_up) != std::string::npos) {
      shortage.words = used_up(workload, pod_set, clause);
    } else if (clause.find(k_too_large) != std::string::npos) {
      shortage = {false, too_large(clause)};
    } else if (clause.find(k_not_offered) != std::string::npos) {
      const std::string resource = between(clause, "resource ", k_not_offered);
      shortage = {false, resource.empty() ? "" : cat("its queue offers no ", resource)};
    }
    if (shortage.words.empty()) continue;
    shortage.words += of_pod_set(pod_set);
    // One that lasts for ever decides, whichever stands first.
    if (!first || (first->passes && !shortage.passes)) first = shortage;
  }
  return first;
}

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

bool is_dispatched(const Json& job) {
  constexpr std::string_view k_multikueue = "kueue.x-k8s.io/multikueue";
  return text_at(job, "/spec/runPolicy/managedBy") == k_multikueue ||
         text_at(job, "/spec/managedBy") == k_multikueue;
}

std::string worker_cluster(const Json& workload) {
  if (std::string name = text_at(workload, "/status/clusterName"); !name.empty()) return name;
  // Kueue before 0.13 has no such field.
  for (const Json& check : array_at(workload, "/status/admissionChecks")) {
    std::string name = between(text_at(check, "/message"), "got reservation on \"", "\"");
    if (!name.empty()) return name;
  }
  return "";
}

}  // namespace trainctl::job
