// The pods and services that are there, told apart by their labels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"

namespace trainctl::local {

using ObjectPtr = std::shared_ptr<const Json>;

// True when `object` carries all of `labels`.
bool has_labels(const Json& object, const Json& labels);

// The replica-index label, or -1.
int replica_index(const Json& pod);

// Neither finished nor being deleted.
bool is_active(const Json& pod);

// Those of one role among a job's pods (or services).
std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type);

}  // namespace trainctl::local
