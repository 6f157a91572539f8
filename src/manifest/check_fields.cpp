// Walks the manifest along its schema.
#include "manifest/check_fields.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/value/yaml.h"
#include "kube/object/names.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/schema.h"

namespace trainctl::job {
namespace {

// Keys may have any length, and a message is to be read.
constexpr int k_step_width = 100;
constexpr int k_widest = 400;

Status check_map(const Json& manifest, const std::string& pointer,
                 std::string (*fault_of)(std::string_view)) {
  const Json* map = find(manifest, pointer);
  if (map != nullptr && !map->is_object() && !map->is_null()) {
    return manifest_fault(pointer, "is not a map of keys and values");
  }
  for (const auto& [key, value] : object_at(manifest, pointer).items()) {
    const std::string place = cat(pointer, '/', pointer_step(key));
    if (const auto fault = qualified_name_fault(key); !fault.empty()) {
      return manifest_fault(place, cat("the key ", fault));
    }
    if (!value.is_string()) return manifest_fault(place, "is not text", "put it in quotes");
    const auto& text = value.get_ref<const std::string&>();
    if (const auto fault = fault_of(text); !fault.empty()) {
      return manifest_fault(place,
                            cat('\'', shortened(printable_line(text), k_step_width), "' ", fault));
    }
  }
  return {};
}

}  // namespace

std::string dotted(std::string_view pointer) {
  std::string text;
  for (const std::string& step : split(pointer.substr(1), '/')) {
    if (!text.empty()) text += '.';
    text += shortened(step, k_step_width);
  }
  for (auto at = text.find("~1"); at != std::string::npos; at = text.find("~1", at)) {
    text.replace(at, 2, "/");
  }
  return shortened(printable_line(text), k_widest);
}

Error manifest_fault(std::string_view pointer, std::string_view fault, std::string_view hint) {
  return {Code::usage, cat(dotted(pointer), ": ", shortened(fault, k_widest)),
          shortened(hint, k_widest)};
}

Status check_encoding(const Json& value) {
  if (value.is_string() && !is_utf8(value.get_ref<const std::string&>())) {
    return Error{Code::usage, "the manifest holds invalid UTF-8", ""};
  }
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      if (!is_utf8(key)) return Error{Code::usage, "the manifest holds invalid UTF-8", ""};
      TRY(check_encoding(child));
    }
  } else if (value.is_array()) {
    for (const Json& child : value) TRY(check_encoding(child));
  }
  return {};
}

Status check_field(const Json& manifest, const std::string& pointer, Check check) {
  const Json* value = find(manifest, pointer);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_string()) return manifest_fault(pointer, "is not text", "put it in quotes");
  if (auto checked = check(value->get_ref<const std::string&>()); !checked) {
    return manifest_fault(pointer, checked.error().message, checked.error().hint);
  }
  return {};
}

Status check_number(const Json& manifest, const std::string& pointer, std::int64_t least) {
  const Json* value = find(manifest, pointer);
  if (value == nullptr || value->is_null()) return {};
  const auto number = int_at(manifest, pointer);
  if (!number) return manifest_fault(pointer, "is not a whole number");
  if (*number < least) return manifest_fault(pointer, cat(*number, " is less than ", least));
  if (*number > std::numeric_limits<std::int32_t>::max()) {
    return manifest_fault(pointer, cat(*number, " is too large"));
  }
  return {};
}

Status check_metadata(const Json& manifest, const std::string& pointer) {
  TRY(check_map(manifest, pointer + "/labels", label_value_fault));
  const Json& annotations = object_at(manifest, pointer + "/annotations");
  TRY(check_map(manifest, pointer + "/annotations",
                [](std::string_view) { return std::string(); }));
  std::size_t size = 0;
  for (const auto& [key, value] : annotations.items()) {
    size += key.size() + value.get_ref<const std::string&>().size();
  }
  if (size <= kube::k_annotation_bytes) return {};
  return manifest_fault(pointer + "/annotations", cat("hold ", size, " bytes; at most ",
                                                      kube::k_annotation_bytes, " are allowed"));
}

namespace {

bool counts_bytes(const std::string& resource) {
  return resource == "memory" || resource == "storage" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

void collect_sizes(const Json& value, const std::string& pointer, std::vector<SizeAt>& sizes) {
  if (!value.is_structured()) return;
  const bool is_list = pointer.ends_with("/limits") || pointer.ends_with("/requests");
  for (const auto& [key, field] : value.items()) {
    const std::string place = cat(pointer, '/', pointer_step(key));
    const bool is_size = key == "sizeLimit" || (is_list && counts_bytes(key));
    if (is_size && (field.is_string() || field.is_number())) {
      sizes.push_back({place, field.is_string() ? field.get<std::string>() : dump(field)});
    }
    collect_sizes(field, place, sizes);
  }
}

}  // namespace

std::vector<SizeAt> sizes_in(const Json& manifest) {
  std::vector<SizeAt> sizes;
  collect_sizes(object_at(manifest, "/spec"), "/spec", sizes);
  return sizes;
}

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
    if (!resembles(word, field.name)) continue;
    const std::size_t slips = edit_distance(lower(word), lower(field.name));
    if (slips >= least) continue;
    meant = field.name;
    least = slips;
  }
  return meant;
}

// A number or switch where text must be: YAML reads 5, 1e3 and true so, and the server refuses it.
bool lacks_quotes(const Json& value, Form form) {
  return form == Form::text && (value.is_number() || value.is_boolean());
}

// The form of a field's value.
enum class Structure { fields, elements, single, any };

Structure structure_of(Form form) {
  switch (form) {
    case Form::object:
    case Form::map:
      return Structure::fields;
    case Form::list:
      return Structure::elements;
    case Form::anything:
      return Structure::any;
    default:
      return Structure::single;
  }
}

Structure structure_of(const Json& value) {
  if (value.is_null()) return Structure::any;
  if (value.is_object()) return Structure::fields;
  return value.is_array() ? Structure::elements : Structure::single;
}

Error misshapen(const std::string& pointer, Form form) {
  switch (structure_of(form)) {
    case Structure::fields:
      return manifest_fault(pointer, "must hold fields",
                            cat("--set ", pointer, "/FIELD=VALUE, or as JSON: ={\"FIELD\": …}"));
    case Structure::elements:
      return manifest_fault(pointer, "must be a list",
                            cat("--set ", pointer, "/0=VALUE, or as JSON: =[…]"));
    default:
      return manifest_fault(pointer, "must be a single value");
  }
}

class PathWalk {
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
  std::optional<Error> first_misshapen, first_unquoted;
  std::vector<std::string> misread;  // pointers to values that kubectl's YAML reads otherwise

 private:
  // Checks the type of a single value only where YAML's own rules make a mistake easy to miss.
  void any(const Json& value, const Shape& shape, const std::string& pointer) {
    const Structure wanted = structure_of(shape.form), found = structure_of(value);
    const bool may_be_json = wanted == Structure::fields || wanted == Structure::elements;
    if (may_be_json && value.is_string()) misread.push_back(pointer);
    if (wanted != found && wanted != Structure::any && found != Structure::any &&
        !first_misshapen) {
      first_misshapen = misshapen(pointer, shape.form);
    }
    if (lacks_quotes(value, shape.form) && !first_unquoted) {
      first_unquoted = manifest_fault(pointer, "is not text", "put it in quotes");
    }
    if (shape.form == Form::boolean && value.is_string()) {
      misread.push_back(pointer);
      if (!first_unquoted) first_unquoted = manifest_fault(pointer, "is neither true nor false");
    }
    const bool is_whole = shape.form == Form::int32 || shape.form == Form::int64;
    if (is_whole && value.is_string() && !first_unquoted) {
      first_unquoted = manifest_fault(pointer, "is text, not a number", "leave out the quotes");
    }
    if (is_whole && value.is_number_float()) misread.push_back(pointer);
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

PathWalk walk_along(std::string_view kind, const Json& manifest) {
  PathWalk walk;
  const ObjectShape* shape = schema().find(kind);
  if (shape != nullptr && manifest.is_object()) walk.object(manifest, *shape, "");
  return walk;
}

}  // namespace

bool resembles(std::string_view word, std::string_view field) {
  const std::size_t slips = std::min(k_most_slips, field.size() / k_letters_per_slip);
  if (word.size() > field.size() + slips) return false;
  return lower(word) == lower(field) || edit_distance(word, field) <= slips;
}

std::vector<UnknownField> unknown_fields(std::string_view kind, const Json& manifest) {
  return walk_along(kind, manifest).unknown;
}

Status check_fields(std::string_view kind, const Json& manifest) {
  PathWalk walk = walk_along(kind, manifest);
  for (const UnknownField& field : walk.unknown) {
    if (field.meant.empty()) continue;
    return manifest_fault(field.pointer, "there is no such field", cat("write ", field.meant));
  }
  if (walk.first_misshapen) return *std::move(walk.first_misshapen);
  return {};
}

void read_as_kubectl(std::string_view kind, Json& manifest) {
  constexpr double k_largest = 1LL << 53;
  for (const std::string& pointer : walk_along(kind, manifest).misread) {
    Json& value = *find_in(manifest, pointer);
    if (value.is_string()) {
      const auto text = value.get<std::string>();
      const std::string word = lower(text);
      if (auto structured = read_as_json(text)) value = *std::move(structured);
      const bool is_true = word == "yes" || word == "on" || word == "y";
      if (value.is_string() && (is_true || word == "no" || word == "off" || word == "n"))
        value = is_true;
    } else if (const double number = value.get<double>();
               std::abs(number) < k_largest && std::floor(number) == number) {
      value = static_cast<std::int64_t>(number);
    }
  }
}

Status check_texts(std::string_view kind, const Json& manifest) {
  PathWalk walk = walk_along(kind, manifest);
  if (walk.first_unquoted) return *std::move(walk.first_unquoted);
  return {};
}

}  // namespace trainctl::job
