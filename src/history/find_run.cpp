// A name that is a number is still a name where there is no such run.
#include "history/find_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/array.h"
#include "manifest/rerun.h"

namespace trainctl::work {
namespace {

Error no_such_run(PastRuns& history, const std::string& text, const std::string& ns) {
  Error error{Code::not_found, cat("no run called ", text, " in the history"),
              "trainctl history lists the runs"};
  if (!ns.empty()) error.message += cat(" of namespace ", ns);
  const auto all = history.list({ns, "", 0});
  if (!all) return error;
  std::vector<std::string> names;
  for (const PastRun& run : *all) names.push_back(run.name);
  const std::string near = nearest(text, names);
  if (!near.empty()) error.hint = cat("did you mean ", near, "? ", error.hint);
  return error;
}

}  // namespace

Result<PastRuns*> history_of(Access& access) {
  if (access.history) return access.history.get();
  return Error{Code::error, "there is no place for a history: HOME is not an absolute path below /",
               "set HOME or XDG_STATE_HOME to the absolute path of a directory of yours"};
}

std::optional<PastRun> numbered_run(Access& access, std::string_view text) {
  const auto number = parse_number<std::int64_t>(text);
  if (!number || !access.history) return std::nullopt;
  auto run = access.history->find(*number);
  return run ? std::optional(*std::move(run)) : std::nullopt;
}

std::optional<FoundJob> find_present_run(Access& access, const PastRun& run) {
  const job::Kind* const kind = job::find_kind(run.kind);
  if (kind == nullptr || !access.client()) return std::nullopt;
  if (run.cluster != access.cluster_name() || run.ns != access.ns()) return std::nullopt;
  auto found = find_job(access, {kind, run.name, ""});
  if (!found || found->uid() != run.uid) return std::nullopt;
  return *std::move(found);
}

Result<PastRun> find_run(Access& access, const std::string& text) {
  if (text.empty()) {
    return Error{Code::usage, "the name of a run is empty", "trainctl history lists the runs"};
  }
  TRY_ASSIGN(PastRuns * history, history_of(access));
  if (const auto number = parse_number<std::int64_t>(text)) {
    auto found = history->find(*number);
    if (found || found.error().code != Code::not_found) return found;
  }
  const std::string& ns = access.named_ns();
  TRY_ASSIGN(const auto named, history->list({ns, text, 1}));
  if (named.empty()) return no_such_run(*history, text, ns);
  return history->find(named.front().number);
}

std::vector<PastRun> runs_of_array(PastRuns& history, const std::string& ns,
                                   const std::string& array) {
  std::vector<PastRun> members;
  auto all = history.list({ns, "", 0});
  if (!all || array.empty()) return members;
  for (PastRun& run : *all) {
    // A member's name begins with that of its array: few manifests are read.
    if (!run.name.starts_with(array)) continue;
    const auto whole = history.find(run.number);
    const bool is_member =
        whole && text_at(whole->manifest, kube::label_pointer(job::k_label_array)) == array;
    if (is_member) members.push_back(std::move(run));
  }
  return members;
}

std::vector<PastRun> later_runs(PastRuns& history, const PastRun& run) {
  std::vector<PastRun> later;
  const auto all = history.list({run.ns, "", 0});
  if (!all) return later;
  std::map<std::string, std::int64_t> newest;  // by name, of those that are not newer than the next
  std::set<std::int64_t> family;
  for (auto one = all->rbegin(); one != all->rend(); ++one) {
    if (one->cluster != run.cluster) continue;
    newest[one->name] = one->number;
    if (one->number == run.number) family.insert(run.number);
    if (family.empty() || one->number == run.number) continue;
    const auto whole = history.find(one->number);
    if (!whole) continue;
    const auto first =
        newest.find(text_at(whole->manifest, kube::annotation_pointer(job::k_rerun_annotation)));
    if (first == newest.end() || !family.contains(first->second)) continue;
    family.insert(one->number);
    later.push_back(*one);
  }
  return later;
}

namespace {

constexpr std::size_t k_most_names = 6;  // of an array's jobs in a message

}  // namespace

std::optional<PastRun> newest_run(Access& access, const job::JobRef& job) {
  const auto runs = runs_here(access, job.name);
  const auto newest = std::ranges::find_if(runs, [&](const PastRun& run) {
    return job.kind == nullptr || run.kind == job.kind->resource.kind;
  });
  return newest == runs.end() ? std::nullopt : std::optional(*newest);
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

Result<PastRun> remembered_job(Access& access, const job::JobRef& job, Error gone) {
  if (gone.code != Code::not_found || !access.history || !job.replica.empty()) return gone;
  const auto newest = newest_run(access, job);
  if (!newest) return naming_past_members(access, job, "rerun", std::move(gone));
  TRY_ASSIGN(PastRun run, access.history->find(newest->number));
  if (job::kind_of(run.manifest) == nullptr) {
    return Error{Code::usage,
                 cat("job ", job.name, " is gone, and the history did not keep its manifest"),
                 cat("see what the history knows: trainctl history ", run.number)};
  }
  access.console.notice(cat("job ", job.name, " is gone; its manifest is that of run ", run.number,
                            " in the history"));
  return run;
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
