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
  // What names the object known under this one's name when that was another object (another uid);
  // it is forgotten.
  std::optional<Json> take_namesake(const Json& object);
  // Notes the object; false when this very state (uid and resourceVersion) was kept already.
  bool keep(const Json& object);
  // Forgets the object; false when it was not known, or under another uid.
  bool forget(const Json& object);

  // Between the two, keep() notes what a list holds; end_list() forgets and returns the rest.
  void begin_list() { listed_.clear(); }
  std::vector<Json> end_list();

 private:
  struct Known {
    std::string ns, name, uid, version;
    bool operator==(const Known&) const = default;
  };
  static Known known(const Json& object);
  static Json identity(const Known& known);

  // By namespace and name. Who needs whole objects keeps them: not a thousand pods twice.
  std::map<std::string, Known> known_;
  std::set<std::string> listed_;
};

}  // namespace trainctl::kube
