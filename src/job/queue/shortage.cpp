// Takes apart the sentences of Kueue's flavor assigner (pkg/scheduler/flavorassigner).
#include "job/queue/shortage.h"

#include "base/text/text.h"
#include "base/value/quantity.h"

namespace trainctl::job {
namespace {

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

}  // namespace

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

}  // namespace trainctl::job
