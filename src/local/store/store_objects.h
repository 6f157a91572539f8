// The store's rules for single objects: creation, conflicts, generations, the life of events.
#pragma once

#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

// True when metadata.generation must grow: the specification differs, or the deletion begins.
bool counts_as_new_generation(const Json& before, const Json& object);

// Sets the fields of a new object: kind, apiVersion, uid, creationTimestamp and, where the kind has
// one, generation.
void set_birth(const ServedResource& resource, Json& object, Time now);
// The 409 for a taken name, depending on whether that object is being deleted.
ApiError name_taken(const ServedResource& resource, const Json& existing);
// The 409 for a write based on an older state.
ApiError modified_meanwhile(const ServedResource& resource, std::string_view name);

bool is_event(const ServedResource& resource);
// When an event expires: an hour after it was last written, like the API server's --event-ttl.
Time event_expiry(const Json& event);

}  // namespace trainctl::local
