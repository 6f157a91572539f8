// Distinguishes existing pods and services by their labels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/value/json.h"

namespace trainctl::local {

using ObjectPtr = std::shared_ptr<const Json>;

// True when `object` carries all of `labels`.
bool has_labels(const Json& object, const Json& labels);

// The replica-index label, or -1.
int replica_index(const Json& pod);

// True when the pod is neither finished nor being deleted.
bool is_active(const Json& pod);

// The pods (or services) of one role among a job's.
std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type);

}  // namespace trainctl::local
