// Builds the pod that reads a job's volumes after the job's own pods are gone.
#include <array>
#include <set>

#include "base/text.h"
#include "job/kind/names.h"
#include "job/manifest/lasting_volumes.h"
#include "job/manifest/render.h"

namespace trainctl::job {
namespace {

constexpr int k_longest_life = 24 * 60 * 60;  // seconds

// Whoever is served has a process of their own in this container. In a namespace of processes that
// it shares with others it sees more of them, and its deadline ends it.
constexpr std::string_view k_program =
    "trap 'exit 0' TERM\n"
    "idle=0\n"
    "while [ $idle -lt 20 ]; do\n"
    "  sleep 30 & wait $!\n"
    "  set -- /proc/[0-9]*\n"
    "  if [ $# -gt 1 ]; then idle=0; else idle=$((idle + 1)); fi\n"
    "done";

// What lets a pod be scheduled where the volumes can be reached, pull the image, and read what the
// job's processes wrote.
constexpr std::array<const char*, 4> k_of_the_pod = {"tolerations", "imagePullSecrets",
                                                     "serviceAccountName", "securityContext"};
constexpr std::array<const char*, 5> k_of_the_user = {"runAsUser", "runAsGroup", "runAsNonRoot",
                                                      "seccompProfile", "seLinuxOptions"};

Json rights_of(const Json& container) {
  Json rights = {{"allowPrivilegeEscalation", false}};
  for (const char* field : k_of_the_user) {
    if (const Json* value = find(container, cat("/securityContext/", field))) {
      rights[field] = *value;
    }
  }
  if (const Json* dropped = find(container, "/securityContext/capabilities/drop")) {
    rights["capabilities"]["drop"] = *dropped;
  }
  return rights;
}

Json container_for(const HelperOrder& order) {
  const Json none = Json::object();
  const Json& model = order.plan ? order.plan->container : none;
  Json container = {{"name", k_helper_container},
                    {"image", order.image.empty() ? text_at(model, "/image") : order.image},
                    {"command", {"sh", "-c", k_program}},
                    {"resources",
                     {{"requests", {{"cpu", "50m"}, {"memory", "64Mi"}}},
                      {"limits", {{"cpu", "2"}, {"memory", "512Mi"}}}}},
                    {"securityContext", rights_of(model)}};
  const Json* policy = find(model, "/imagePullPolicy");
  if (order.image.empty() && policy != nullptr) container["imagePullPolicy"] = *policy;
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
  return {
      {"name", order.name},
      {"namespace", order.ns},
      {"labels", std::move(labels)},
      {"annotations", {{k_helper_process, order.process}, {"sidecar.istio.io/inject", "false"}}},
      {"ownerReferences", Json::array({order.owner})}};
}

}  // namespace

Json helper_pod(const HelperOrder& order) {
  Json spec = {{"restartPolicy", "Never"},
               {"activeDeadlineSeconds", k_longest_life},
               {"terminationGracePeriodSeconds", 1},
               {"automountServiceAccountToken", false},
               {"enableServiceLinks", false}};
  for (const char* field : k_of_the_pod) {
    const Json* value = order.plan ? find(order.plan->spec, cat('/', field)) : nullptr;
    if (value != nullptr) spec[field] = *value;
  }
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
