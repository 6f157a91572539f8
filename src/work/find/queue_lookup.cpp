// Reads the job's Workload by the label of its uid, and its position from the visibility API.
#include "work/find/queue_lookup.h"

#include <variant>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/manifest.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_visibility_versions[] = {"v1beta2", "v1beta1"};
// The position is an extra, given by an API server of Kueue's own, which may hang.
constexpr Duration k_position_patience = std::chrono::seconds(10);

// The Workloads that stand for the job of this uid, by the newest version that the server has.
Listing workloads_of(kube::Client& client, const std::string& ns, const std::string& job_uid) {
  std::vector<Listing> listings;
  for (const kube::Resource& version : job::k_workload_versions) {
    const std::string selector = cat(job::k_label_job_uid, "=", job_uid);
    listings = {{version, ns, {.label_selector = selector, .field_selector = {}}}};
    fetch_together(client, listings);
    if (!listings[0].failure || !kind_missing(*listings[0].failure)) break;
  }
  return std::move(listings[0]);
}

Error no_workload(const Json& job) {
  const std::string priority = text_at(job, kube::label_pointer(job::k_label_priority_class));
  return {
      Code::not_found, "Kueue has not created a Workload for it",
      priority.empty()
          ? "is Kueue running, and does it serve this kind of job? kubectl get pods -n kueue-system"
          : cat("does the priority class ", priority,
                " exist? kubectl get workloadpriorityclasses")};
}

// Returns why a job's queue state is unknown when the server does not return its Workload.
Error why_unknown(const kube::Failure& failure) {
  if (kind_missing(failure)) {
    return {Code::not_found, "its label names a queue of Kueue, but this cluster has no Kueue",
            "submit the job again without --queue"};
  }
  if (failure.error.code != Code::auth) return failure.error;
  return {Code::auth, "you may not read the reason (workloads.kueue.x-k8s.io)",
          "ask for a role that may list workloads, such as kueue-batch-user-role"};
}

std::optional<std::int64_t> position_in(const Json& pending, const std::string& job_uid) {
  constexpr std::int64_t k_longest_queue = 1'000'000'000;
  for (const Json& item : array_at(pending, "/items")) {
    const auto position = int_at(item, "/positionInLocalQueue");
    if (!position || *position < 0 || *position >= k_longest_queue) continue;
    for (const Json& owner : array_at(item, "/metadata/ownerReferences")) {
      if (text_at(owner, "/uid") == job_uid) return *position + 1;
    }
  }
  return std::nullopt;
}

// A job is listed only while it waits. Without permission, on a cluster without this API, or
// without a prompt answer, the position is left out.
std::optional<std::int64_t> position_of(kube::Client& client, const FoundJob& job,
                                        const std::string& queue) {
  for (const std::string_view version : k_visibility_versions) {
    const kube::Resource queues{"visibility.kueue.x-k8s.io", version, "localqueues", "LocalQueue"};
    auto path = kube::resource_path(queues, job.ns(), queue, "pendingworkloads");
    if (!path) return std::nullopt;
    net::Request request;
    request.target = *std::move(path);
    request.timeout = k_position_patience;
    request.owner_retries = true;  // one attempt: the answer can do without it
    const auto answer = client.call(std::move(request));
    if (const Json* pending = std::get_if<Json>(&answer)) return position_in(*pending, job.uid());
    if (!kind_missing(std::get<kube::Failure>(answer))) return std::nullopt;
  }
  return std::nullopt;
}

// The name of the job of that uid, when its Workload lies in a namespace that this user may read.
std::string name_of_job(kube::Client& client, const std::string& ns, const std::string& uid) {
  const Listing found = workloads_of(client, ns, uid);
  for (const Json& workload : found.objects) {
    for (const Json& owner : array_at(workload, "/metadata/ownerReferences")) {
      if (text_at(owner, "/uid") == uid) return printable_line(text_at(owner, "/name"));
    }
  }
  return "";
}

}  // namespace

Result<Workload> find_workload(kube::Client& client, const FoundJob& job) {
  Listing found = workloads_of(client, job.ns(), job.uid());
  if (found.failure) return why_unknown(*found.failure);
  if (found.objects.empty()) return no_workload(job.object);
  return Workload{found.resource, std::move(found.objects.front())};
}

Result<std::optional<QueueLookup>> look_up_queue(Access& access, const FoundJob& job) {
  const std::string queue = job::queue_of(job.object);
  if (queue.empty()) return std::optional<QueueLookup>();
  TRY_ASSIGN(kube::Client * client, access.client());
  auto workload = find_workload(*client, job);
  if (!workload) {
    const Code code = workload.error().code;
    if (code != Code::not_found && code != Code::auth) return std::move(workload).error();
    return std::optional(QueueLookup{queue, std::move(workload).error()});
  }
  const job::QueueStanding standing = job::read_workload(workload->object);
  QueueLookup lookup{queue, standing};
  const bool waits =
      standing.admission == job::Admission::waiting || standing.admission == job::Admission::stuck;
  if (waits) lookup.position = position_of(*client, job, queue);
  if (standing.eviction && !standing.eviction->preemptor.empty()) {
    lookup.preemptor = name_of_job(*client, job.ns(), standing.eviction->preemptor);
  }
  return std::optional(std::move(lookup));
}

}  // namespace trainctl::work
