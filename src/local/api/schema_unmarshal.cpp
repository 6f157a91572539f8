// Finds what does not fit into the Go types of core objects, and says so as encoding/json does.
#include "base/text/text.h"
#include "base/value/base64.h"
#include "local/api/schema_decode.h"

namespace trainctl::local {

using job::FieldShape;
using job::Form;
using job::ObjectShape;
using job::Shape;

namespace {

using Fault = std::optional<std::string>;

constexpr std::string_view k_quantity_fault =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

std::string go_type(const Shape& shape) {
  switch (shape.form) {
    case Form::text:
      return "string";
    case Form::bytes:
      return "[]uint8";
    case Form::int32:
      return "int32";
    case Form::int64:
      return "int64";
    case Form::number:
      return "float64";
    case Form::boolean:
      return "bool";
    case Form::quantity:
      return "resource.Quantity";
    case Form::int_or_string:
      return "intstr.IntOrString";
    case Form::anything:
      return "interface {}";
    case Form::object:
      return cat("v1.", shape.object->name);
    case Form::list:
      return cat("[]", go_type(*shape.element));
    case Form::map:
      if (shape.element->form == Form::quantity) return "v1.ResourceList";
      return cat("map[string]", go_type(*shape.element));
  }
  return "";
}

std::string go_value(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "number";
}

bool fits_int32(const Json& value) {
  const auto number = int_at(value, "");
  return number && *number >= INT32_MIN && *number <= INT32_MAX;
}

bool is_quantity(const std::string& text) {
  std::size_t at = 0;
  const auto skip = [&](std::string_view set) {
    const std::size_t from = at;
    while (at < text.size() && set.find(text[at]) != std::string_view::npos) ++at;
    return at > from;
  };
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  if (!skip("0123456789.")) return false;
  skip("eEinumkKMGTP");
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  skip("0123456789");
  return at == text.size();
}

// A value of a field: the struct that holds it and its path name it in the message.
struct Place {
  std::string holder;
  std::string path;
};

class Unmarshaller {
 public:
  Fault object(const Json& value, const ObjectShape& shape, const std::string& path) const {
    for (const auto& [key, field] : value.items()) {
      const FieldShape* known = shape.field(key);
      if (known == nullptr) continue;
      const Place place{shape.name, path.empty() ? key : cat(path, '.', key)};
      if (Fault fault = any(field, known->shape, place)) return fault;
    }
    return std::nullopt;
  }

 private:
  static std::string misfit(const Json& value, const Shape& shape, const Place& place) {
    const bool whole_type = shape.form == Form::int32 || shape.form == Form::int64;
    const std::string what =
        whole_type && value.is_number() ? cat("number ", dump(value)) : go_value(value);
    return cat("json: cannot unmarshal ", what, " into Go struct field ", place.holder, '.',
               place.path, " of type ", go_type(shape));
  }

  Fault any(const Json& value, const Shape& shape, const Place& place) const {
    if (value.is_null()) return std::nullopt;
    if (shape.form == Form::object || shape.form == Form::list || shape.form == Form::map) {
      return container(value, shape, place);
    }
    return scalar(value, shape, place);
  }

  Fault container(const Json& value, const Shape& shape, const Place& place) const {
    const bool fits = shape.form == Form::list ? value.is_array() : value.is_object();
    if (!fits) return misfit(value, shape, place);
    if (shape.form == Form::object) return object(value, *shape.object, place.path);
    for (const Json& element : value) {
      if (Fault fault = any(element, *shape.element, place)) return fault;
    }
    return std::nullopt;
  }

  static Fault scalar(const Json& value, const Shape& shape, const Place& place) {
    bool fits = true;
    switch (shape.form) {
      case Form::text:
        fits = value.is_string();
        break;
      case Form::int32:
        fits = fits_int32(value);
        break;
      case Form::int64:
        fits = int_at(value, "").has_value();
        break;
      case Form::number:
        fits = value.is_number();
        break;
      case Form::boolean:
        fits = value.is_boolean();
        break;
      case Form::bytes:
        return bytes(value, shape, place);
      case Form::quantity:
        return quantity(value);
      case Form::int_or_string:
        if (value.is_string() || fits_int32(value)) return std::nullopt;
        return cat("json: cannot unmarshal ", go_value(value), " into Go value of type int32");
      default:
        break;
    }
    if (fits) return std::nullopt;
    return misfit(value, shape, place);
  }

  static Fault bytes(const Json& value, const Shape& shape, const Place& place) {
    if (!value.is_string()) return misfit(value, shape, place);
    const auto& text = value.get_ref<const std::string&>();
    if (base64_decode(text)) return std::nullopt;
    std::size_t at = text.find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n");
    if (at == std::string::npos) at = text.size() - text.size() % 4;
    return cat("illegal base64 data at input byte ", at);
  }

  static Fault quantity(const Json& value) {
    const bool fits = value.is_number() ||
                      (value.is_string() && is_quantity(value.get_ref<const std::string&>()));
    if (fits) return std::nullopt;
    return std::string(k_quantity_fault);
  }
};

}  // namespace

std::optional<std::string> decode_fault(const Json& value, const ObjectShape& shape,
                                        std::string_view path) {
  if (!value.is_object()) {
    return cat("json: cannot unmarshal ", go_value(value), " into Go value of type v1.",
               shape.name);
  }
  return Unmarshaller().object(value, shape, std::string(path));
}

}  // namespace trainctl::local
