// Parts that all objects have in common: labels, annotations, owners, conditions; and parts of
// pods.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"
#include "kube/client/resource.h"

namespace trainctl::kube {

// JSON pointers to the value of a label or an annotation.
std::string label_pointer(std::string_view key);
std::string annotation_pointer(std::string_view key);

// True from the moment somebody deletes the object until its finalizers let it go.
bool is_being_deleted(const Json& object);

// The object with this uid; nullptr when there is none, as for "".
const Json* find_uid(std::span<const Json> objects, std::string_view uid);

// True when an owner of the object has this uid.
bool has_owner(const Json& object, std::string_view uid);

// The object as an owner of other objects.
Json owner_reference(const Resource& resource, const Json& object);

// The conditions in the status of an object (Kubernetes API conventions, "typical status
// properties"). The condition of that type, or the one that is True; nullptr = none.
const Json* find_condition(const Json& object, std::string_view type);
const Json* true_condition(const Json& object, std::string_view type);
std::optional<Time> transition_time(const Json& condition);

// {"name": …, "value": …} for a container's `env`.
Json variable(std::string_view name, std::string_view value);
Json variable(std::string_view name, std::int64_t value);

// {"name": …, "mountPath": …} for a container's `volumeMounts`.
Json volume_mount(std::string_view volume, std::string_view path);

}  // namespace trainctl::kube
