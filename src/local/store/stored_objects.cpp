// Parses objects on demand and keeps the result until the next rest().
#include "local/store/stored_objects.h"

#include <utility>

namespace trainctl::local {

std::shared_ptr<const Json> StoredObject::json() const {
  if (!parsed_) {
    auto parsed = parse_json(text_, "a stored object");
    parsed_ = std::make_shared<const Json>(parsed ? *std::move(parsed) : Json::object());
  }
  return parsed_;
}

bool StoredObject::rest() {
  return std::exchange(parsed_, nullptr) != nullptr;
}

}  // namespace trainctl::local
