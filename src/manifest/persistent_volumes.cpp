// Reads templates of pods; only what Kubernetes keeps when a pod goes is taken from them.
#include "manifest/persistent_volumes.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "base/value/json.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/render.h"

namespace trainctl::job {
namespace {

// Rebuilds JSON from the fields that are known to be harmless: unknown fields are left out.
enum class FieldType { text, number, boolean, numbers };

struct AllowedField {
  std::string_view name;
  FieldType type = FieldType::text;
};

bool is_number(const Json& value) {
  return value.is_number_integer();
}

bool has_type(const Json& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::number:
      return is_number(value);
    case FieldType::boolean:
      return value.is_boolean();
    case FieldType::numbers:
      return value.is_array() && std::ranges::all_of(value, is_number);
  }
  return false;
}

// Returns the fields of an object that are allowed and have the right type; an empty object for any
// other value.
Json only_allowed(const Json& object, std::span<const AllowedField> fields) {
  Json kept = Json::object();
  if (!object.is_object()) return kept;
  for (const AllowedField& field : fields) {
    const auto found = object.find(field.name);
    if (found != object.end() && has_type(*found, field.type)) {
      kept[std::string(field.name)] = *found;
    }
  }
  return kept;
}

// The same for each entry of a list.
Json only_allowed_of_each(const Json& list, std::span<const AllowedField> fields) {
  Json kept = Json::array();
  if (!list.is_array()) return kept;
  for (const Json& entry : list) kept.push_back(only_allowed(entry, fields));
  return kept;
}

using enum FieldType;

constexpr std::array<AllowedField, 2> k_claim = {{{"claimName"}, {"readOnly", boolean}}};
constexpr std::array<AllowedField, 1> k_node_path = {{{"path"}}};
constexpr std::array<AllowedField, 3> k_nfs = {{{"server"}, {"path"}, {"readOnly", boolean}}};

// The volume with nothing but its claim, its NFS server or its directory of the node; null for one
// that goes with its pod. A volume of two types is what the server takes it for, so only the
// lasting one is repeated.
Json lasting_part(const Json& volume) {
  const std::string name = text_at(volume, "/name");
  // Nothing has checked the name, which becomes part of commands that are offered.
  const std::string claim = text_at(volume, "/persistentVolumeClaim/claimName");
  if (!claim.empty() && object_name_fault(claim).empty()) {
    return {{"name", name},
            {"persistentVolumeClaim",
             only_allowed(object_at(volume, "/persistentVolumeClaim"), k_claim)}};
  }
  if (!text_at(volume, "/nfs/server").empty()) {
    return {{"name", name}, {"nfs", only_allowed(object_at(volume, "/nfs"), k_nfs)}};
  }
  const bool is_this_alone = volume.size() == 2;  // and its name
  if (!is_this_alone || !text_at(volume, "/hostPath/path").starts_with('/')) return nullptr;
  return {{"name", name}, {"hostPath", only_allowed(object_at(volume, "/hostPath"), k_node_path)}};
}

std::string plain_path(std::string path) {
  if (!path.starts_with('/')) path.insert(0, "/");
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool is_below(std::string_view path, std::string_view directory) {
  if (directory == "/" || path == directory) return true;
  return path.starts_with(directory) && path[directory.size()] == '/';
}

// The training container by its name, else the first one.
Json container_of(const Json& spec, std::string_view name) {
  const Json& containers = array_at(spec, "/containers");
  for (const Json& container : containers) {
    if (text_at(container, "/name") == name) return container;
  }
  return containers.empty() ? Json::object() : containers.front();
}

PodPlan plan_of(const Role& role, const Json& spec, std::string_view container) {
  return {std::string(role.prefix), spec, container_of(spec, container)};
}

}  // namespace

std::vector<PodPlan> pod_plans(const Kind& kind, const Json& job) {
  std::vector<PodPlan> plans;
  const std::vector<Replica> replicas = replicas_of(kind, job);
  for (const Role& role : kind.roles) {
    for (const Replica& replica : replicas) {
      if (replica.role != &role) continue;
      plans.push_back(plan_of(role, object_at(*replica.spec, k_pod_spec),
                              training_container(kind, *replica.spec)));
    }
  }
  return plans;
}

std::vector<PodPlan> pod_plans_of_job_set(const Kind& kind, const Json& job_set) {
  std::vector<PodPlan> plans;
  for (const Role& role : kind.roles) {
    for (const Json& job : array_at(job_set, "/spec/replicatedJobs")) {
      if (text_at(job, "/name") != role.name) continue;
      plans.push_back(
          plan_of(role, object_at(job, "/template/spec/template/spec"), kind.container));
    }
  }
  return plans;
}

std::vector<LastingMount> lasting_mounts(const Json& pod_spec, const Json& container) {
  std::vector<LastingMount> mounts;
  for (const Json& mount : array_at(container, "/volumeMounts")) {
    for (const Json& volume : array_at(pod_spec, "/volumes")) {
      if (text_at(volume, "/name") != text_at(mount, "/name")) continue;
      Json lasting = lasting_part(volume);
      if (lasting.is_null()) continue;
      Json own = {{"name", text_at(mount, "/name")},
                  {"mountPath", text_at(mount, "/mountPath")},
                  {"readOnly", true}};
      const std::string part = text_at(mount, "/subPath");
      if (!part.empty()) own["subPath"] = part;
      mounts.push_back({plain_path(text_at(mount, "/mountPath")),
                        text_at(lasting, "/persistentVolumeClaim/claimName"),
                        text_at(lasting, "/hostPath/path"), std::move(own), std::move(lasting),
                        text_at(mount, "/subPathExpr").empty()});
    }
  }
  std::ranges::stable_sort(mounts, [](const LastingMount& one, const LastingMount& other) {
    return one.path < other.path;
  });
  return mounts;
}

const LastingMount* mount_of(const std::vector<LastingMount>& mounts, std::string_view path) {
  const LastingMount* nearest = nullptr;
  for (const LastingMount& mount : mounts) {
    const bool nearer = nearest == nullptr || mount.path.size() >= nearest->path.size();
    if (nearer && is_below(path, mount.path)) nearest = &mount;
  }
  return nearest;
}

std::vector<LastingMount> mounts_for(const std::vector<LastingMount>& mounts,
                                     std::string_view path) {
  std::vector<LastingMount> wanted;
  const LastingMount* holding = mount_of(mounts, path);
  for (const LastingMount& mount : mounts) {
    const bool inside = mount.is_told && is_below(mount.path, path);
    if (&mount == holding || inside) wanted.push_back(mount);
  }
  return wanted;
}

LastingMount whole_claim(const std::string& claim, const std::string& path) {
  return {path,
          claim,
          "",
          {{"name", "claim"}, {"mountPath", path}, {"readOnly", true}},
          {{"name", "claim"}, {"persistentVolumeClaim", {{"claimName", claim}}}}};
}

// Builds the pod that reads a job's volumes after the job's own pods are gone.

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
