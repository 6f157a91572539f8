// Compares jobs by their uids and by what they are runs of.
#include "work/find/job_lists.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/array.h"
#include "manifest/rerun.h"
#include "status/judgement.h"
#include "work/find/lineage.h"
#include "work/find/seen_end.h"
#include "work/find/worker_cluster.h"

namespace trainctl::work {

namespace {

// "sweep/3"; "" = the job is of no array.
std::string task_of(const FoundJob& job) {
  const std::string array = text_at(job.object, kube::label_pointer(job::k_label_array));
  return array.empty()
             ? ""
             : cat(array, '/', text_at(job.object, kube::label_pointer(job::k_label_array_index)));
}

// The job of this name that `later` claims to be another run of; nullptr when the list has none: a
// namesake that was created in its place has another uid.
const FoundJob* run_before(const FoundJob& later,
                           const std::map<std::string, const FoundJob*>& jobs) {
  const auto found =
      jobs.find(text_at(later.object, kube::annotation_pointer(job::k_rerun_annotation)));
  if (found == jobs.end()) return nullptr;
  const std::string uid =
      text_at(later.object, kube::annotation_pointer(job::k_rerun_uid_annotation));
  return uid.empty() || uid == found->second->uid() ? found->second : nullptr;
}

}  // namespace

std::vector<FoundJob> latest_runs(Access& access, std::vector<FoundJob> jobs) {
  std::map<std::string, const FoundJob*> by_name, newest;
  for (const FoundJob& job : jobs) by_name.emplace(job.name(), &job);
  std::set<std::string> run_again;
  for (const FoundJob& job : jobs) {
    const FoundJob* const before = run_before(job, by_name);
    const bool is_known = has_proof(access, job);
    if (before != nullptr && is_known) run_again.insert(before->name());
    if (before != nullptr && !is_known) {
      access.notice_once(cat(words_for_claims({job.name()}, cat("another run of ", before->name())),
                             ": ", before->name(), " counts as well"));
    }
    if (const std::string task = task_of(job); is_known && !task.empty()) {
      const FoundJob*& last = newest.try_emplace(task, &job).first->second;
      if (job.created() > last->created()) last = &job;
    }
  }
  const auto is_replaced = [&newest](const FoundJob& job) {
    const auto last = newest.find(task_of(job));
    return last != newest.end() && last->second->created() > job.created();
  };
  std::vector<FoundJob> latest;
  std::ranges::copy_if(jobs, std::back_inserter(latest), [&](const FoundJob& job) {
    return !run_again.contains(job.name()) && !is_replaced(job);
  });
  return latest;
}

std::optional<Error> missing_members(const std::vector<FoundJob>& jobs, const std::string& array) {
  std::set<std::string> indexes;
  long size = 0;
  for (const FoundJob& job : jobs) {
    if (text_at(job.object, kube::label_pointer(job::k_label_array)) != array) return std::nullopt;
    indexes.insert(text_at(job.object, kube::label_pointer(job::k_label_array_index)));
    const std::string noted =
        text_at(job.object, kube::annotation_pointer(job::k_array_size_annotation));
    size = std::clamp(parse_number<long>(noted).value_or(0), size, job::k_most_members);
  }
  const long missing = size - static_cast<long>(indexes.size());
  if (missing <= 0) return std::nullopt;
  return Error{Code::not_found, cat("array ", array, " lacks ", missing, " of its ", size, " jobs"),
               "create the missing jobs: run the submit line again with --if-exists=attach"};
}

std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::vector<std::string> once;
  for (const std::string& name : names) {
    if (seen.insert(name).second) once.push_back(name);
  }
  return once;
}

void add_once(std::vector<FoundJob>& jobs, FoundJob job) {
  const auto is_same = [&job](const FoundJob& other) {
    return other.uid() == job.uid() && other.replica == job.replica;
  };
  if (std::ranges::none_of(jobs, is_same)) jobs.push_back(std::move(job));
}

namespace {

// Events of a namespace cannot be selected by the job they belong to; there are few, they live an
// hour.
JobListings everything_around(const std::string& ns, const job::Kind* kind,
                              const std::string& job_name) {
  JobListings around = listings_for(ns, job_name, kind);
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

// The manager's cluster tells something about a job even without its pods.
Status enter_if_possible(Access& access, JobListings& around, JobSnapshot& look) {
  auto entered = enter_worker(access, look.job, &around);
  if (entered) {
    look.worker = *std::move(entered);
    return {};
  }
  access.leave_worker();
  Error error = std::move(entered).error();
  if (ending_signal(error.code) != nullptr) return error;
  // Where none is chosen yet, the queue says why.
  if (error.code != Code::not_started) {
    error.message += error.hint.empty() ? "" : cat("; ", error.hint);
    look.without_pods = std::move(error);
  }
  return {};
}

}  // namespace

Result<JobSnapshot> take_snapshot(Access& access, const std::string& text, const job::Kind* kind) {
  TRY_ASSIGN(const job::JobRef ref, job_ref(text, kind));
  JobListings around = everything_around(access.ns(), ref.kind, ref.name);
  JobSnapshot look;
  TRY_ASSIGN(look.job, find_job(access, ref, &around));
  TRY(enter_if_possible(access, around, look));
  if (around.listings.empty()) {
    TRY_ASSIGN(kube::Client * client, access.client());
    around = everything_around(look.job.ns(), look.job.kind, look.job.name());
    fetch_together(*client, around.listings);
  }
  std::optional<Error> unseen;
  TRY(take(around.listings[0], look.pods, unseen));
  if (unseen) look.without_pods = std::move(unseen);
  std::vector<Json> events;
  TRY(take(around.listings[1], events, look.without_events));
  look.refusing = job::refusing_nodes(events, look.pods);
  const job::JobEvents filter(*look.job.kind, look.job.object, look.pods);
  for (Json& event : events) {
    auto own = filter.read(event);
    if (!own) continue;
    look.events.push_back(*std::move(own));
    look.raw_events.push_back(std::move(event));
  }
  look.state = job::judge(*look.job.kind, look.job.object, look.pods, look.raw_events);
  compare_with_history(access, {&look.job, 1}, {&look.state, 1});
  return look;
}

Result<std::string> named_replica(const FoundJob& job) {
  if (job.replica.empty()) return std::string();
  TRY_ASSIGN(const job::ReplicaId replica, job::find_replica(*job.kind, job.object, job.replica));
  return replica.name();
}

}  // namespace trainctl::work
