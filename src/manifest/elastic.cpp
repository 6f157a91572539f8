// torchrun counts every replica including the master; trainctl's --workers does not.
#include "manifest/elastic.h"

#include <algorithm>

#include "base/text/text.h"
#include "manifest/manifest.h"

namespace trainctl::job {

namespace {

struct Bounds {
  std::int64_t least, most;
};

// Fills in missing bounds as the operator does (PET_NNODES).
Bounds bounds_of(const Kind& kind, const Json& manifest) {
  const Role* worker = find_role(kind, "Worker");
  const std::int64_t workers = worker == nullptr ? 0 : replica_count(kind, manifest, *worker);
  const auto least = int_at(manifest, cat(k_elastic_policy, "/minReplicas"));
  const auto most = int_at(manifest, cat(k_elastic_policy, "/maxReplicas"));
  return {least.value_or(most.value_or(workers)), most.value_or(least.value_or(workers))};
}

struct Members {
  std::int64_t total = 0;
  std::vector<std::string> roles;  // "master 1"
};

Members members_of(const Kind& kind, const Json& manifest) {
  Members members;
  for (const Role& role : kind.roles) {
    const int count = role.ranked() ? replica_count(kind, manifest, role) : 0;
    if (count <= 0) continue;
    members.total += count;
    members.roles.push_back(cat(role.prefix, ' ', count));
  }
  return members;
}

std::string remedy(const Kind& kind, const Json& manifest) {
  const Members members = members_of(kind, manifest);
  if (members.total < bounds_of(kind, manifest).least) {
    return "ask for more --workers, or a smaller --min-replicas";
  }
  const bool led = std::ranges::any_of(kind.roles, [&](const Role& role) {
    return role.leads() && replica_count(kind, manifest, role) > 0;
  });
  const std::string most = cat("--max-replicas=", members.total);
  return led ? cat("the master counts as well: ", most, ", or --no-master for workers only") : most;
}

}  // namespace

std::string elastic_fault(const Kind& kind, const Json& manifest) {
  if (kind.leader != Leader::rendezvous || find(manifest, k_elastic_policy) == nullptr) return "";
  const auto [least, most] = bounds_of(kind, manifest);
  const Members members = members_of(kind, manifest);
  const std::string sum =
      cat(plural(members.total, "replica"), " (", join(members.roles, " + "), ')');
  if (members.total > most) {
    return cat(sum, " are more than the ", most,
               " that elastic training takes: ", members.total - most, " can never join");
  }
  if (members.total < least) {
    return cat(sum, " are fewer than the ", least,
               " that elastic training waits for: it never begins");
  }
  return "";
}

Status check_elastic(const Kind& kind, const Json& manifest, const std::vector<FlagUse>& uses) {
  const bool asked = std::ranges::any_of(
      uses, [](const FlagUse& use) { return use.flag->pointer.starts_with(k_elastic_policy); });
  if (!asked) return {};
  if (given(uses, "min-replicas") &&
      find(manifest, cat(k_elastic_policy, "/maxReplicas")) == nullptr) {
    return Error{Code::usage, "--min-replicas sets a minimum number of workers, but no maximum",
                 "add --max-replicas N"};
  }
  const std::string fault = elastic_fault(kind, manifest);
  if (fault.empty()) return {};
  return Error{Code::usage, fault, remedy(kind, manifest)};
}

}  // namespace trainctl::job
