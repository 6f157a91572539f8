// Counts the replicas that a job requests, by its manifest or by its status.
#include <algorithm>

#include "base/text/text.h"
#include "job/kind/kind.h"

namespace trainctl::job {

int replica_count(const Kind& kind, const Json& job, const Role& role) {
  std::string place(role.count_at);
  std::int64_t otherwise = role.default_count;
  if (!kind.replica_specs.empty()) {
    place = cat(kind.replica_specs, '/', role.name);
    if (find(job, place) == nullptr) return 0;
    place += "/replicas";
  } else if (job_status_of(kind, job, role) != nullptr) {
    otherwise = 1;
  }
  const auto count = has_known_count(kind, job, role) ? int_at(job, place) : std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(count.value_or(otherwise), 0, k_most_replicas));
}

bool has_known_count(const Kind& kind, const Json& job, const Role& role) {
  if (!kind.replica_specs.empty()) return true;
  const bool is_led = std::ranges::any_of(kind.roles, [&](const Role& other) {
    return other.leads() && job_status_of(kind, job, other) != nullptr;
  });
  return !role.count_at.empty() && !is_led && int_at(job, role.count_at).has_value();
}

const Json* job_status_of(const Kind& kind, const Json& job, const Role& role) {
  if (kind.controller.jobs_status.empty()) return nullptr;
  for (const Json& entry : array_at(job, kind.controller.jobs_status)) {
    if (text_at(entry, "/name") == role.name) return &entry;
  }
  return nullptr;
}

}  // namespace trainctl::job
