// Maps pod labels to replicas, replicas to ranks, and the texts that users type to both.
#include "manifest/kind/replica.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/kind/names.h"

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
  // No Kubernetes has such a pod; its name would lead requests and files astray.
  if (!object_name_fault(view_at(pod, "/metadata/name")).empty()) return false;
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

std::optional<ReplicaId> parse_replica(const Kind& kind, std::string_view text) {
  for (const Role& role : kind.roles) {
    if (!text.starts_with(role.prefix)) continue;
    const std::string_view rest = text.substr(role.prefix.size());
    if (rest.empty() && role.single) return ReplicaId{&role, 0};
    if (!rest.starts_with('-')) continue;
    if (const auto index = parse_index(rest.substr(1))) return ReplicaId{&role, *index};
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view k_rank = "rank:";

// Recognises a replica of one of the operator's kinds or of `named`. Other texts name a job,
// "pytorch" included.
bool names_a_replica(const Kind& named, std::string_view text) {
  if (text.starts_with(k_rank)) return parse_index(text.substr(k_rank.size())).has_value();
  const auto is_of = [text](const Kind& kind) { return parse_replica(kind, text).has_value(); };
  return is_of(named) || std::any_of(operator_kinds().begin(), operator_kinds().end(), is_of);
}

// "it has master-0, worker-0 and worker-1"; a role with many replicas shows only the first and the
// last.
std::string replica_names(const std::vector<ReplicaId>& replicas) {
  constexpr std::ptrdiff_t k_most_listed = 4;
  std::vector<std::string> names;
  for (auto begin = replicas.begin(); begin != replicas.end();) {
    const auto end = std::find_if(begin, replicas.end(),
                                  [begin](const ReplicaId& id) { return id.role != begin->role; });
    if (end - begin > k_most_listed) {
      names.push_back(cat(begin->name(), " … ", std::prev(end)->name()));
    } else {
      std::transform(begin, end, std::back_inserter(names),
                     [](const ReplicaId& id) { return id.name(); });
    }
    begin = end;
  }
  if (names.empty()) return "it has no replicas";
  const std::string last = std::move(names.back());
  names.pop_back();
  return cat("it has ", join(names, ", "), names.empty() ? "" : " and ", last);
}

// Returns the role's number of replicas, as far as it is known.
int known_count(const Kind& kind, const Json& job, const Role& role,
                std::span<const ReplicaId> seen) {
  int count = replica_count(kind, job, role);
  if (has_known_count(kind, job, role)) return count;
  for (const ReplicaId& replica : seen) {
    const bool counts = replica.role == &role && replica.index < k_most_replicas;
    if (counts) count = std::max(count, replica.index + 1);
  }
  return count;
}

// "worker-1", or the name of a pod.
std::optional<ReplicaId> named_replica(const Kind& kind, std::string_view job_name,
                                       std::string_view text) {
  if (const auto called = replica_called(kind, job_name, text)) return called;
  if (const auto replica = parse_replica(kind, text)) return replica;
  const std::string stem = cat(job_name, '-');
  if (!text.starts_with(stem)) return std::nullopt;
  return parse_replica(kind, text.substr(stem.size()));
}

Error no_such_rank(std::string_view job_name, std::string_view rank,
                   const std::vector<ReplicaId>& replicas) {
  if (!parse_index(rank)) {
    return {Code::usage, cat("`", printable_line(rank), "` is not a rank"),
            replica_names(replicas)};
  }
  return {Code::not_found, cat("job ", job_name, " has no rank ", rank), replica_names(replicas)};
}

}  // namespace

std::optional<int> parse_index(std::string_view text) {
  const auto index = parse_number<int>(text);
  return index && *index >= 0 ? index : std::nullopt;
}

std::string ReplicaId::name() const {
  return cat(role->prefix, '-', index);
}

std::optional<ReplicaId> replica_of(const Kind& kind, const Json& pod) {
  const Json& labels = object_at(pod, "/metadata/labels");
  const auto label = [&labels](std::string_view key) {
    return text_at(labels, cat('/', pointer_step(key)));
  };
  const Role* role = find_role(kind, label(kind.controller.labels.role));
  if (role == nullptr) return std::nullopt;
  if (kind.controller.labels.index.empty()) {
    return replica_called(kind, labelled_job(kind, pod), text_at(pod, "/metadata/name"));
  }
  const std::string index = label(kind.controller.labels.index);
  if (index.empty()) return ReplicaId{role, 0};  // the MPI launcher carries no index
  const auto parsed = parse_index(index);
  if (!parsed) return std::nullopt;
  return ReplicaId{role, *parsed};
}

std::vector<ReplicaId> expected_replicas(const Kind& kind, const Json& job,
                                         std::span<const ReplicaId> seen) {
  std::vector<ReplicaId> replicas;
  for (const bool ranked : {true, false}) {
    for (const Role& role : kind.roles) {
      if (role.ranked() != ranked) continue;
      const int count = known_count(kind, job, role, seen);
      for (int index = 0; index < count; ++index) replicas.push_back({&role, index});
    }
  }
  return replicas;
}

std::optional<int> rank_of(const Kind& kind, const Json& job, const ReplicaId& replica) {
  if (!replica.role->ranked()) return std::nullopt;
  int rank = 0;
  for (const Role& role : kind.roles) {
    if (&role == replica.role) return rank + replica.index;
    if (role.ranked()) rank += replica_count(kind, job, role);
  }
  return std::nullopt;
}

std::optional<ReplicaId> leader(const Kind& kind, const Json& job) {
  const auto replicas = expected_replicas(kind, job);
  if (replicas.empty()) return std::nullopt;
  return replicas.front();
}

Result<JobRef> parse_job_ref(std::string_view text) {
  const std::vector<std::string> parts = split(text, '/');
  const auto broken = [text] {
    return Error{Code::usage, cat("'", text, "' does not name a job"),
                 "write NAME, pytorch/NAME or NAME/worker-1"};
  };
  if (parts.size() > 3) return broken();
  for (const std::string& part : parts) {
    if (part.empty()) return broken();
  }
  const Kind* kind = parts.size() == 1 ? nullptr : find_kind(parts[0]);
  if (parts.size() == 3 && kind == nullptr) return broken();
  JobRef ref{nullptr, parts[0], parts.size() == 1 ? "" : parts[1]};
  if (parts.size() == 3) {
    ref = {kind, parts[1], parts[2]};
  } else if (kind != nullptr && !names_a_replica(*kind, parts[1])) {
    ref = {kind, parts[1], ""};
  }
  if (const auto fault = object_name_fault(ref.name); !fault.empty()) {
    return Error{Code::usage,
                 cat("'", printable_line(ref.name), "' is not a job's name: it ", fault),
                 "trainctl get lists the jobs"};
  }
  return ref;
}

Result<ReplicaId> find_replica(const Kind& kind, const Json& job, std::string_view text,
                               const std::vector<ReplicaId>& replicas) {
  const std::string job_name = text_at(job, "/metadata/name");
  auto named = named_replica(kind, job_name, text);
  if (text.starts_with(k_rank)) {
    const auto rank = parse_index(text.substr(k_rank.size()));
    for (const ReplicaId& replica : replicas) {
      if (rank && rank_of(kind, job, replica) == rank) named = replica;
    }
  }
  if (named && std::ranges::find(replicas, *named) != replicas.end()) return *named;
  if (text.starts_with(k_rank)) return no_such_rank(job_name, text.substr(k_rank.size()), replicas);
  std::vector<std::string> names;
  for (const ReplicaId& replica : replicas) names.push_back(replica.name());
  // For a well-formed name, the list of existing replicas is enough.
  const std::string near = named ? "" : nearest(text, names);
  return Error{Code::not_found, cat("job ", job_name, " has no replica '", text, "'"),
               cat(near.empty() ? "" : cat("did you mean ", near, "? "), replica_names(replicas))};
}

Result<ReplicaId> find_replica(const Kind& kind, const Json& job, std::string_view text) {
  const auto named = named_replica(kind, text_at(job, "/metadata/name"), text);
  if (named && !has_known_count(kind, job, *named->role)) return *named;
  return find_replica(kind, job, text, expected_replicas(kind, job));
}

}  // namespace trainctl::job
