// Implements checks that any part of a manifest may need.
#include "job/manifest/check_fault.h"

#include <limits>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "job/kind/names.h"
#include "kube/object/names.h"

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

}  // namespace trainctl::job
