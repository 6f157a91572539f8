// Tables: the columns of each kind and a row per object.
#include "local/api/table_view.h"

#include <array>

#include "base/text/text.h"
#include "local/api/table_cells.h"

namespace trainctl::local {

namespace {

constexpr Column k_job_state{
    .name = "State",
    .description =
        "Custom resource definition column (in JSONPath format): .status.conditions[-1:].type"};
constexpr Column k_job_age{
    .name = "Age",
    .type = "date",
    .description =
        "Custom resource definition column (in JSONPath format): .metadata.creationTimestamp"};

constexpr Column k_job_columns[] = {k_name_column, k_job_state, k_job_age};
constexpr Column k_age_first_columns[] = {k_name_column, k_job_age, k_job_state};

Json state_of(const Json& job) {
  const Json& conditions = array_at(job, "/status/conditions");
  if (conditions.empty()) return nullptr;
  return text_at(conditions.back(), "/type");
}

Json job_cells(const Json& job, Time now) {
  return Json::array({text_at(job, "/metadata/name"), state_of(job), age_of(job, now)});
}

Json age_first_cells(const Json& job, Time now) {
  return Json::array({text_at(job, "/metadata/name"), age_of(job, now), state_of(job)});
}

// In the definitions of training-operator 1.9, this kind's columns are in reverse order.
constexpr std::array<std::string_view, 1> k_age_first = {"mpi"};

RowView job_rows(const job::Kind& kind) {
  for (const std::string_view alias : k_age_first) {
    if (kind.alias == alias) return {k_age_first_columns, age_first_cells};
  }
  return {k_job_columns, job_cells};
}

RowView rows_of(const ServedResource& resource) {
  if (resource.job_kind != nullptr) return job_rows(*resource.job_kind);
  if (resource.resource.plural == kube::k_pods.plural) return pod_rows();
  return core_rows(resource.resource.plural);
}

Json definition(const Column& column) {
  return {{"name", column.name},
          {"type", column.type},
          {"format", column.format},
          {"description", column.description},
          {"priority", column.priority}};
}

Json object_cell(const Json& object, std::string_view include) {
  if (include == "None") return nullptr;
  if (include == "Object") return object;
  return {{"kind", "PartialObjectMetadata"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", object_at(object, "/metadata")}};
}

}  // namespace

std::string text_or(const Json& object, std::string_view pointer, std::string_view fallback) {
  std::string text = text_at(object, pointer);
  return text.empty() ? std::string(fallback) : text;
}

std::string age_at(const Json& object, std::string_view pointer, Time now) {
  const auto then = parse_time(text_at(object, pointer));
  return then ? format_age(now - *then) : "<unknown>";
}

std::string age_of(const Json& object, Time now) {
  return age_at(object, "/metadata/creationTimestamp", now);
}

Json table_of(const ServedResource& resource,
              const std::vector<std::shared_ptr<const Json>>& objects, Time now,
              std::string_view include_object, bool with_columns) {
  const RowView view = rows_of(resource);
  Json columns = nullptr;
  if (with_columns) {
    columns = Json::array();
    for (const Column& column : view.columns) columns.push_back(definition(column));
  }
  Json rows = Json::array();
  for (const auto& object : objects) {
    Json row = {{"cells", view.cells(*object, now)}};
    Json conditions = view.conditions == nullptr ? Json() : view.conditions(*object);
    if (!conditions.is_null()) row["conditions"] = std::move(conditions);
    row["object"] = object_cell(*object, include_object);
    rows.push_back(std::move(row));
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", Json::object()},
          {"columnDefinitions", std::move(columns)},
          {"rows", std::move(rows)}};
}

}  // namespace trainctl::local
