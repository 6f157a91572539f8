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
#include "manifest/allowed_fields.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/render.h"

namespace trainctl::job {
namespace {

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

}  // namespace trainctl::job
