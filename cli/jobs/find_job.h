// Finding the jobs a user means, and how they stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/context.h"
#include "cli/jobs/batch_fetch.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"
#include "job/status/state.h"

namespace trainctl::cli {

struct FoundJob {
  const job::Kind* kind = nullptr;
  Json object;
  std::string replica;  // as named by the user, or the pod that was named; may be ""

  std::string name() const { return text_at(object, "/metadata/name"); }
  std::string ns() const { return text_at(object, "/metadata/namespace"); }
  std::string uid() const { return text_at(object, "/metadata/uid"); }
};

// What a judgement needs beside the jobs (job/status/surroundings.h). Asked for in the same turn as
// the jobs themselves, so that a look costs one round trip.
struct Surroundings {
  std::vector<Listing> listings;  // empty = still to be asked for

  // As surroundings() puts them.
  const Listing& pods() const { return listings[0]; }
  const Listing& warnings() const { return listings[1]; }
  const Listing& exits() const { return listings[2]; }
};
// Of one job when `job_name` is given; empty ns = all namespaces.
Surroundings surroundings(std::string_view ns, std::string_view job_name);

// The pods of any job of that name; of every kind's when `kind` is null. `job::keep_owned` tells
// whose they are.
Listing pods_listing(std::string_view ns, const job::Kind* kind, std::string_view job_name);

// "pytorchjob.kubeflow.org/NAME", as kubectl prints and reads it.
std::string resource_name(const job::Kind& kind, std::string_view name);

// The jobs of that name: of every kind when the reference names none, then never empty. A pod's
// full name gives its job. Code::not_found with the nearest names as hint. `around` is filled in
// the same turn, or emptied where it was asked for by the wrong name (a pod's).
Result<std::vector<FoundJob>> find_jobs(Context& context, const job::JobRef& ref,
                                        Surroundings* around = nullptr);
// What a text means, of the kind that --kind names (null = none) unless the text says one itself.
Result<job::JobRef> job_ref(std::string_view text, const job::Kind* kind);
// The one job that is meant; Code::usage with the two ways to write it when there are several.
// `around` as above.
Result<FoundJob> find_job(Context& context, const job::JobRef& ref, Surroundings* around = nullptr);

struct JobQuery {
  const job::Kind* kind = nullptr;  // null = all
  bool all_namespaces = false;
  std::string labels;
  bool first_only = false;  // one of each kind, for whether there may be any
};
// Sorted by namespace and name. Kinds that are not installed are left out, unless none is
// (Code::not_found); so are kinds the user may not list, with a warning.
// `around` is filled in the same turn.
Result<std::vector<FoundJob>> list_jobs(Context& context, const JobQuery& query,
                                        Surroundings* around = nullptr);

// The kinds whose jobs this user may list here; never empty.
Result<std::vector<const job::Kind*>> installed_kinds(Context& context, const job::Kind* kind,
                                                      bool all_namespaces);

// How the jobs stand; what `around` does not hold yet is looked up.
Result<std::vector<job::JobState>> judge_jobs(Context& context, const std::vector<FoundJob>& jobs,
                                              Surroundings around = {});

}  // namespace trainctl::cli
