// Lists a collection once as it is now, for a caller that lives in callbacks.
#pragma once

#include <functional>
#include <vector>

#include "base/value/json.h"
#include "kube/client/client.h"
#include "kube/watch/watch.h"

namespace trainctl::kube {

// Reads all pages at the latest version, and waits out problems as a watch does
// (kube/watch/watch.h). `done` gets what could be read, nothing when the list is refused. The
// handle may be destroyed in it.
[[nodiscard]] HandlePtr start_current_list(Client& client, WatchTarget target,
                                           std::function<void(std::vector<Json> objects)> done);

}  // namespace trainctl::kube
