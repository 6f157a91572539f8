// Names, labels, annotations and owners in metadata, as apimachinery validates them.
#include "local/api/object_meta.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/time.h"
#include "kube/object/names.h"
#include "local/api/name_rules.h"

namespace trainctl::local {

namespace {

using Faults = std::vector<FieldFault>;

Faults name_faults(const Json& object, NameRule rule) {
  const std::string name = text_at(object, "/metadata/name");
  std::string prefix = text_at(object, "/metadata/generateName");
  Faults faults;
  if (!prefix.empty()) {
    const std::string whole = prefix;
    if (prefix.size() > 1 && prefix.back() == '-')
      prefix.back() = 'a';  // a name continues after the prefix
    for (const std::string& why : rule(prefix)) {
      faults.push_back(invalid_value("metadata.generateName", whole, why));
    }
  }
  if (name.empty() && prefix.empty()) {
    faults.push_back({"metadata.name", "Required value: name or generateName is required"});
  }
  if (name.empty()) return faults;
  for (const std::string& why : rule(name)) {
    faults.push_back(invalid_value("metadata.name", name, why));
  }
  return faults;
}

Faults annotation_faults(const Json& annotations) {
  Faults faults;
  std::size_t bytes = 0;
  for (const auto& [key, value] : annotations.items()) {
    for (const std::string& why : qualified_name_faults(lower(key))) {
      faults.push_back(invalid_value("metadata.annotations", key, why));
    }
    bytes += key.size() + text_at(value, "").size();
  }
  if (bytes > kube::k_annotation_bytes) {
    faults.push_back({"metadata.annotations",
                      cat("Too long: may not be more than ", kube::k_annotation_bytes, " bytes")});
  }
  return faults;
}

Faults owner_faults(const Json& owners) {
  const std::string place = "metadata.ownerReferences";
  Faults faults;
  std::string controller;
  for (const Json& owner : owners) {
    for (const std::string_view key : {"apiVersion", "kind", "name", "uid"}) {
      if (!text_at(owner, cat('/', key)).empty()) continue;
      const std::string_view what = key == "apiVersion" ? "version " : "";
      faults.push_back(invalid_value(cat(place, '.', key), "", cat(what, "must not be empty")));
    }
    if (!true_at(owner, "/controller")) continue;
    const std::string name = cat(text_at(owner, "/kind"), '/', text_at(owner, "/name"));
    if (!controller.empty()) {
      faults.push_back(invalid_value(
          place, owners,
          cat("Only one reference can have Controller set to true. Found \"true\" in references "
              "for ",
              controller, " and ", name)));
    }
    if (controller.empty()) controller = name;
  }
  return faults;
}

Faults finalizer_faults(const Json& finalizers) {
  Faults faults;
  for (const Json& finalizer : finalizers) {
    for (const std::string& why : qualified_name_faults(text_at(finalizer, ""))) {
      faults.push_back(invalid_value("metadata.finalizers", finalizer, why));
    }
  }
  return faults;
}

Faults common_faults(const Json& object) {
  Faults faults = label_faults(object_at(object, "/metadata/labels"), "metadata.labels");
  append(faults, annotation_faults(object_at(object, "/metadata/annotations")));
  append(faults, owner_faults(array_at(object, "/metadata/ownerReferences")));
  return faults;
}

}  // namespace

FieldFault invalid_value(std::string_view field, const Json& value, std::string_view why) {
  return {std::string(field), cat("Invalid value: ", dump(value), ": ", why)};
}

std::vector<FieldFault> label_faults(const Json& labels, std::string_view field) {
  Faults faults;
  for (const auto& [key, value] : labels.items()) {
    for (const std::string& why : qualified_name_faults(key)) {
      faults.push_back(invalid_value(field, key, why));
    }
    for (const std::string& why : label_value_faults(text_at(value, ""))) {
      faults.push_back(invalid_value(field, value, why));
    }
  }
  return faults;
}

std::vector<FieldFault> created_meta_faults(const Json& object, NameRule rule) {
  Faults faults = name_faults(object, rule);
  append(faults, common_faults(object));
  append(faults, finalizer_faults(array_at(object, "/metadata/finalizers")));
  return faults;
}

namespace {

// Times are compared by value, since other clients write "+00:00" for "Z".
bool is_same(const Json& now, const Json& then) {
  if (now == then) return true;
  if (!now.is_string() || !then.is_string()) return false;
  const auto time = parse_time(now.get<std::string>());
  return time && time == parse_time(then.get<std::string>());
}

}  // namespace

std::vector<FieldFault> updated_meta_faults(const Json& object, const Json& before) {
  Faults faults;
  for (const std::string_view key : {"name", "namespace", "uid", "creationTimestamp"}) {
    const Json* now = find(object, cat("/metadata/", key));
    const Json* then = find(before, cat("/metadata/", key));
    if (now == nullptr || then == nullptr || is_same(*now, *then)) continue;
    faults.push_back(invalid_value(cat("metadata.", key), *now, "field is immutable"));
  }
  append(faults, common_faults(object));
  return faults;
}

std::vector<std::string> finalizer_warnings(const Json& object, const Json* before) {
  constexpr std::string_view k_standard_finalizers[] = {"orphan", "foregroundDeletion",
                                                        "kubernetes"};
  const Json known = before == nullptr ? Json::array() : array_at(*before, "/metadata/finalizers");
  std::vector<std::string> warnings;
  for (const Json& finalizer : array_at(object, "/metadata/finalizers")) {
    const std::string name = text_at(finalizer, "");
    const bool accepted =
        std::ranges::find(known, finalizer) != known.end() || name.find('/') != std::string::npos ||
        std::ranges::find(k_standard_finalizers, name) != std::end(k_standard_finalizers);
    if (accepted) continue;
    const bool has_domain = name.find('.') != std::string::npos;
    warnings.push_back(cat("metadata.finalizers: ", dump(finalizer),
                           ": prefer a domain-qualified finalizer name ",
                           has_domain ? "including a path (/) " : "",
                           "to avoid accidental conflicts with other finalizer writers"));
  }
  return warnings;
}

void compact_metadata(Json& object) {
  const auto found = object.find("metadata");
  if (found == object.end() || !found->is_object()) return;
  for (const char* map : {"labels", "annotations"}) {
    const auto texts = found->find(map);
    if (texts == found->end() || !texts->is_object()) continue;
    for (Json& text : *texts) {
      if (text.is_null()) text = "";
    }
  }
  for (auto field = found->begin(); field != found->end();) {
    const bool blank = field->is_null() || (field->is_structured() && field->empty()) ||
                       (field->is_string() && field->get_ref<const std::string&>().empty());
    field = blank ? found->erase(field) : std::next(field);
  }
}

}  // namespace trainctl::local
