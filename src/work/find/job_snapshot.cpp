// Requests job, pods and events together, and sorts them by owner.
#include "work/find/job_snapshot.h"

namespace trainctl::work {
namespace {

// Events of a namespace cannot be selected by the job they belong to; there are few, they live an
// hour.
Surroundings everything_around(const std::string& ns, const job::Kind* kind,
                               const std::string& job_name) {
  Surroundings around = surroundings(ns, job_name, kind);
  around.listings.resize(1);
  around.listings.push_back({kube::k_events, ns});
  return around;
}

Status take(Listing& listing, std::vector<Json>& objects, std::optional<Error>& missing) {
  objects = std::move(listing.objects);
  if (!listing.failure) return {};
  if (listing.failure->error.code != Code::auth) return listing.failure->error;
  missing = listing.failure->error;
  return {};
}

}  // namespace

Result<JobSnapshot> take_snapshot(Access& access, const std::string& text, const job::Kind* kind) {
  TRY_ASSIGN(kube::Client * client, access.client());
  TRY_ASSIGN(const job::JobRef ref, job_ref(text, kind));
  Surroundings around = everything_around(access.ns(), ref.kind, ref.name);
  JobSnapshot look;
  TRY_ASSIGN(look.job, find_job(access, ref, &around));
  if (around.listings.empty()) {
    around = everything_around(look.job.ns(), look.job.kind, look.job.name());
    fetch_together(*client, around.listings);
  }
  TRY(take(around.listings[0], look.pods, look.without_pods));
  std::vector<Json> events;
  TRY(take(around.listings[1], events, look.without_events));
  const job::JobEvents filter(*look.job.kind, look.job.object, look.pods);
  for (Json& event : events) {
    auto own = filter.read(event);
    if (!own) continue;
    look.events.push_back(*std::move(own));
    look.raw_events.push_back(std::move(event));
  }
  return look;
}

Result<std::string> named_replica(const FoundJob& job) {
  if (job.replica.empty()) return std::string();
  TRY_ASSIGN(const job::ReplicaId replica, job::find_replica(*job.kind, job.object, job.replica));
  return replica.name();
}

}  // namespace trainctl::work
