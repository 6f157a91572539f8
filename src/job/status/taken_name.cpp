// A pod's owner decides what its namesake's user can do.
#include "job/status/taken_name.h"

#include "base/text/text.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

namespace {

// "tfjob ddp", "replicaset web", "nobody".
std::string owner_title(const Json& owner) {
  const std::string kind = lower(text_at(owner, "/kind"));
  const std::string name = text_at(owner, "/name");
  if (kind.empty() && name.empty()) return "nobody";
  return printable_line(cat(kind, kind.empty() ? "" : " ", name));
}

// A name as a shell takes it: a hint is typed as it stands.
std::string typed_name(const Json& object, std::string_view place) {
  return shell_quoted(printable_line(text_at(object, place)));
}

std::string remedy(const Json& pod, const Json& owner) {
  constexpr std::string_view k_rename = ", or submit this job under another name: --name";
  if (const Kind* kind = kind_of(owner)) {
    return cat("trainctl delete ", kind->alias, "/", typed_name(owner, "/name"), k_rename);
  }
  if (!owner.is_null()) return "submit this job under another name: --name";
  return cat("kubectl delete pod ", typed_name(pod, "/metadata/name"), k_rename);
}

}  // namespace

std::string taken_pod_name(std::string_view message) {
  constexpr std::string_view k_before = "pods \"", k_after = "\" already exists";
  const auto begin = message.find(k_before);
  if (begin == std::string_view::npos || !message.ends_with(k_after)) return "";
  message.remove_prefix(begin + k_before.size());
  message.remove_suffix(k_after.size());
  return std::string(message);
}

TakenName describe_taken_name(const Kind& kind, const Json& job, const Json& pod) {
  const Json& owners = array_at(pod, "/metadata/ownerReferences");
  const Json owner = owners.empty() ? Json() : owners.front();
  const bool of_former =
      kind_of(owner) == &kind && text_at(owner, "/name") == text_at(job, "/metadata/name");
  const bool passes = of_former || kube::is_being_deleted(pod);
  TakenName taken;
  taken.passes = passes;
  taken.message = printable_line(
      cat("pod ", text_at(pod, "/metadata/name"), passes ? " is still there" : " already exists",
          ": it belongs to ", of_former ? "an earlier " : "", owner_title(owner)));
  taken.hint = of_former ? "pods of an earlier job of this name are still terminating"
               : passes  ? "the pod is being deleted; its name is free once the pod is gone"
                         : remedy(pod, owner);
  return taken;
}

}  // namespace trainctl::job
