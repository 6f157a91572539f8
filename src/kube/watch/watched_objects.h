// Tracks what a watch has reported so far, so that every state of an object is reported once. Does
// no I/O.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/value/json.h"

namespace trainctl::kube {

class WatchedObjects {
 public:
  // The identity of the known object with the same name but another uid; that object is forgotten.
  std::optional<Json> take_namesake(const Json& object);
  // Records the object; false when exactly this state (uid and resourceVersion) was recorded
  // already.
  bool keep(const Json& object);
  // Forgets the object; false when it was not known, or under another uid.
  bool forget(const Json& object);

  std::size_t size() const { return known_.size(); }

  // Between these two calls, keep() records the objects of a list; end_list() forgets and returns
  // all others.
  void begin_list() { listed_.emplace(); }
  std::vector<Json> end_list();

 private:
  struct Known {
    std::string ns, name, uid, version;
    bool operator==(const Known&) const = default;
  };
  static Known known(const Json& object);
  static Json identity(const Known& known);

  // Keyed by namespace and name. Whole objects are kept by those who need them, so that a thousand
  // pods are not held twice.
  std::map<std::string, Known> known_;
  std::optional<std::set<std::string>> listed_;  // while a list is read
};

}  // namespace trainctl::kube
