// Chooses among the jobs that this user submitted.
#include "work/find/default_job.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/array.h"
#include "manifest/kind/names.h"
#include "manifest/render.h"
#include "work/find/find_job.h"
#include "work/find/job_lists.h"

namespace trainctl::work {

std::string owner_of(const Json& job) {
  const std::string label = text_at(job, kube::label_pointer(job::k_label_owner));
  return label.empty() ? text_at(job, kube::annotation_pointer(job::k_label_owner)) : label;
}

Json with_owner(Json job, const std::string& user) {
  const std::string owner = job::as_label_value(user);
  if (owner.empty() || !owner_of(job).empty()) return job;
  job["metadata"]["annotations"][std::string(job::k_label_owner)] = owner;
  return job;
}

namespace {

Error which_one(const std::vector<std::string>& all, std::string_view why) {
  constexpr std::size_t k_most_named = 5;
  const std::vector<std::string> names(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), k_most_named)));
  return {Code::usage, cat("no job named, and ", why),
          cat("name one: ", join(names, ", "), all.size() > k_most_named ? ", ..." : "")};
}

std::vector<std::string> names_of(const std::vector<FoundJob>& jobs) {
  std::vector<std::string> names;
  for (const FoundJob& job : jobs) names.push_back(job.name());
  return names;
}

// The name of the array if the job is one of several of it, else of the job itself. Any text may
// be the label: a member's name begins with that of its array.
std::string submission_of(const FoundJob& job, const std::vector<FoundJob>& all) {
  const auto array_of = [](const FoundJob& one) {
    return text_at(one.object, kube::label_pointer(job::k_label_array));
  };
  const std::string array = array_of(job);
  const bool is_member = !array.empty() && job.name().starts_with(array);
  if (!is_member || std::ranges::count(all, array, array_of) < 2) return job.name();
  return array;
}

// The names of what was submitted, an array once.
std::vector<std::string> submissions_of(const std::vector<FoundJob>& jobs) {
  std::vector<std::string> names;
  for (const FoundJob& job : jobs) names.push_back(submission_of(job, jobs));
  return each_once(names);
}

}  // namespace

Result<std::vector<std::string>> jobs_or_newest(Access& access,
                                                const std::vector<std::string>& names,
                                                const job::Kind* kind) {
  if (!names.empty()) return names;
  TRY_ASSIGN(std::vector<FoundJob> jobs, list_jobs(access, {kind, false, ""}));
  if (jobs.empty()) {
    return Error{Code::not_found, cat("there are no jobs in namespace ", access.ns()),
                 "trainctl get -A lists the jobs of all namespaces"};
  }
  const bool only = jobs.size() == 1;
  if (!only) {
    const std::string owner = job::as_label_value(access.user_name());
    std::vector<FoundJob> own;
    std::ranges::copy_if(jobs, std::back_inserter(own), [&owner](const FoundJob& job) {
      return !owner.empty() && owner_of(job.object) == owner;
    });
    if (own.empty()) {
      return which_one(names_of(jobs), cat("none of the ", jobs.size(), " here is yours"));
    }
    jobs = std::move(own);
  }
  const FoundJob& newest = *std::ranges::max_element(
      jobs, [](const FoundJob& a, const FoundJob& b) { return a.created() < b.created(); });
  // The server's clock has no fractions of a second.
  std::vector<FoundJob> rivals;
  std::ranges::copy_if(jobs, std::back_inserter(rivals), [&newest](const FoundJob& job) {
    return job.created() == newest.created();
  });
  const auto submissions = submissions_of(rivals);
  if (submissions.size() > 1) {
    return which_one(submissions, cat(submissions.size(), " of yours are equally new"));
  }
  if (rivals.size() > 1) {
    access.console.notice(cat("no job named: using array ", submissions.front(),
                              ", your newest in namespace ", access.ns()));
    return submissions;
  }
  access.console.notice(cat("no job named: using ", newest.name(),
                            only ? ", the only one in namespace " : ", your newest in namespace ",
                            access.ns()));
  return std::vector<std::string>{cat(newest.kind->alias, "/", newest.name())};
}

}  // namespace trainctl::work
