// Asks the manager's Workload for the worker cluster, and that cluster for the copy of the job.
#include "work/find/worker_cluster.h"

#include <optional>
#include <utility>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "status/reported.h"
#include "status/workload.h"
#include "work/find/queue_lookup.h"

namespace trainctl::work {
namespace {

// The client that leads to the worker cluster.
Result<kube::Client*> client_of(Access& access, const std::string& worker) {
  TRY(access.enter_worker(worker));
  auto client = access.client();
  access.leave_worker();
  return client;
}

// The name of the job's worker cluster.
Result<std::string> chosen_worker(Access& access, const FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, access.client());
  TRY_ASSIGN(const Workload workload, find_workload(*client, job));
  std::string worker = job::worker_cluster(workload.object);
  if (!worker.empty()) return worker;
  return Error{Code::not_started,
               cat("MultiKueue has not chosen a cluster for job ", job.name(), " yet"),
               cat("trainctl why ", job.name(), " says what it waits for")};
}

std::string place_of(const FoundJob& job, const std::string& worker) {
  const bool has_ended = job::has_ended(*job.kind, job.object);
  return cat("job ", job.name(), has_ended ? " ran" : " runs", " on cluster ",
             printable_line(worker));
}

Error no_way_to(const std::string& place, Error why) {
  why.message = cat(place, ", and ", why.message);
  return why;
}

// The job of that name on the worker cluster, if MultiKueue has created it.
Result<std::optional<Json>> copy_of(kube::Client& client, const FoundJob& job) {
  auto copy = client.get(job.kind->resource, job.ns(), job.name());
  if (!copy && copy.error().code == Code::not_found) return std::optional<Json>();
  TRY_ASSIGN(Json object, std::move(copy));
  if (text_at(object, kube::label_pointer(job::k_label_origin)).empty())
    return std::optional<Json>();
  return std::optional(std::move(object));
}

}  // namespace

Result<std::optional<WorkerCopy>> find_at_worker(Access& access, const FoundJob& job) {
  // MultiKueue deletes the copy of a job that has ended.
  if (!job::is_dispatched(job.object) || job::has_ended(*job.kind, job.object))
    return std::optional<WorkerCopy>();
  TRY_ASSIGN(std::string worker, chosen_worker(access, job));
  const auto there = client_of(access, worker);
  if (!there) return no_way_to(place_of(job, worker), there.error());
  auto copy = copy_of(**there, job);
  if (!copy) return in_context(place_of(job, worker), std::move(copy).error());
  if (!*copy) {
    access.notice_once(cat("cluster ", printable_line(worker), " has no copy of job ", job.name(),
                           "; if that stays so, check its context in multikueue.contexts"));
    return std::optional<WorkerCopy>();
  }
  return std::optional(WorkerCopy{std::move(worker), *there, **std::move(copy)});
}

Result<std::string> enter_worker(Access& access, FoundJob& job, JobListings* around) {
  TRY_ASSIGN(auto found, find_at_worker(access, job));
  if (!found) return std::string();
  TRY(access.enter_worker(found->worker));
  job.object = std::move(found->job);
  if (around != nullptr) around->listings.clear();
  return std::move(found->worker);
}

Result<bool> enter_past_worker(Access& access, const FoundJob& job) {
  if (!job::is_dispatched(job.object) || !job::has_ended(*job.kind, job.object)) return false;
  TRY_ASSIGN(const std::string worker, chosen_worker(access, job));
  const Status entered = access.enter_worker(worker);
  if (!entered) return no_way_to(place_of(job, worker), entered.error());
  return true;
}

JobListings pods_around(std::string_view ns, const job::Kind* kind, const std::string& name,
                        net::Lane lane) {
  JobListings around{{pods_listing(ns, kind, name)}};
  around.listings[0].lane = lane;
  if (kind != nullptr) around.pod_label = kind->controller.labels.job;
  return around;
}

Result<std::vector<Json>> take_pods(Access& access, FoundJob& job, JobListings around,
                                    net::Lane lane) {
  TRY(enter_worker(access, job, &around));
  if (around.listings.empty()) {
    TRY_ASSIGN(kube::Client * client, access.client());
    around = pods_around(job.ns(), job.kind, job.name(), lane);
    fetch_together(*client, around.listings);
  }
  Listing& pods = around.listings[0];
  if (pods.failure) return pods.failure->error;
  job::keep_owned(pods.objects, {*job.kind, job.object});
  return std::move(pods.objects);
}

}  // namespace trainctl::work
