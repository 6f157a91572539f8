// Follows the rules of Kubernetes' component-helpers (resource.PodRequests).
#include "manifest/amounts.h"

#include <algorithm>
#include <limits>

#include "base/value/quantity.h"

namespace trainctl::job {
namespace {

Amounts asked_by_container(const Json& container, Asked what) {
  const Amounts limits = amounts_of(object_at(container, "/resources/limits"));
  if (what == Asked::limits) return limits;
  Amounts asked = amounts_of(object_at(container, "/resources/requests"));
  asked.insert(limits.begin(), limits.end());
  return asked;
}

void raise_to(Amounts& to, const Amounts& other) {
  for (const auto& [resource, amount] : other) to[resource] = std::max(to[resource], amount);
}

}  // namespace

Amounts amounts_of(const Json& quantities) {
  Amounts amounts;
  for (const auto& [resource, quantity] : quantities.items()) {
    const std::string text = quantity.is_number_integer() ? dump(quantity)
                             : quantity.is_string()       ? quantity.get<std::string>()
                                                          : "";
    if (checked_quantity(text)) amounts[resource] = quantity_milli(text);
  }
  return amounts;
}

namespace {

// An init container that is restarted always runs beside the others.
bool runs_beside(const Json& init_container) {
  return view_at(init_container, "/restartPolicy") == "Always";
}

Amounts asked_at_once(const Json& pod_spec, Asked what) {
  Amounts together;
  for (const Json& container : array_at(pod_spec, "/containers")) {
    add_amounts(together, asked_by_container(container, what));
  }
  for (const Json& container : array_at(pod_spec, "/initContainers")) {
    if (runs_beside(container)) add_amounts(together, asked_by_container(container, what));
  }
  return together;
}

}  // namespace

Amounts asked_by_pod(const Json& pod_spec, Asked what) {
  Amounts together = asked_at_once(pod_spec, what);
  Amounts beside;
  for (const Json& container : array_at(pod_spec, "/initContainers")) {
    Amounts at_once = beside;
    add_amounts(at_once, asked_by_container(container, what));
    raise_to(together, at_once);
    if (runs_beside(container)) beside = std::move(at_once);
  }
  add_amounts(together, amounts_of(object_at(pod_spec, "/overhead")));
  return together;
}

Amounts asked_beside_program(const Json& pod_spec) {
  return asked_at_once(pod_spec, Asked::requests);
}

// A server's quantities may be as large as a number can be.
void add_amounts(Amounts& to, const Amounts& more, std::int64_t times) {
  constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t limit = times < 0 ? -k_most : k_most;
  for (const auto& [resource, amount] : more) {
    std::int64_t& sum = to[resource];
    std::int64_t product = 0;
    if (__builtin_mul_overflow(amount, times, &product)) product = limit;
    if (__builtin_add_overflow(sum, product, &sum)) sum = limit;
  }
}

}  // namespace trainctl::job
