// Finds the jobs that a user means, and their state.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/replica.h"
#include "status/state.h"
#include "work/access.h"
#include "work/find/batch_fetch.h"

namespace trainctl::work {

// A cluster's answer about several kinds: a listing for each.
struct Answers {
  std::vector<const job::Kind*> kinds;
  std::vector<Listing> listings;
};

// Asks of one kind, or of all (null), in parallel; `listing_of` makes the request for a kind. If
// the cluster lacks a kind and has its successor, the successor answers. `around` is filled in
// parallel. A worker cluster that was entered before is left.
Result<Answers> ask_of_kinds(Access& access, const job::Kind* kind, JobListings* around,
                             const std::function<Listing(const job::Kind&)>& listing_of);

struct FoundJob {
  const job::Kind* kind = nullptr;
  Json object;
  std::string replica;  // replica or pod as named by the user; may be ""

  std::string name() const { return text_at(object, "/metadata/name"); }
  std::string ns() const { return text_at(object, "/metadata/namespace"); }
  std::string uid() const { return text_at(object, "/metadata/uid"); }
  // In Kubernetes' form, so that of two moments the smaller text is the earlier.
  std::string_view created() const { return view_at(object, "/metadata/creationTimestamp"); }
};

// The job's name as kubectl prints and reads it: "pytorchjob.kubeflow.org/NAME".
std::string resource_name(const job::Kind& kind, std::string_view name);

// The jobs of that name, of every kind when the reference names none; never empty. A pod's full
// name gives its job, and the name of an array its members in their order. Code::not_found with the
// most similar names as hint. `around` is filled in parallel, or emptied when it was fetched by the
// wrong name (a pod's).
Result<std::vector<FoundJob>> find_jobs(Access& access, const job::JobRef& ref,
                                        JobListings* around = nullptr);
// Parses the name of a job, of the kind in --kind (null = none) unless the text names a kind
// itself.
Result<job::JobRef> job_ref(std::string_view text, const job::Kind* kind);
// Finds exactly one job; Code::usage with the ways to name it when there are several. An array with
// several members is Code::usage as well. `around` as above.
Result<FoundJob> find_job(Access& access, const job::JobRef& ref, JobListings* around = nullptr);

// Finds one job, or all members of an array whose name it is.
Result<std::vector<FoundJob>> find_job_or_array(Access& access, const job::JobRef& ref,
                                                JobListings* around = nullptr);
// Finds the job of that name for a command that concerns whole jobs, and so refuses (Code::usage) a
// replica. `command` and `done`: "suspend", "suspended".
Result<FoundJob> find_whole_job(Access& access, std::string_view text, const job::Kind* kind,
                                std::string_view command, std::string_view done);

// The same for commands that take an array's name as well.
Result<std::vector<FoundJob>> find_whole_jobs(Access& access, std::string_view text,
                                              const job::Kind* kind, std::string_view command,
                                              std::string_view done);

// Where names[at] was refused with `why` because it names an array of several jobs: inserts these
// behind it, as KIND/NAME, and returns true.
bool add_members(Access& access, std::vector<std::string>& names, std::size_t at,
                 const job::Kind* kind, const Error& why);

// Like find_job_or_array, but gives up at the command's deadline and at ending signals.
Result<std::vector<FoundJob>> find_job_or_array_in_time(Access& access, const job::JobRef& ref);

enum class JobExtent {
  whole,
  rows,   // what judge_jobs and tables read, which takes a third of the memory
  first,  // at most one of each kind, to find out whether there are any
};

struct JobQuery {
  const job::Kind* kind = nullptr;  // null = all
  bool all_namespaces = false;
  std::string labels;
  JobExtent extent = JobExtent::whole;
};
// Lists jobs sorted by namespace and name; a missing namespace is Code::not_found. Kinds that are
// not installed are omitted, unless none is (Code::not_found); so are kinds that the user may not
// list, with a warning. `around` is filled in parallel.
Result<std::vector<FoundJob>> list_jobs(Access& access, const JobQuery& query,
                                        JobListings* around = nullptr);

// The jobs of the namespace with these labels; Code::not_found when there are none.
Result<std::vector<FoundJob>> labelled_jobs(Access& access, const job::Kind* kind,
                                            const std::string& labels);
// Refuses (Code::usage) to choose jobs both by name and by labels.
Status check_choice(const std::vector<std::string>& names, const std::string& labels);

// The kinds whose jobs this user may list here; never empty.
Result<std::vector<const job::Kind*>> installed_kinds(Access& access, const job::Kind* kind,
                                                      bool all_namespaces);

// The states of the jobs, of which the history learns; fetches what `around` does not contain yet.
Result<std::vector<job::JobState>> judge_jobs(Access& access, const std::vector<FoundJob>& jobs,
                                              JobListings around = {});

}  // namespace trainctl::work
