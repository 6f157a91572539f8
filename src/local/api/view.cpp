// Negotiates the content type as apiserver does, and converts objects to the requested form.
#include "local/api/view.h"

#include <optional>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "local/api/table_view.h"

namespace trainctl::local {

namespace {

constexpr std::string_view k_meta_group = "meta.k8s.io";

struct MediaRange {
  std::string type;
  std::string as, group, version;
};

MediaRange media_range(std::string_view text) {
  MediaRange range;
  for (const std::string& part : split(text, ';')) {
    const Halves halves = split_once(trim(part), '=');
    if (!halves.found && range.type.empty()) range.type = lower(halves.first);
    if (halves.first == "as") range.as = halves.second;
    if (halves.first == "g") range.group = halves.second;
    if (halves.first == "v") range.version = halves.second;
  }
  return range;
}

std::optional<AnswerShape> shape_of(const MediaRange& range) {
  if (range.as.empty()) return AnswerShape::whole;
  if (range.group != k_meta_group) return std::nullopt;
  if (range.version != "v1" && range.version != "v1beta1") return std::nullopt;
  if (range.as == "Table") return AnswerShape::table;
  const bool metadata =
      range.as == "PartialObjectMetadata" || range.as == "PartialObjectMetadataList";
  return metadata ? std::optional(AnswerShape::metadata) : std::nullopt;
}

bool is_json(std::string_view type) {
  return type.empty() || type == "application/json" || type == "application/*" || type == "*/*";
}

Json metadata_only(const Json& object) {
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object_at(object, "/metadata")}};
}

// In lists of core types, items do not repeat their kind.
Json item_of(const ServedResource& resource, Json object) {
  if (resource.job_kind != nullptr) return object;
  object.erase("kind");
  object.erase("apiVersion");
  return object;
}

// Lists of custom resources are Go maps, whose keys are sorted.
Json list_of(const ServedResource& resource, Json items, Json metadata) {
  const std::string kind = cat(resource.resource.kind, "List");
  const std::string api_version = resource.resource.api_version();
  if (resource.job_kind == nullptr) {
    return {{"kind", kind},
            {"apiVersion", api_version},
            {"metadata", std::move(metadata)},
            {"items", std::move(items)}};
  }
  Json ordered = {{"continue", text_at(metadata, "/continue")}};
  if (const Json* rest = find(metadata, "/remainingItemCount")) {
    ordered["remainingItemCount"] = *rest;
  }
  ordered["resourceVersion"] = text_at(metadata, "/resourceVersion");
  return {{"apiVersion", api_version},
          {"items", std::move(items)},
          {"kind", kind},
          {"metadata", std::move(ordered)}};
}

std::string quoted_warning(std::string_view text) {
  std::string quoted = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

Answered<View> view_of(std::string_view accept, const ApiQuery& query) {
  for (const std::string& text : split(accept, ',')) {
    const MediaRange range = media_range(text);
    const bool yaml = range.type == "application/yaml";
    const auto shape = shape_of(range);
    if (shape && (yaml || is_json(range.type)))
      return View{*shape, yaml, query.text("includeObject")};
  }
  return ApiError{406, "NotAcceptable",
                  "only the following media types are accepted: application/json, "
                  "application/yaml, application/vnd.kubernetes.protobuf"};
}

Json one_as(const View& view, const ServedResource& resource,
            const std::shared_ptr<const Json>& object, Time now, bool with_columns) {
  if (view.shape == AnswerShape::whole) return *object;
  if (view.shape == AnswerShape::metadata) return metadata_only(*object);
  Json table = table_of(resource, {object}, now, view.include, with_columns);
  table["metadata"] = {{"resourceVersion", text_at(*object, "/metadata/resourceVersion")}};
  return table;
}

Json list_as(const View& view, const ServedResource& resource, const Objects& objects,
             const Json& metadata, Time now) {
  if (view.shape == AnswerShape::table) {
    Json table = table_of(resource, objects, now, view.include, true);
    table["metadata"] = metadata;
    return table;
  }
  Json items = Json::array();
  for (const auto& object : objects) {
    items.push_back(view.shape == AnswerShape::metadata ? metadata_only(*object)
                                                        : item_of(resource, *object));
  }
  if (view.shape == AnswerShape::whole) return list_of(resource, std::move(items), metadata);
  return {{"kind", "PartialObjectMetadataList"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", metadata},
          {"items", std::move(items)}};
}

ApiAnswer answer_with(const Json& body, int code, const View& view) {
  ApiAnswer answer;
  answer.code = code;
  answer.content_type = view.yaml ? "application/yaml" : "application/json";
  answer.headers.push_back({"Cache-Control", "no-cache, private"});
  answer.body = view.yaml ? to_yaml(body) : dump(body) + "\n";
  return answer;
}

void add_warnings(ApiAnswer& answer, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    answer.headers.push_back({"Warning", quoted_warning(warning)});
  }
}

ApiAnswer answer_with(const ApiError& error) {
  ApiAnswer answer = answer_with(status_object(error), error.code);
  add_warnings(answer, error.warnings);
  if (!error.plain_text) return answer;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = error.message;
  return answer;
}

}  // namespace trainctl::local
