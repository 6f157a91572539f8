// What the store knows about single objects: birth, conflicts, generations, the life of events.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

// True when metadata.generation grows: another specification, or the deletion begins.
bool counts_as_new_generation(const Json& before, const Json& object);

// What creation sets: kind, apiVersion, uid, creationTimestamp and, where it counts, generation.
void set_birth(const ServedResource& resource, Json& object, Time now);
// 409, by what the object with the name is up to.
ApiError name_taken(const ServedResource& resource, const Json& existing);
// 409 for a write over an older state.
ApiError modified_meanwhile(const ServedResource& resource, std::string_view name);

bool is_event(const ServedResource& resource);
// An hour after it was written last, as the API server's --event-ttl says.
Time event_expiry(const Json& event);

}  // namespace trainctl::local
