// Deletes objects without an owner: dependents of deleted objects, contents of deleted namespaces.
#pragma once

#include <memory>

#include "base/loop/loop.h"
#include "local/store/store.h"

namespace trainctl::local {

// Deletes an object as DELETE does: a pod with a grace period is only marked (the kubelet removes
// it), an object with finalizers waits for their end, and everything else goes at once. Dependents
// follow in the background, whatever propagation a client asks for. `grace` is in seconds, -1 = the
// pod's own. Returns what DELETE answers: the object, or a Status.
Answered<Json> delete_object(Store& store, Time now, const ServedResource& resource,
                             std::string_view ns, std::string_view name, int grace);

// Ends a deleted pod's grace period as if it had been 0 when the deletion was requested.
void end_grace(Json& pod);

// Updates an object, and removes it when its deletion waited for the last of its finalizers.
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
