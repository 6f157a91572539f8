// Makes random changes of a store, and reads its whole content.
#pragma once

#include <map>
#include <random>
#include <string>

#include "local/objects.h"

namespace trainctl::testing::local_objects {

inline std::map<std::string, Json> everything(const Store& store) {
  std::map<std::string, Json> all;
  for (const ServedResource& resource : served_resources()) {
    for (const auto& object : store.list(resource, "")) {
      all[cat(resource.qualified(), ' ', text_at(*object, "/metadata/namespace"), '/',
              text_at(*object, "/metadata/name"))] = *object;
    }
  }
  return all;
}

// Makes one random change among a few names, so that every kind of change happens to every name.
inline void change_something(Store& store, std::minstd_rand& random) {
  const ServedResource& maps = served("configmaps");
  const std::string name = cat("c", random() % 7);
  const std::string ns = random() % 2 == 0 ? "default" : "team";
  const auto found = store.get(maps, ns, name);
  if (!found) {
    good(store.create(maps, named(ns, name)));
  } else if (random() % 3 == 0) {
    good(store.remove(maps, ns, name));
  } else {
    Json object = *found;
    object["data"] = {{"value", std::to_string(random())}};
    good(store.update(maps, object));
  }
}

}  // namespace trainctl::testing::local_objects
