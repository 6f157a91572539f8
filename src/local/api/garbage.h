// Deletes what nobody owns any more: dependents of deleted objects, contents of deleted namespaces.
#pragma once

#include <memory>

#include "base/loop.h"
#include "local/store/store.h"

namespace trainctl::local {

// What DELETE does to an object: a pod with a grace period is only marked (the kubelet removes it),
// foreground deletion waits for the dependents, everything else goes at once. `grace` in seconds,
// -1 = the pod's own. The value is what DELETE answers: the object, or a Status.
Answered<Json> delete_object(Store& store, Time now, const ServedResource& resource,
                             std::string_view ns, std::string_view name, int grace,
                             std::string_view propagation);

// {"kind":"Status",…,"status":"Success"} for an object that is gone.
Json deleted_status(const ServedResource& resource, const Json& object);

// Updates an object; one whose deletion waited for the last of its finalizers goes with it.
Answered<Json> update_or_finish(Store& store, const ServedResource& resource, Json object);

class GarbageCollector {
 public:
  GarbageCollector(Loop& loop, Store& store);
  ~GarbageCollector();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainctl::local
