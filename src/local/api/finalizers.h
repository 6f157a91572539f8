// metadata.finalizers as a set, and the two that the garbage collector works on.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::local {

inline constexpr std::string_view k_foreground_finalizer = "foregroundDeletion";
inline constexpr std::string_view k_orphan_finalizer = "orphan";

inline bool has_finalizers(const Json& object) {
  return !array_at(object, "/metadata/finalizers").empty();
}

inline bool has_finalizer(const Json& object, std::string_view finalizer) {
  const Json& all = array_at(object, "/metadata/finalizers");
  return std::ranges::find(all, finalizer) != all.end();
}

inline void add_finalizer(Json& object, std::string_view finalizer) {
  if (!has_finalizer(object, finalizer)) set_at(object, "/metadata/finalizers/-", finalizer);
  if (!has_finalizers(object)) set_at(object, "/metadata/finalizers", Json::array({finalizer}));
}

// Removing the last finalizer removes the list.
inline void drop_finalizer(Json& object, std::string_view finalizer) {
  if (!has_finalizer(object, finalizer)) return;
  Json& metadata = object["metadata"];
  Json rest = Json::array();
  for (const Json& one : metadata["finalizers"]) {
    if (one != finalizer) rest.push_back(one);
  }
  if (rest.empty()) {
    metadata.erase("finalizers");
  } else {
    metadata["finalizers"] = std::move(rest);
  }
}

}  // namespace trainctl::local
