// The pods and events beside jobs, asked for in parallel with them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/kind/kind.h"
#include "kube/client/client.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {

// The collections that deriving a job's state needs besides the jobs (job/status/surroundings.h).
// Fetched in parallel with the jobs, so that all takes one round trip.
struct Surroundings {
  std::vector<Listing> listings;  // empty = not fetched yet
  // Pods are asked for by the label of one kind; where jobs of others are found, by theirs as well.
  std::string_view pod_label = job::k_label_job_name;

  // The listings in the order of surroundings().
  const Listing& pods() const { return listings[0]; }
  const Listing& warnings() const { return listings[1]; }
  const Listing& exits() const { return listings[2]; }
};
// The listings for one job when `job_name` is given; empty ns = all namespaces. `kind`: the jobs',
// null = not known yet.
Surroundings surroundings(std::string_view ns, std::string_view job_name, const job::Kind* kind);

// Lists the pods of any job of that name; when `kind` is null, of every kind of the training
// operator. Use `job::keep_owned` to select those of one job.
Listing pods_listing(std::string_view ns, const job::Kind* kind, std::string_view job_name);

// Adds the pods of jobs that were found to be of kinds with another label. `name`: of these jobs;
// "" = all of them. `around` may be null or empty: then nothing is asked for.
void add_other_pods(kube::Client& client, std::span<const job::Kind* const> kinds,
                    std::string_view name, Surroundings* around);

}  // namespace trainctl::work
