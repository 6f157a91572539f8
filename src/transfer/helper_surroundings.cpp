// Asks a cluster, before a helper pod is made, for earlier helper pods, claims, and the pods that
// mount them.
#include <utility>

#include <unistd.h>

#include "base/loop/processes.h"
#include "base/text/text.h"
#include "kube/client/backoff.h"
#include "kube/object/metadata.h"
#include "kube/watch/watch.h"
#include "manifest/companions.h"
#include "manifest/kind/names.h"
#include "manifest/render.h"
#include "status/pod_state.h"
#include "status/start_failure.h"
#include "transfer/helper.h"
#include "work/create/manifest.h"
#include "work/create/marked_create.h"
#include "work/create/removal.h"

namespace trainctl::work {
namespace {

bool has_ended(const Json& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  return phase == "Succeeded" || phase == "Failed";
}

// True when the process was one of this machine, and is no more.
bool is_orphan(const Json& pod) {
  const auto maker = parse_mark(text_at(pod, kube::annotation_pointer(job::k_helper_process)));
  const auto own = process_mark(::getpid());
  return maker && own && maker->world == own->world && !is_alive(*maker);
}

// The claim; null for one that this user may not read.
Result<Json> read_claim(kube::Client& client, const std::string& ns, const std::string& name) {
  auto claim = client.get(job::k_claims, ns, name);
  if (claim) {
    if (text_at(*claim, "/status/phase") != "Pending") return claim;
    return Error{Code::not_found,
                 cat("the claim ", name, " has no volume yet: nothing was written"),
                 cat("kubectl describe pvc ", name, " -n ", ns, " says what it waits for")};
  }
  if (claim.error().code == Code::auth) return Json();
  if (claim.error().code != Code::not_found) return claim;
  return Error{Code::not_found, cat("there is no claim ", name, " in namespace ", ns),
               cat("its data is gone or moved: kubectl get pvc -n ", ns)};
}

}  // namespace

void sweep_helpers(Access& access, kube::Client& client, const std::string& ns) {
  kube::ListOptions options;
  options.label_selector = cat(job::k_label_helper, '=', job::k_fetch_helper);
  const std::string user = job::as_label_value(access.user_name());
  if (!user.empty()) options.label_selector += cat(',', job::k_label_owner, '=', user);
  std::vector<Json> left;
  // A user who may not list them is told so when a pod is made.
  const Status listed = client.list(kube::k_pods, ns, options, [&left](const Json& page) {
    for (const Json& pod : array_at(page, "/items")) {
      const bool is_going = kube::is_being_deleted(pod);
      if (!is_going && (has_ended(pod) || is_orphan(pod))) left.push_back(pod);
    }
  });
  if (!listed) return;
  for (const Json& pod : left) {
    kube::DeleteOptions exactly;
    exactly.uid = text_at(pod, "/metadata/uid");
    const std::string name = text_at(pod, "/metadata/name");
    if (client.remove(kube::k_pods, ns, name, exactly)) {
      access.console.notice(cat("helper pod ", name, " of an interrupted copy was deleted"));
    }
  }
}

Result<std::string> node_for(kube::Client& client, const std::string& ns,
                             const std::vector<job::LastingMount>& mounts) {
  std::vector<Json> bound;  // claims that one node, or one pod, may mount at a time
  for (const job::LastingMount& mount : mounts) {
    if (mount.claim.empty()) continue;
    TRY_ASSIGN(Json claim, read_claim(client, ns, mount.claim));
    const bool anywhere = job::is_for_many_nodes(claim);
    if (claim.is_null()) claim = {{"metadata", {{"name", mount.claim}}}};
    if (!anywhere) bound.push_back(std::move(claim));
  }
  if (bound.empty()) return std::string();
  kube::ListOptions options;
  options.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  std::string node;
  std::optional<Error> refusal;
  const Status listed = client.list(kube::k_pods, ns, options, [&](const Json& page) {
    for (const Json& pod : array_at(page, "/items")) {
      const std::string where = text_at(pod, "/spec/nodeName");
      for (const Json& claim : bound) {
        const std::string name = text_at(claim, "/metadata/name");
        if (where.empty() || has_ended(pod) || !job::mounts_claim(pod, name)) continue;
        node = where;
        if (!job::is_for_one_pod(claim)) continue;
        refusal = Error{Code::refused,
                        cat("one pod at a time may mount the claim ", name, ", and ",
                            text_at(pod, "/metadata/name"), " does"),
                        "trainctl cp copies from a pod that runs"};
      }
    }
  });
  if (refusal) return *refusal;
  if (!listed && listed.error().code != Code::auth) return listed.error();
  return node;
}

}  // namespace trainctl::work
