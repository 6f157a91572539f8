// Makes the records of runs from the objects at hand, so that nothing is asked of the cluster.
#include "cli/output/noting.h"

#include <algorithm>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "job/manifest/rerun.h"
#include "work/history/find_run.h"
#include "work/history/kept_logs.h"
#include "work/history/secrets.h"

namespace trainctl::cli {
namespace {

constexpr int k_longest_message = 300;   // columns
constexpr std::size_t k_most_names = 6;  // of an array's jobs in a message

// The name by which the user chooses the cluster, else its host.
std::string cluster_of(const Context& context) {
  if (context.embedded) return "local";
  const auto connection = context.connection();
  if (!connection) return "";
  return connection->context.empty() ? kube::server_host(*connection) : connection->context;
}

work::PastRun run_of(const Context& context, const work::FoundJob& job, const Json& manifest) {
  work::PastRun run;
  run.name = job.name();
  run.ns = job.ns();
  run.uid = job.uid();
  run.kind = std::string(job.kind->resource.kind);
  run.cluster = cluster_of(context);
  run.submitted = parse_time(text_at(job.object, "/metadata/creationTimestamp"));
  run.started = parse_time(text_at(job.object, "/status/startTime"));
  run.manifest = work::without_secrets(manifest);
  return run;
}

// After the first trouble of a command nothing more is tried.
void keep(Context& context, const work::PastRun& run) {
  if (run.uid.empty()) return;
  const Status kept = context.history->keep(run, context.loop.now());
  if (kept) return;
  context.console.warn(cat("the history lacks ", printable_line(run.name), ": ",
                           kept.error().message, "; --no-history records nothing"));
  context.history.reset();
}

// A job that was waited for to start, and runs, has no verdict yet.
void add_verdict(work::PastRun& run, const job::FollowResult& result, job::WaitFor waited_for) {
  const job::JobState& state = result.state;
  const bool is_over = job::is_final(state.phase);
  if (is_over) run.ended = state.since ? state.since : result.outcome.ended;
  if (waited_for != job::WaitFor::verdict) {
    if (is_over) run.verdict = lower(job::phase_name(state.phase));
    return;
  }
  const Status& verdict = result.outcome.verdict;
  const Code code = verdict ? Code::ok : verdict.error().code;
  run.verdict = std::string(exit_word(code));
  run.exit_status = static_cast<int>(code);
  if (verdict) return;
  const std::string message = printable_line(verdict.error().message);
  run.message = work::text_without_secrets(shortened(message, k_longest_message));
}

}  // namespace

void note_created(Context& context, const work::FoundJob& job, const Json& manifest) {
  if (!context.history) return;
  Json named = job::submitted_manifest(manifest);
  named["metadata"]["name"] = job.name();
  named["metadata"]["namespace"] = job.ns();
  keep(context, run_of(context, job, named));
}

void note_followed(Context& context, const work::FoundJob& job, const job::FollowResult& result,
                   job::WaitFor waited_for, const std::string& saved_logs) {
  if (!context.history) return;
  const Json& object = result.job.is_object() ? result.job : job.object;
  const work::FoundJob last{job.kind, object, ""};
  work::PastRun run = run_of(context, last, job::submitted_manifest(object));
  add_verdict(run, result, waited_for);
  if (!saved_logs.empty()) {
    run.saved_logs = resolve_path(context.working_directory(), saved_logs);
  }
  keep(context, run);
}

std::optional<work::PastRun> newest_run(Context& context, const job::JobRef& job) {
  const auto runs = context.history->list({context.ns(), job.name, 0});
  if (!runs) return std::nullopt;
  const std::string cluster = cluster_of(context);
  const auto newest = std::ranges::find_if(*runs, [&](const work::PastRun& run) {
    return run.cluster == cluster && (job.kind == nullptr || run.kind == job.kind->resource.kind);
  });
  return newest == runs->end() ? std::nullopt : std::optional(*newest);
}

Error naming_past_members(Context& context, const job::JobRef& array, std::string_view command,
                          Error gone) {
  if (gone.code != Code::not_found || !context.history) return gone;
  const std::string cluster = cluster_of(context);
  std::vector<std::string> names;
  const auto runs = work::runs_of_array(*context.history, context.ns(), array.name);
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

Result<work::FoundJob> remembered_job(Context& context, const job::JobRef& job, Error gone) {
  if (gone.code != Code::not_found || !context.history || !job.replica.empty()) return gone;
  const auto newest = newest_run(context, job);
  if (!newest) return naming_past_members(context, job, "rerun", std::move(gone));
  TRY_ASSIGN(work::PastRun run, context.history->find(newest->number));
  const job::Kind* kind = job::kind_of(run.manifest);
  const bool is_whole =
      kind != nullptr && dump(run.manifest).find(work::k_left_out) == std::string::npos;
  if (!is_whole) {
    return Error{
        Code::usage,
        cat("job ", job.name, " is gone, and the history left out part of its manifest"),
        cat("complete the manifest and submit it: trainctl history ", run.number, " -o manifest")};
  }
  context.console.notice(cat("job ", job.name, " is gone; its manifest is that of run ", run.number,
                             " in the history"));
  return work::FoundJob{kind, std::move(run.manifest), ""};
}

void keep_log(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
              job::FollowOptions& options) {
  const job::LogChoice& logs = options.logs;
  const bool is_whole = !logs.options.tail_lines && !logs.options.since;
  if (flags.no_history || logs.selection.none || !is_whole) return;
  options.logs.places.kept = work::kept_log_file(context, job.uid());
}

}  // namespace trainctl::cli
