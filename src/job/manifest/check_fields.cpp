// Walks the manifest along its schema.
#include "job/manifest/check_fields.h"

#include <algorithm>
#include <utility>

#include "base/edit_distance.h"
#include "base/text.h"
#include "job/manifest/check_fault.h"
#include "job/manifest/schema.h"

namespace trainctl::job {

namespace {

// There is no way around a refusal, so fields of an API newer than this program must almost never
// look like typing errors: a test shows how rarely two fields of one object are this similar.
constexpr std::size_t k_most_slips = 2;
constexpr std::size_t k_letters_per_slip = 4;

// The most similar field; "" when none is similar enough.
std::string meant_by(std::string_view word, const ObjectShape& shape) {
  std::string meant;
  std::size_t least = std::string_view::npos;
  for (const FieldShape& field : shape.fields) {
    const std::size_t slips = edit_distance(lower(word), lower(field.name));
    if (slips >= least || !resembles(word, field.name)) continue;
    meant = field.name;
    least = slips;
  }
  return meant;
}

class Walk {
 public:
  void object(const Json& value, const ObjectShape& shape, const std::string& pointer) {
    for (const auto& [key, field] : value.items()) {
      const std::string here = cat(pointer, '/', pointer_step(key));
      if (const FieldShape* known = shape.field(key)) {
        any(field, known->shape, here);
      } else {
        unknown.push_back({here, meant_by(key, shape)});
      }
    }
  }

  std::vector<UnknownField> unknown;

 private:
  // Values of a wrong type are not checked here.
  void any(const Json& value, const Shape& shape, const std::string& pointer) {
    if (shape.form == Form::object && value.is_object()) object(value, *shape.object, pointer);
    if (shape.form == Form::map && value.is_object()) {
      for (const auto& [key, element] : value.items()) {
        any(element, *shape.element, cat(pointer, '/', pointer_step(key)));
      }
    }
    if (shape.form == Form::list && value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        any(value[i], *shape.element, cat(pointer, '/', i));
      }
    }
  }
};

}  // namespace

bool resembles(std::string_view word, std::string_view field) {
  const std::size_t slips = std::min(k_most_slips, field.size() / k_letters_per_slip);
  return lower(word) == lower(field) || edit_distance(word, field) <= slips;
}

std::vector<UnknownField> unknown_fields(std::string_view kind, const Json& manifest) {
  const ObjectShape* shape = schema().find(kind);
  if (shape == nullptr || !manifest.is_object()) return {};
  Walk walk;
  walk.object(manifest, *shape, "");
  return std::move(walk.unknown);
}

Status check_fields(std::string_view kind, const Json& manifest) {
  for (const UnknownField& field : unknown_fields(kind, manifest)) {
    if (field.meant.empty()) continue;
    return manifest_fault(field.pointer, "there is no such field", cat("write ", field.meant));
  }
  return {};
}

}  // namespace trainctl::job
