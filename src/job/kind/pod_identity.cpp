// Goes by owner references, labels and names, as the kind's row says.
#include "job/kind/pod_identity.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

namespace {

std::optional<Time> created(const Json& object) {
  return parse_time(text_at(object, "/metadata/creationTimestamp"));
}

// Cuts off "-x7k2p"; false when the name has no such tail.
bool cut_tail(std::string_view& name, std::size_t letters) {
  if (letters == 0) return true;
  if (name.size() <= letters + 1 || name[name.size() - letters - 1] != '-') return false;
  name.remove_suffix(letters + 1);
  return true;
}

}  // namespace

PodOwner::PodOwner(const Kind& kind, const Json& job)
    : kind_(&kind),
      ns_(text_at(job, "/metadata/namespace")),
      name_(text_at(job, "/metadata/name")),
      uid_(text_at(job, "/metadata/uid")),
      created_(created(job)) {}

bool PodOwner::owns(const Json& pod) const {
  if (!kind_->controller.owns_by_label()) return kube::has_owner(pod, uid_);
  const std::string ns = text_at(pod, "/metadata/namespace", ns_);
  return labelled_job(*kind_, pod) == name_ && ns == ns_ && created(pod) >= created_;
}

std::string_view labelled_job(const Kind& kind, const Json& pod) {
  const PodLabels& labels = kind.controller.labels;
  const auto label = [&pod](std::string_view key) {
    return view_at(pod, kube::label_pointer(key));
  };
  const bool is_of_operator =
      labels.operator_name.empty() || label(labels.operator_name) == kind.operator_name;
  return is_of_operator ? label(labels.job) : "";
}

void keep_owned(std::vector<Json>& pods, const PodOwner& owner) {
  std::erase_if(pods, [&owner](const Json& pod) { return !owner.owns(pod); });
}

std::string pod_name(const Kind& kind, std::string_view job_name, const ReplicaId& replica) {
  const Role& role = *replica.role;
  const std::string stem = cat(job_name, '-', role.prefix);
  return role.numbered ? cat(stem, kind.controller.pod_naming.before_index, replica.index) : stem;
}

std::optional<ReplicaId> replica_called(const Kind& kind, std::string_view job_name,
                                        std::string_view pod_name) {
  if (!pod_name.starts_with(job_name)) return std::nullopt;
  pod_name.remove_prefix(job_name.size());
  const PodNaming& naming = kind.controller.pod_naming;
  for (const Role& role : kind.roles) {
    const std::string stem = cat('-', role.prefix);
    std::string_view name = pod_name;
    const bool has_tail = !role.numbered || naming.tail_behind_index;
    if (has_tail && !cut_tail(name, naming.random_tail)) continue;
    if (!role.numbered && name == stem) return ReplicaId{&role, 0};
    const std::string numbered = cat(stem, naming.before_index);
    if (!role.numbered || !name.starts_with(numbered)) continue;
    if (const auto index = parse_index(name.substr(numbered.size()))) {
      return ReplicaId{&role, *index};
    }
  }
  return std::nullopt;
}

}  // namespace trainctl::job
