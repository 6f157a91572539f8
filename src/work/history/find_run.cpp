// A name that is a number is still a name where there is no such run.
#include "work/history/find_run.h"

#include <map>
#include <set>

#include "base/text/number.h"
#include "base/text/text.h"
#include "job/manifest/array.h"
#include "job/manifest/rerun.h"
#include "kube/object/metadata.h"

namespace trainctl::work {
namespace {

Error no_such_run(PastRuns& history, const std::string& text, const std::string& ns) {
  Error error{Code::not_found, cat("no run of ", text, " in the history"),
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

}  // namespace trainctl::work
