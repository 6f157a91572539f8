// Runs several requests in parallel and awaits them together.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/value/json.h"
#include "kube/client/client.h"
#include "manifest/kind/kind.h"

namespace trainctl::work {

struct Listing {
  kube::Resource resource;
  std::string ns;  // "" = all namespaces
  kube::ListOptions options = {};
  std::string name = {};  // when set, this one object instead of a list
  bool first_page_only = false;
  net::Lane lane = net::Lane::control;  // lane of the first page
  bool metadata_only = false;           // of the one object
  Duration patience{};                  // of the only attempt; 0 = the client's time and retries
  std::function<Json(Json)> part = {};  // what is kept of each object of a list; null = all
  // Results.
  std::vector<Json> objects = {};
  std::optional<kube::Failure> failure = {};
};

// Any other request, whose answer is one object.
struct Call {
  net::Request request;
  // Result.
  std::variant<Json, kube::Failure> answer = {};
};

// Fetches the first pages in parallel, and makes the calls beside them; the rare listing with more
// pages is then read completely.
void fetch_together(kube::Client& client, std::vector<Listing>& listings,
                    std::vector<Call>* calls = nullptr);

// True when the server does not know this kind of object at all.
bool kind_missing(const kube::Failure& failure);
// True when it knows the kind but has no such object.
bool object_missing(const kube::Failure& failure);

// The collections that deriving a job's state needs besides the jobs (status/watched_set.h).
// Fetched in parallel with the jobs, so that all takes one round trip.
struct JobListings {
  std::vector<Listing> listings;  // empty = not fetched yet
  // Pods are asked for by the label of one kind; where jobs of others are found, by theirs as well.
  std::string_view pod_label = job::k_label_job_name;

  // The listings in the order of listings_for().
  const Listing& pods() const { return listings[0]; }
  const Listing& warnings() const { return listings[1]; }
  const Listing& exits() const { return listings[2]; }
};
// The listings for one job when `job_name` is given; empty ns = all namespaces. `kind`: the jobs',
// null = not known yet.
JobListings listings_for(std::string_view ns, std::string_view job_name, const job::Kind* kind);

// Lists the pods of any job of that name; when `kind` is null, of every kind of the training
// operator. Use `job::keep_owned` to select those of one job.
Listing pods_listing(std::string_view ns, const job::Kind* kind, std::string_view job_name);
// Reads the pods that this job owns.
Result<std::vector<Json>> fetch_pods(kube::Client& client, const job::Kind& kind, const Json& job);

// Adds the pods of jobs that were found to be of kinds with another label. `name`: of these jobs;
// "" = all of them. `around` may be null or empty: then nothing is asked for.
void add_other_pods(kube::Client& client, std::span<const job::Kind* const> kinds,
                    std::string_view name, JobListings* around);

}  // namespace trainctl::work
