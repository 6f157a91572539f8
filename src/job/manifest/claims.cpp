// Reads access modes and volumes as Kubernetes writes them.
#include "job/manifest/claims.h"

#include <algorithm>

namespace trainctl::job {
namespace {

bool has_mode(const Json& claim, std::string_view mode) {
  const Json& modes = array_at(claim, "/spec/accessModes");
  return std::ranges::any_of(modes, [mode](const Json& one) { return one == mode; });
}

}  // namespace

bool mounts_claim(const Json& pod, std::string_view claim) {
  const Json& volumes = array_at(pod, "/spec/volumes");
  return std::ranges::any_of(volumes, [claim](const Json& volume) {
    return view_at(volume, "/persistentVolumeClaim/claimName") == claim;
  });
}

bool is_for_many_nodes(const Json& claim) {
  return has_mode(claim, "ReadWriteMany") || has_mode(claim, "ReadOnlyMany");
}

bool is_for_one_pod(const Json& claim) {
  return has_mode(claim, "ReadWriteOncePod");
}

}  // namespace trainctl::job
