// Sums of the resources that pods ask for. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/value/json.h"

namespace trainctl::job {

// Sums of resources, as the scheduler and quotas count them, by the resource's name ("cpu",
// "nvidia.com/gpu"), in thousandths.
using Amounts = std::map<std::string, std::int64_t, std::less<>>;

// The quantities of an object such as `requests` or a node's `allocatable`; other values are left
// out.
Amounts amounts_of(const Json& quantities);

// The amounts that a pod asks for by its `requests` or its `limits`. Kubernetes counts the
// containers together, or the largest init container, and the overhead of the runtime class; a
// request that is not stated is the container's limit.
enum class Asked { requests, limits };
Amounts asked_by_pod(const Json& pod_spec, Asked what = Asked::requests);

// The requests of the containers that run together with the program, without those that end before
// it begins.
Amounts asked_beside_program(const Json& pod_spec);

// Saturates.
void add_amounts(Amounts& to, const Amounts& more, std::int64_t times = 1);

}  // namespace trainctl::job
