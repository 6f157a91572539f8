// Requests that move an object's metadata and not its data: a config map may hold a megabyte.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "kube/client/client.h"

namespace trainctl::kube {

// Asks for the PartialObjectMetadata of one object instead of the object.
void ask_for_metadata(net::Request& request);

// A list of PartialObjectMetadata; only the first page if the list has many objects.
std::variant<Json, Failure> list_metadata(Client& client, const Resource& resource,
                                          std::string_view ns, const ListOptions& options);

// The PartialObjectMetadata of one object.
std::variant<Json, Failure> get_metadata(Client& client, const Resource& resource,
                                         std::string_view ns, std::string_view name);

// Adds owners (an array of references) to those that `there` has. Refused with 409 when the object
// has changed since `there` was read, and with 404 when it is gone or another one has its name.
std::variant<Json, Failure> add_owners(Client& client, const Resource& resource,
                                       std::string_view ns, const Json& there, const Json& owners);

}  // namespace trainctl::kube
