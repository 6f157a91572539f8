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

// The job of that name on the worker cluster, if MultiKueue has created it.
Result<std::optional<Json>> copy_of(Access& access, const FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto copy = client->get(job.kind->resource, job.ns(), job.name());
  if (!copy && copy.error().code == Code::not_found) return std::optional<Json>();
  TRY_ASSIGN(Json object, std::move(copy));
  if (text_at(object, kube::label_pointer(job::k_label_origin)).empty())
    return std::optional<Json>();
  return std::optional(std::move(object));
}

}  // namespace

Result<std::string> enter_worker(Access& access, FoundJob& job, JobListings* around) {
  // MultiKueue deletes the copy of a job that has ended.
  if (!job::is_dispatched(job.object) || job::has_ended(*job.kind, job.object))
    return std::string();
  TRY_ASSIGN(kube::Client * client, access.client());
  TRY_ASSIGN(const Workload workload, find_workload(*client, job));
  std::string worker = job::worker_cluster(workload.object);
  if (worker.empty()) {
    return Error{Code::not_started,
                 cat("MultiKueue has not chosen a cluster for job ", job.name(), " yet"),
                 cat("trainctl why ", job.name(), " says what it waits for")};
  }
  const std::string place = cat("job ", job.name(), " runs on cluster ", printable_line(worker));
  if (Status entered = access.enter_worker(worker); !entered) {
    Error error = std::move(entered).error();
    error.message = cat(place, ", and ", error.message);
    return error;
  }
  auto copy = copy_of(access, job);
  if (!copy) return in_context(place, std::move(copy).error());
  if (!*copy) {
    access.leave_worker();
    return std::string();
  }
  job.object = **std::move(copy);
  if (around != nullptr) around->listings.clear();
  return worker;
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
