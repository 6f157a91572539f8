// Walks objects along their shapes.
#include "local/api/admission.h"

#include <vector>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "job/manifest/schema.h"
#include "kube/object/names.h"
#include "local/api/core_defaults.h"
#include "local/api/pod_check.h"

namespace trainctl::local {

using job::FieldShape;
using job::Form;
using job::ObjectShape;
using job::Shape;

namespace {

// A hostile body may have more.
constexpr std::size_t k_most_faults = 20;

void drop_nulls(Json& value) {
  if (!value.is_structured()) return;
  for (auto field = value.begin(); field != value.end();) {
    drop_nulls(*field);
    field = value.is_object() && field->is_null() ? value.erase(field) : std::next(field);
  }
}

bool is_scalar_of(const Json& value, Form form) {
  switch (form) {
    case Form::text:
      return value.is_string();
    case Form::bytes:
      return value.is_string() && base64_decode(value.get_ref<const std::string&>());
    case Form::int32:
    case Form::int64:
      return int_at(value, "").has_value();
    case Form::number:
      return value.is_number();
    case Form::boolean:
      return value.is_boolean();
    case Form::quantity:
    case Form::int_or_string:
      return value.is_number() || value.is_string();
    default:
      return true;
  }
}

// Finds what does not fit, and fills in defaults.
class Walk {
 public:
  explicit Walk(bool is_job) : is_job_(is_job) {}

  void object(Json& value, const ObjectShape& shape, const std::string& path) {
    for (auto& [key, field] : value.items()) {
      const FieldShape* known = shape.field(key);
      const std::string here = path.empty() ? key : cat(path, '.', key);
      if (known == nullptr || (known->jobs_only && !is_job_)) {
        add(here, "unknown field");
      } else {
        any(field, known->shape, here);
      }
    }
    if (!is_job_) return;
    for (const FieldShape& field : shape.fields) {
      if (value.contains(field.name)) continue;
      if (field.fallback) value[field.name] = *field.fallback;
      if (field.required) add(path.empty() ? field.name : cat(path, '.', field.name), "Required");
    }
  }

  std::vector<FieldFault> faults;

 private:
  void any(Json& value, const Shape& shape, const std::string& path) {
    const bool is_list = shape.form == Form::list;
    if (!is_list && shape.form != Form::object && shape.form != Form::map) {
      if (!is_scalar_of(value, shape.form)) add(path, "Invalid value");
      return;
    }
    if (is_list ? !value.is_array() : !value.is_object()) return add(path, "Invalid value");
    if (shape.form == Form::object) return object(value, *shape.object, path);
    std::size_t at = 0;
    for (auto& [key, element] : value.items()) {
      any(element, *shape.element, is_list ? cat(path, '[', at++, ']') : cat(path, '.', key));
    }
  }

  void add(const std::string& path, std::string_view why) {
    if (faults.size() < k_most_faults) faults.push_back({printable_line(path), std::string(why)});
  }

  bool is_job_;
};

using Faults = std::vector<FieldFault>;

// The webhooks of JAX and MPI jobs do not look at it.
void check_manager(Faults& faults, const job::Kind& kind, const Json& job) {
  const std::string manager = text_at(job, cat(kind.controller.run_policy, "/managedBy"));
  const bool known = manager.empty() || manager == "kueue.x-k8s.io/multikueue" ||
                     manager == "kubeflow.org/training-operator";
  if (known || kind.alias == "jax" || kind.alias == "mpi") return;
  faults.push_back({"managedBy", cat("Unsupported value: \"", printable_line(manager), '"')});
}

void check_pytorch_job(Faults& faults, const job::Kind& kind, const Json& job) {
  const Json& roles = object_at(job, kind.replica_specs);
  for (const auto& [role, spec] : roles.items()) {
    if (int_at(spec, "/replicas").value_or(1) >= 1) continue;
    faults.push_back({cat(role, ".replicas"), "must be at least 1"});
  }
  const Json* elastic = find(job, "/spec/elasticPolicy");
  if (elastic == nullptr) return;
  if (!roles.contains("Worker")) faults.push_back({"spec.elasticPolicy", "needs the role Worker"});
  const bool twice =
      elastic->contains("nProcPerNode") && find(job, "/spec/nprocPerNode") != nullptr;
  if (twice) faults.push_back({"spec.elasticPolicy.nProcPerNode", "nprocPerNode is set as well"});
}

Faults rule_faults(const ServedResource& resource, const Json& object) {
  Faults faults;
  check_name(faults, kube::k_dns_subdomain, "metadata.name", text_at(object, "/metadata/name"));
  for (const char* part : {"data", "binaryData"}) {
    for (const auto& [key, value] : object_at(object, cat('/', part)).items()) {
      check_name(faults, kube::k_config_key, part, key);
    }
  }
  if (resource.resource.plural == kube::k_pods.plural) append(faults, pod_faults(object));
  if (resource.job_kind == nullptr) return faults;
  check_manager(faults, *resource.job_kind, object);
  if (resource.job_kind->alias == "pytorch") {
    check_pytorch_job(faults, *resource.job_kind, object);
  }
  return faults;
}

}  // namespace

std::optional<ApiError> admit(const ServedResource& resource, Json& object) {
  drop_nulls(object);
  Walk walk(resource.job_kind != nullptr);
  const ObjectShape* shape = job::schema().find(resource.resource.kind);
  if (shape != nullptr) walk.object(object, *shape, "");
  if (walk.faults.empty()) append(walk.faults, rule_faults(resource, object));
  if (!walk.faults.empty()) {
    return invalid(resource.qualified_kind(), text_at(object, "/metadata/name"), walk.faults);
  }
  if (resource.job_kind == nullptr) apply_core_defaults(resource, object);
  return std::nullopt;
}

}  // namespace trainctl::local
