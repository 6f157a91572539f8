// Completes a pod as the API server does when it stores one, and says why it would be refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "kube/object/names.h"
#include "local/api_error.h"
#include "local/store/store.h"

namespace trainctl::local {

// The pod's class, "Guaranteed", "Burstable" or "BestEffort", from the cpu and memory of its
// containers.
std::string_view quality_of_service(const Json& pod);

// Completes a new pod, except for the projected volume with an API token, which nothing here would
// read.
void set_pod_defaults(Json& pod);

// Adds a fault unless `name` keeps the rule.
void check_name(std::vector<FieldFault>& faults, const kube::NameRule& rule,
                const std::string& field, const std::string& name);

// The faults that an API server refuses in a pod and trainctl's check of manifests does not, and
// names that are no names of files.
std::vector<FieldFault> pod_faults(const Json& pod);

// The refusal of a pod, by admission (403), and for its fields (422); nullopt = it may be stored.
std::optional<ApiError> pod_refusal(const Store& store, const Json& pod);

}  // namespace trainctl::local
