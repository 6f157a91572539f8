// Builds the pod that reads a job's volumes after the job's own pods are gone.
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "base/value/json.h"
#include "manifest/allowed_fields.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/persistent_volumes.h"
#include "manifest/render.h"

namespace trainctl::job {
namespace {

constexpr int k_longest_life = 24 * 60 * 60;  // seconds

// Each client has a process of its own in this container. If the pod shares its process namespace,
// the program sees other processes, and the pod's deadline ends it.
constexpr std::string_view k_helper_program =
    "trap 'exit 0' TERM\n"
    "idle=0\n"
    "while [ $idle -lt 20 ]; do\n"
    "  sleep 30 & wait $!\n"
    "  set -- /proc/[0-9]*\n"
    "  if [ $# -gt 1 ]; then idle=0; else idle=$((idle + 1)); fi\n"
    "done";

using enum FieldType;

// Lets the pod be scheduled where the volumes can be reached.
constexpr std::array<AllowedField, 5> k_toleration = {
    {{"key"}, {"operator"}, {"value"}, {"effect"}, {"tolerationSeconds", number}}};
constexpr std::array<AllowedField, 1> k_reference = {{{"name"}}};
// Lets it read what the job's processes wrote. The type of an SELinux context is a right; its level
// is what volumes are labelled with.
constexpr std::array<AllowedField, 3> k_user = {
    {{"runAsUser", number}, {"runAsGroup", number}, {"runAsNonRoot", boolean}}};
constexpr std::array<AllowedField, 3> k_groups = {
    {{"fsGroup", number}, {"fsGroupChangePolicy"}, {"supplementalGroups", numbers}}};
constexpr std::array<AllowedField, 1> k_level = {{{"level"}}};

// The user that processes run as, whether it stands at the pod or at a container.
Json identity_in(const Json& context) {
  Json identity = only_allowed(context, k_user);
  if (text_at(context, "/seccompProfile/type") == "RuntimeDefault") {
    identity["seccompProfile"] = {{"type", "RuntimeDefault"}};
  }
  const Json level = only_allowed(object_at(context, "/seLinuxOptions"), k_level);
  if (!level.empty()) identity["seLinuxOptions"] = level;
  return identity;
}

Json rights_of(const Json& container) {
  Json rights = {{"allowPrivilegeEscalation", false}};
  rights.update(identity_in(object_at(container, "/securityContext")));
  Json dropped = Json::array();
  for (const Json& name : array_at(container, "/securityContext/capabilities/drop")) {
    if (name.is_string()) dropped.push_back(name);
  }
  if (!dropped.empty()) rights["capabilities"]["drop"] = dropped;
  return rights;
}

// The parts of a job's pod that its helper pod shares: user, node and image pulling.
Json taken_from(const Json& spec) {
  Json taken = Json::object();
  const Json tolerations = only_allowed_of_each(array_at(spec, "/tolerations"), k_toleration);
  if (!tolerations.empty()) taken["tolerations"] = tolerations;
  const Json secrets = only_allowed_of_each(array_at(spec, "/imagePullSecrets"), k_reference);
  if (!secrets.empty()) taken["imagePullSecrets"] = secrets;
  const std::string account = text_at(spec, "/serviceAccountName");
  if (!account.empty()) taken["serviceAccountName"] = account;
  const Json& context = object_at(spec, "/securityContext");
  Json rights = identity_in(context);
  rights.update(only_allowed(context, k_groups));
  if (!rights.empty()) taken["securityContext"] = rights;
  return taken;
}

Json container_for(const HelperOrder& order) {
  const Json none = Json::object();
  const Json& model = order.plan ? order.plan->container : none;
  Json container = {{"name", k_helper_container},
                    {"image", order.image.empty() ? text_at(model, "/image") : order.image},
                    {"command", {"sh", "-c", k_helper_program}},
                    {"resources",
                     {{"requests", {{"cpu", "50m"}, {"memory", "64Mi"}}},
                      {"limits", {{"cpu", "2"}, {"memory", "512Mi"}}}}},
                    {"securityContext", rights_of(model)}};
  const std::string policy = text_at(model, "/imagePullPolicy");
  if (order.image.empty() && !policy.empty()) container["imagePullPolicy"] = policy;
  for (const LastingMount& mount : order.mounts) container["volumeMounts"].push_back(mount.mount);
  return container;
}

Json on_node(const std::string& name) {
  const Json field = {{"key", "metadata.name"}, {"operator", "In"}, {"values", {name}}};
  const Json term = {{"matchFields", Json::array({field})}};
  return {{"nodeAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution",
             {{"nodeSelectorTerms", Json::array({term})}}}}}};
}

Json metadata_of(const HelperOrder& order) {
  Json labels = {{"app.kubernetes.io/managed-by", "trainctl"},
                 {k_label_helper, k_fetch_helper},
                 {"sidecar.istio.io/inject", "false"}};
  const std::string user = as_label_value(order.user);
  if (!user.empty()) labels[std::string(k_label_owner)] = user;
  Json metadata = {
      {"name", order.name},
      {"namespace", order.ns},
      {"labels", std::move(labels)},
      {"annotations", {{k_helper_process, order.process}, {"sidecar.istio.io/inject", "false"}}}};
  if (!order.owner.is_null()) metadata["ownerReferences"] = Json::array({order.owner});
  return metadata;
}

}  // namespace

Json helper_pod(const HelperOrder& order) {
  Json spec = {{"restartPolicy", "Never"},
               {"activeDeadlineSeconds", k_longest_life},
               {"terminationGracePeriodSeconds", 1},
               {"automountServiceAccountToken", false},
               {"enableServiceLinks", false}};
  if (order.plan) spec.update(taken_from(order.plan->spec));
  if (!order.node.empty()) spec["affinity"] = on_node(order.node);
  spec["containers"] = Json::array({container_for(order)});
  std::set<std::string> named;
  for (const LastingMount& mount : order.mounts) {
    if (named.insert(text_at(mount.volume, "/name")).second) {
      spec["volumes"].push_back(mount.volume);
    }
  }
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", metadata_of(order)},
          {"spec", std::move(spec)}};
}

}  // namespace trainctl::job
