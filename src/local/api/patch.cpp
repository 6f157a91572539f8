// JSON patch (RFC 6902) and merge patch (RFC 7386).
#include "local/api/patch.h"

#include <optional>

#include "base/text/text.h"
#include "local/store/object_form.h"

namespace trainctl::local {

namespace {

// apiserver's only message for a patch that cannot be applied.
ApiError unprocessable() {
  return {422, "Invalid", "the server rejected our request due to an error in our request",
          Json::object()};
}

struct Location {
  std::string parent;  // pointer
  std::string step;    // unescaped
};

std::optional<Location> place_of(std::string_view pointer) {
  const auto slash = pointer.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string step;
  const std::string_view escaped = pointer.substr(slash + 1);
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const bool escape = escaped[i] == '~' && i + 1 < escaped.size();
    step += !escape ? escaped[i] : escaped[++i] == '1' ? '/' : '~';
  }
  return Location{std::string(pointer.substr(0, slash)), step};
}

// `find` returns const pointers, but the value is ours to change.
Json* find_mutable(Json& value, std::string_view pointer) {
  return const_cast<Json*>(find(value, pointer));
}

std::optional<std::size_t> index_of(const std::string& step, std::size_t size) {
  const auto index = parse_number<std::size_t>(step);
  return index && *index <= size ? index : std::nullopt;
}

bool add(Json& object, std::string_view pointer, Json value) {
  if (pointer.empty()) {
    object = std::move(value);
    return true;
  }
  const auto place = place_of(pointer);
  Json* parent = place ? find_mutable(object, place->parent) : nullptr;
  if (parent == nullptr) return false;
  if (parent->is_object()) {
    (*parent)[place->step] = std::move(value);
    return true;
  }
  if (!parent->is_array()) return false;
  if (place->step == "-") {
    parent->push_back(std::move(value));
    return true;
  }
  const auto index = index_of(place->step, parent->size());
  if (!index) return false;
  parent->insert(parent->begin() + std::ptrdiff_t(*index), std::move(value));
  return true;
}

bool remove(Json& object, std::string_view pointer) {
  const auto place = place_of(pointer);
  Json* parent = place ? find_mutable(object, place->parent) : nullptr;
  if (parent == nullptr || find(object, pointer) == nullptr) return false;
  if (parent->is_object()) {
    parent->erase(place->step);
    return true;
  }
  const auto index = index_of(place->step, parent->size());
  if (!index) return false;
  parent->erase(*index);
  return true;
}

bool copy(Json& object, std::string_view from, std::string_view to) {
  const Json* source = find(object, from);
  return source != nullptr && add(object, to, Json(*source));
}

bool apply(Json& object, const Json& operation) {
  const std::string op = text_at(operation, "/op");
  const std::string path = text_at(operation, "/path");
  const std::string from = text_at(operation, "/from");
  const Json* value = find(operation, "/value");
  const Json* there = find(object, path);
  if (op == "add") return value != nullptr && add(object, path, *value);
  if (op == "remove") return remove(object, path);
  if (op == "replace") {
    if (value == nullptr || there == nullptr) return false;
    *find_mutable(object, path) = *value;
    return true;
  }
  if (op == "test") return there != nullptr && value != nullptr && same_value(*there, *value);
  if (op == "copy") return copy(object, from, path);
  if (op != "move" || (path + "/").starts_with(from + "/")) return op == "move" && path == from;
  const Json* source = find(object, from);
  if (source == nullptr) return false;
  Json moved = *source;
  return remove(object, from) && add(object, path, std::move(moved));
}

}  // namespace

Answered<Json> json_patch(Json object, const Json& operations) {
  if (!operations.is_array()) {
    return bad_request(
        "error decoding patch: json: cannot unmarshal object into Go value of type "
        "[]handlers.jsonPatchOp");
  }
  for (const Json& operation : operations) {
    if (!apply(object, operation)) return unprocessable();
  }
  return object.is_object() ? Answered<Json>(std::move(object)) : unprocessable();
}

void merge_patch(Json& object, const Json& patch) {
  if (!patch.is_object()) {
    object = patch;
    return;
  }
  if (!object.is_object()) object = Json::object();
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      object.erase(key);
    } else {
      merge_patch(object[key], value);
    }
  }
}

}  // namespace trainctl::local
