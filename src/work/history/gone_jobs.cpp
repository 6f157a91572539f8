// Only runs of the same cluster count, since another one may have a job of the same name.
#include "work/history/gone_jobs.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "job/manifest/kept_values.h"
#include "work/history/find_run.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_most_names = 6;  // of an array's jobs in a message

}  // namespace

std::optional<PastRun> newest_run(Access& access, const job::JobRef& job) {
  const auto runs = access.history->list({access.ns(), job.name, 0});
  if (!runs) return std::nullopt;
  const std::string cluster = access.cluster_name();
  const auto newest = std::ranges::find_if(*runs, [&](const PastRun& run) {
    return run.cluster == cluster && (job.kind == nullptr || run.kind == job.kind->resource.kind);
  });
  return newest == runs->end() ? std::nullopt : std::optional(*newest);
}

Error naming_past_members(Access& access, const job::JobRef& array, std::string_view command,
                          Error gone) {
  if (gone.code != Code::not_found || !access.history) return gone;
  const std::string cluster = access.cluster_name();
  std::vector<std::string> names;
  const auto runs = runs_of_array(*access.history, access.ns(), array.name);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const bool is_known = std::ranges::find(names, run->name) != names.end();
    if (run->cluster == cluster && !is_known) names.push_back(run->name);
  }
  if (names.empty()) return gone;
  const std::size_t count = names.size();
  const std::string first = names.front();
  if (count > k_most_names) {
    names.resize(k_most_names);
    names.emplace_back("…");
  }
  gone.message = cat(array.name, " is an array whose jobs are gone; the history has ",
                     plural(static_cast<long>(count), "job"), " of it: ", join(names, ", "));
  gone.hint = cat("name one of them: trainctl ", command, ' ', first);
  return gone;
}

Result<FoundJob> remembered_job(Access& access, const job::JobRef& job, Error gone) {
  if (gone.code != Code::not_found || !access.history || !job.replica.empty()) return gone;
  const auto newest = newest_run(access, job);
  if (!newest) return naming_past_members(access, job, "rerun", std::move(gone));
  TRY_ASSIGN(PastRun run, access.history->find(newest->number));
  const job::Kind* kind = job::kind_of(run.manifest);
  const auto missing = job::values_left_out(run.manifest);
  if (kind == nullptr || !missing.empty()) {
    return Error{
        Code::usage,
        cat("job ", job.name, " is gone, and the history left out part of its manifest",
            missing.empty() ? "" : ": ", printable_line(join(missing, ", "))),
        cat("complete the manifest and submit it: trainctl history ", run.number, " -o manifest")};
  }
  access.console.notice(cat("job ", job.name, " is gone; its manifest is that of run ", run.number,
                            " in the history"));
  return FoundJob{kind, std::move(run.manifest), ""};
}

Result<std::vector<std::string>> newest_remembered(Access& access, Error none) {
  if (none.code != Code::not_found || !access.history) return none;
  TRY_ASSIGN(const auto runs, access.history->list({access.ns(), "", 0}));
  const auto newest = std::ranges::find_if(
      runs, [&access](const PastRun& run) { return run.cluster == access.cluster_name(); });
  if (newest == runs.end()) return none;
  access.console.notice(cat("no job named and none left: using run ", newest->number,
                            " of the history, ", printable_line(newest->name)));
  return std::vector{cat(lower(newest->kind), "/", newest->name)};
}

}  // namespace trainctl::work
