// Deletes an object by its uid, so that a new one with the same name is kept.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/loop/loop.h"
#include "base/result.h"
#include "kube/client/client.h"

namespace trainctl::kube {

// The request behind Client::remove and start_removal.
Result<net::Request> delete_request(const Resource& resource, std::string_view ns,
                                    std::string_view name, const DeleteOptions& options);

struct RemovalTarget {
  Resource resource;
  std::string ns, name, uid;
};

// Deletes exactly this object. `done` gets no error when somebody else deleted it first. Destroying
// the handle leaves open whether the object was deleted.
[[nodiscard]] HandlePtr start_removal(Client& client, RemovalTarget target,
                                      std::function<void(Status)> done);

}  // namespace trainctl::kube
