// What a watch has told its owner so far, so that every state of an object is told once. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace trainctl::kube {

class WatchedObjects {
 public:
  // The object known under this one's name when that was another object (another uid); it is
  // forgotten.
  std::optional<Json> take_namesake(const Json& object);
  // Keeps the object; false when this very state (uid and resourceVersion) was kept already.
  bool keep(const Json& object);
  // Forgets the object; false when it was not known, or under another uid.
  bool forget(const Json& object);

  // Between the two, keep() notes what a list holds; end_list() forgets and returns the rest.
  void begin_list() { listed_.clear(); }
  std::vector<Json> end_list();

 private:
  std::map<std::string, Json> known_;  // by namespace/name
  std::set<std::string> listed_;
};

}  // namespace trainctl::kube
