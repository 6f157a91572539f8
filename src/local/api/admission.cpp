// Walks objects along their shapes.
#include "local/api/admission.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/object/names.h"
#include "local/api/pod_rules.h"
#include "manifest/schema.h"

namespace trainctl::local {
namespace {

struct Default {
  std::string_view plural;
  std::string_view path;   // "/a/*/b": "*" = every element; parent objects must exist
  std::string_view value;  // JSON
};

// k8s.io/kubernetes pkg/apis/core/v1/defaults.go, as far as the kubelet or trainctl reads them.
constexpr Default k_defaults[] = {
    {"pods", "/spec/restartPolicy", R"("Always")"},
    {"pods", "/spec/terminationGracePeriodSeconds", "30"},
    {"pods", "/spec/serviceAccountName", R"("default")"},
    {"pods", "/spec/volumes/*/secret/defaultMode", "420"},
    {"pods", "/spec/volumes/*/configMap/defaultMode", "420"},
    {"pods", "/spec/volumes/*/downwardAPI/defaultMode", "420"},
    {"pods", "/spec/volumes/*/projected/defaultMode", "420"},
    {"secrets", "/type", R"("Opaque")"},
    {"events", "/involvedObject", "{}"},
};

// Defaults of every container, in both of a pod's lists.
constexpr Default k_container_defaults[] = {
    {"", "/resources", "{}"},
    {"", "/terminationMessagePath", R"("/dev/termination-log")"},
    {"", "/terminationMessagePolicy", R"("File")"},
};

constexpr Default k_probe_defaults[] = {
    {"", "/timeoutSeconds", "1"},
    {"", "/periodSeconds", "10"},
    {"", "/successThreshold", "1"},
    {"", "/failureThreshold", "3"},
};

Json* step_into(Json& value, const std::string& step) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(step);
  return found == value.end() ? nullptr : &*found;
}

void set_default(Json& value, std::string_view path, const Json& wanted) {
  const std::string_view rest = path.substr(1);
  const std::size_t end = rest.find('/');
  const std::string step(rest.substr(0, end));
  if (step == "*") {
    if (!value.is_array()) return;
    for (Json& element : value) set_default(element, rest.substr(end), wanted);
    return;
  }
  if (end == std::string_view::npos) {
    if (value.is_object() && !value.contains(step)) value[step] = wanted;
    return;
  }
  Json* next = step_into(value, step);
  if (next != nullptr) set_default(*next, rest.substr(end), wanted);
}

void set_default(Json& value, const Default& row) {
  if (auto wanted = parse_json(row.value, "a default")) set_default(value, row.path, *wanted);
}

// A name that a container runtime would refuse has no tag: only the registry part may have capitals
// or blanks.
bool is_image_name(std::string_view image) {
  const auto slash = image.find('/');
  const std::string_view path = slash == std::string_view::npos ? image : image.substr(slash + 1);
  return !path.empty() &&
         std::ranges::none_of(path, [](char c) { return (c >= 'A' && c <= 'Z') || c == ' '; });
}

// An image without a tag (or with "latest") may have changed since it was pulled.
std::string_view pull_policy(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return "IfNotPresent";
  const auto slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const auto colon = last.rfind(':');
  if (colon != std::string_view::npos) {
    return last.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
  }
  return is_image_name(image) ? "Always" : "IfNotPresent";
}

void complete_container(Json& container) {
  if (!container.is_object()) return;
  for (const Default& row : k_container_defaults) set_default(container, row);
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    Json* found = step_into(container, std::string(probe));
    if (found == nullptr) continue;
    for (const Default& row : k_probe_defaults) set_default(*found, row);
  }
  if (!container.contains("imagePullPolicy")) {
    container["imagePullPolicy"] = pull_policy(text_at(container, "/image"));
  }
  const Json limits = object_at(container, "/resources/limits");
  for (const auto& [name, limit] : limits.items()) {
    const std::string place = "/resources/requests/" + pointer_step(name);
    if (find(container, place) == nullptr) set_at(container, place, limit);
  }
}

void complete_pod(Json& pod) {
  Json* spec = step_into(pod, "spec");
  if (spec == nullptr) return;
  for (const char* list : {"containers", "initContainers"}) {
    Json* containers = step_into(*spec, list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Json& container : *containers) complete_container(container);
  }
  Json* volumes = step_into(*spec, "volumes");
  if (volumes == nullptr || !volumes->is_array()) return;
  for (Json& volume : *volumes) {
    if (volume.is_object() && volume.size() == 1) volume["emptyDir"] = Json::object();
  }
}

void complete_secret(Json& secret) {
  const Json plain = object_at(secret, "/stringData");
  for (const auto& [key, value] : plain.items()) {
    set_at(secret, "/data/" + pointer_step(key), base64_encode(text_at(value, "")));
  }
  if (secret.is_object()) secret.erase("stringData");
}

void complete_namespace(Json& object) {
  set_at(object, "/metadata/labels/kubernetes.io~1metadata.name",
         text_at(object, "/metadata/name"));
}

struct Completion {
  std::string_view plural;
  void (*complete)(Json& object);
};
constexpr Completion k_completions[] = {
    {"pods", complete_pod},
    {"secrets", complete_secret},
    {"namespaces", complete_namespace},
};

}  // namespace

void apply_core_defaults(const ServedResource& resource, Json& object) {
  for (const Default& row : k_defaults) {
    if (row.plural == resource.resource.plural) set_default(object, row);
  }
  for (const Completion& row : k_completions) {
    if (row.plural == resource.resource.plural) row.complete(object);
  }
}

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
