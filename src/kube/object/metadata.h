// Reads an object's labels, annotations, deletion and owners, and writes the reference by which
// others name it as their owner.
#pragma once

#include <string>
#include <string_view>

#include "base/value/json.h"
#include "kube/client/resource.h"

namespace trainctl::kube {

// JSON pointers to the value of a label or an annotation.
std::string label_pointer(std::string_view key);
std::string annotation_pointer(std::string_view key);

// True from the moment somebody deletes the object until its finalizers let it go.
bool is_being_deleted(const Json& object);

// True when an owner of the object has this uid.
bool has_owner(const Json& object, std::string_view uid);

// The object as an owner of other objects.
Json owner_reference(const Resource& resource, const Json& object);

}  // namespace trainctl::kube
