// The objects of one resource as the store keeps them: as JSON text, and parsed while somebody uses
// them. Parsed, an object takes six times its text.
#pragma once

#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "base/json.h"

namespace trainctl::local {

class StoredObject {
 public:
  StoredObject(std::pmr::memory_resource& pool, std::string_view text,
               std::shared_ptr<const Json> parsed)
      : text_(text, &pool), parsed_(std::move(parsed)) {}

  std::shared_ptr<const Json> json() const;
  // Lets the parsed form go; false when there was none.
  bool rest();

 private:
  std::pmr::string text_;  // of an object that was parsed or dumped: it can be parsed
  mutable std::shared_ptr<const Json> parsed_;
};

// By key. All of it is in `pool`: between short-lived memory each object would hold on to a page.
using StoredObjects = std::pmr::map<std::pmr::string, StoredObject, std::less<>>;

inline void put(StoredObjects& objects, std::string_view key, std::string_view text,
                std::shared_ptr<const Json> parsed) {
  std::pmr::memory_resource& pool = *objects.get_allocator().resource();
  objects.insert_or_assign(std::pmr::string(key, &pool),
                           StoredObject(pool, text, std::move(parsed)));
}

}  // namespace trainctl::local
