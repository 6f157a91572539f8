// The objects of one resource in the store's memory: as JSON text, and parsed while they are in
// use, because a parsed object takes six times the size of its text.
#pragma once

#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::local {

class StoredObject {
 public:
  StoredObject(std::pmr::memory_resource& pool, std::string_view text,
               std::shared_ptr<const Json> parsed)
      : text_(text, &pool), parsed_(std::move(parsed)) {}

  std::shared_ptr<const Json> json() const;
  // Frees the parsed form; false when there was none.
  bool rest();

 private:
  std::pmr::string text_;  // known to be valid JSON
  mutable std::shared_ptr<const Json> parsed_;
};

// Objects by key, allocated in `pool`: small objects among short-lived memory would each pin a
// page.
using StoredObjects = std::pmr::map<std::pmr::string, StoredObject, std::less<>>;

inline void put(StoredObjects& objects, std::string_view key, std::string_view text,
                std::shared_ptr<const Json> parsed) {
  std::pmr::memory_resource& pool = *objects.get_allocator().resource();
  objects.insert_or_assign(std::pmr::string(key, &pool),
                           StoredObject(pool, text, std::move(parsed)));
}

}  // namespace trainctl::local
