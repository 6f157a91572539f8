// Defaults of core/v1 as a table of paths, and the few that depend on other fields.
#include "local/api/core_defaults.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/base64.h"

namespace trainctl::local {

namespace {

struct Default {
  std::string_view plural;
  std::string_view path;   // "/a/*/b": "*" = every element; parent objects must exist
  std::string_view value;  // JSON
};

constexpr std::string_view k_tolerate_absent_nodes =
    R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",
         "tolerationSeconds":300},
        {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute",
         "tolerationSeconds":300}])";

// k8s.io/kubernetes pkg/apis/core/v1/defaults.go and the default admission plugins.
constexpr Default k_defaults[] = {
    {"pods", "/spec/restartPolicy", R"("Always")"},
    {"pods", "/spec/terminationGracePeriodSeconds", "30"},
    {"pods", "/spec/dnsPolicy", R"("ClusterFirst")"},
    {"pods", "/spec/serviceAccountName", R"("default")"},
    {"pods", "/spec/serviceAccount", R"("default")"},
    {"pods", "/spec/securityContext", "{}"},
    {"pods", "/spec/schedulerName", R"("default-scheduler")"},
    {"pods", "/spec/tolerations", k_tolerate_absent_nodes},
    {"pods", "/spec/enableServiceLinks", "true"},
    {"pods", "/spec/preemptionPolicy", R"("PreemptLowerPriority")"},
    {"pods", "/spec/volumes/*/secret/defaultMode", "420"},
    {"pods", "/spec/volumes/*/configMap/defaultMode", "420"},
    {"pods", "/spec/volumes/*/downwardAPI/defaultMode", "420"},
    {"pods", "/spec/volumes/*/downwardAPI/items/*/fieldRef/apiVersion", R"("v1")"},
    {"pods", "/spec/volumes/*/projected/defaultMode", "420"},
    {"pods", "/spec/volumes/*/hostPath/type", R"("")"},
    {"services", "/spec/type", R"("ClusterIP")"},
    {"services", "/spec/sessionAffinity", R"("None")"},
    {"services", "/spec/internalTrafficPolicy", R"("Cluster")"},
    {"services", "/spec/ports/*/protocol", R"("TCP")"},
    {"persistentvolumeclaims", "/spec/volumeMode", R"("Filesystem")"},
    {"secrets", "/type", R"("Opaque")"},
    {"events", "/involvedObject", "{}"},
    {"events", "/source", "{}"},
    {"events", "/firstTimestamp", "null"},
    {"events", "/lastTimestamp", "null"},
    {"events", "/eventTime", "null"},
    {"events", "/reportingComponent", R"("")"},
    {"events", "/reportingInstance", R"("")"},
};

// Defaults of every container, in both of a pod's lists.
constexpr Default k_container_defaults[] = {
    {"", "/resources", "{}"},
    {"", "/terminationMessagePath", R"("/dev/termination-log")"},
    {"", "/terminationMessagePolicy", R"("File")"},
    {"", "/ports/*/protocol", R"("TCP")"},
    {"", "/env/*/valueFrom/fieldRef/apiVersion", R"("v1")"},
    {"", "/env/*/valueFrom/resourceFieldRef/divisor", R"("0")"},
    {"", "/lifecycle/preStop/httpGet/scheme", R"("HTTP")"},
    {"", "/lifecycle/preStop/httpGet/path", R"("/")"},
    {"", "/lifecycle/postStart/httpGet/scheme", R"("HTTP")"},
    {"", "/lifecycle/postStart/httpGet/path", R"("/")"},
};

constexpr Default k_probe_defaults[] = {
    {"", "/timeoutSeconds", "1"},         {"", "/periodSeconds", "10"},
    {"", "/successThreshold", "1"},       {"", "/failureThreshold", "3"},
    {"", "/httpGet/scheme", R"("HTTP")"}, {"", "/httpGet/path", R"("/")"},
    {"", "/grpc/service", R"("")"},
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
  // A class determines the priority; pod_defaults.h handles it.
  const bool ranked = spec->contains("priorityClassName") || spec->contains("priority");
  if (!ranked) (*spec)["priority"] = 0;
  const std::string account = text_at(*spec, "/serviceAccountName", "default");
  if (step_into(*spec, "serviceAccount") != nullptr) (*spec)["serviceAccount"] = account;
  Json* volumes = step_into(*spec, "volumes");
  if (volumes == nullptr || !volumes->is_array()) return;
  for (Json& volume : *volumes) {
    if (volume.is_object() && volume.size() == 1) volume["emptyDir"] = Json::object();
  }
}

void complete_service(Json& service) {
  Json* ports = step_into(service, "spec");
  ports = ports == nullptr ? nullptr : step_into(*ports, "ports");
  if (ports != nullptr && ports->is_array()) {
    for (Json& port : *ports) {
      const Json* number = find(port, "/port");
      if (number != nullptr && !port.contains("targetPort")) port["targetPort"] = Json(*number);
    }
  }
  const std::string address = text_at(service, "/spec/clusterIP");
  const bool any_family = address == "None" && object_at(service, "/spec/selector").empty();
  const Json families = any_family ? Json::array({"IPv4", "IPv6"}) : Json::array({"IPv4"});
  set_default(service, "/spec/ipFamilies", families);
  set_default(service, "/spec/ipFamilyPolicy", any_family ? "RequireDualStack" : "SingleStack");
  // There are no virtual addresses here, so each service is headless.
  const bool has_none = address.empty() && text_at(service, "/spec/type") == "ClusterIP" &&
                        !array_at(service, "/spec/ports").empty();
  if (has_none) set_at(service, "/spec/clusterIP", "None");
  if ((address.empty() && !has_none) || find(service, "/spec/clusterIPs") != nullptr) return;
  set_at(service, "/spec/clusterIPs", Json::array({has_none ? "None" : address}));
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
    {"services", complete_service},
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

}  // namespace trainctl::local
