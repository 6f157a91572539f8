// Makes the records of runs from the objects at hand, so that nothing is asked of the cluster.
#include "cli/output/record_history.h"

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "history/log_archive.h"
#include "manifest/array.h"
#include "manifest/kept_values.h"
#include "manifest/rerun.h"
#include "manifest/secrets.h"
#include "metrics/metric_json.h"
#include "work/create/local_manifest.h"
#include "work/find/lineage.h"
#include "work/notify/notify.h"

namespace trainctl::cli {
namespace {

// Unless the user asked for all `values`, only harmless ones are kept.
Json kept(Context& context, const Json& written, bool values) {
  if (values) return job::without_secrets(written);
  std::optional<std::string> key;  // made when something is left out
  const job::MarkFor mark = [&](std::string_view value) {
    if (!key) key = work::user_key(context);
    return job::mark_with_key(*key, value);
  };
  return written.is_array() ? job::harmless_words(written, mark)
                            : job::with_harmless_values(written, mark);
}

Json written_manifest(const Context& context, const job::Kind& kind, const Json& object) {
  Json manifest = job::submitted_manifest(object);
  if (context.embedded) work::unlocalize(kind, context.environment, manifest);
  return manifest;
}

// The path of a web hook is often its secret.
std::vector<std::string> without_hooks(std::vector<std::string> words) {
  constexpr std::string_view k_flag = "--notify", k_joined = "--notify=";
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at].starts_with(k_joined)) {
      words[at] = cat(k_joined, work::shown_target(words[at].substr(k_joined.size())));
    } else if (at > 0 && words[at - 1] == k_flag) {
      words[at] = work::shown_target(words[at]);
    }
  }
  return words;
}

std::string line_of(Context& context, bool values) {
  const auto& script = context.configuration.script;
  const std::vector<std::string> typed = without_hooks(script ? script->typed : context.typed);
  std::string line = "trainctl";
  for (const Json& word : kept(context, Json(typed), values)) {
    line += ' ' + shell_quoted(word.get_ref<const std::string&>());
  }
  return line;
}

// After the first trouble of a command nothing more is tried.
void keep(Context& context, const work::PastRun& run) {
  if (run.uid.empty()) return;
  const Status kept = context.history->keep(run, context.loop.now());
  if (kept) return;
  context.console.warn(cat("cannot record ", printable_line(run.name), " in the history: ",
                           kept.error().message, "; --no-history records nothing"));
  context.history.reset();
}

// True for the end of a command that says nothing about how its job ended.
bool ends_only_the_waiting(Code code) {
  return code != Code::ok && code != Code::job_failed && code != Code::not_started &&
         code != Code::removed;
}

// The command went away before the job had ended, or before all of its log was read.
bool left_before_end(const job::FollowResult& result) {
  const Status& told = result.outcome.verdict;
  return !told && ends_only_the_waiting(told.error().code) && !result.deleted();
}

// The run's verdict is the job's: not that of one replica, nor of a goal like --for=running, nor
// the end of a command that went away before.
void add_verdict(work::PastRun& run, const work::FoundJob& job, const job::FollowResult& result,
                 const job::FollowOptions& options) {
  const job::JobState& state = result.state;
  const bool is_over = job::is_final(state.phase);
  if (is_over) run.ended = state.since ? state.since : result.outcome.ended;
  const bool of_job = options.goal.wait_for == job::WaitFor::verdict && job.replica.empty() &&
                      options.logs.selection.replica.empty();
  if (!of_job || left_before_end(result)) {
    if (is_over) run.verdict = lower(job::phase_name(state.phase));
    return;
  }
  const Status& verdict = result.outcome.verdict;
  const Code code = verdict ? Code::ok : verdict.error().code;
  run.verdict = std::string(exit_word(code));
  run.exit_status = static_cast<int>(code);
  const std::string message = printable_line(verdict ? state.message : verdict.error().message);
  run.message = job::text_without_secrets(shortened(message, work::k_longest_message));
}

}  // namespace

Json as_history_keeps(Context& context, const Json& manifest) {
  return kept(context, manifest, false);
}

work::PastRun run_of(const Context& context, const work::FoundJob& job) {
  work::PastRun run;
  run.name = job.name();
  run.ns = job.ns();
  run.uid = job.uid();
  run.kind = std::string(job.kind->resource.kind);
  run.cluster = context.cluster_name();
  run.submitted = parse_time(text_at(job.object, "/metadata/creationTimestamp"));
  run.started = parse_time(text_at(job.object, "/status/startTime"));
  run.origin.array_values = job::member_values(job.object);
  return run;
}

void note_created(Context& context, const work::FoundJob& job, const Json& manifest, bool values) {
  if (!context.history) return;
  Json named = written_manifest(context, *job.kind, manifest);
  named["metadata"]["name"] = job.name();
  named["metadata"]["namespace"] = job.ns();
  work::PastRun run = run_of(context, job);
  run.manifest = kept(context, named, values);
  run.origin.line = line_of(context, values);
  keep(context, run);
}

namespace {

// Of a job that is there already.
work::PastRun run_as_found(Context& context, const work::FoundJob& job) {
  work::PastRun run = run_of(context, job);
  run.manifest = kept(context, written_manifest(context, *job.kind, job.object), false);
  run.origin.elsewhere = true;  // unless the history knows better
  return run;
}

}  // namespace

void note_log_kept(Context& context, const work::FoundJob& job) {
  keep(context, run_as_found(context, job));
}

void note_metrics(Context& context, work::PastRun run, const job::MetricRecord& metrics) {
  run.metrics = job::metrics_json(metrics, true);
  keep(context, run);
}

void note_followed(Context& context, const work::FoundJob& job, const job::FollowResult& result,
                   const job::FollowOptions& options, const std::string& saved_logs) {
  if (!context.history) return;
  const Json& object = result.job.is_object() ? result.job : job.object;
  work::PastRun run = run_as_found(context, {job.kind, object, ""});
  if (const auto placed = job::first_placed(result.state)) run.started = placed;
  add_verdict(run, job, result, options);
  const job::MetricRecord& metrics = result.outcome.metrics;
  // A command that reads no logs has its metrics from the end of one log.
  const bool has_read = !options.logs.selection.none;
  if (!metrics.empty()) {
    run.metrics = job::metrics_json(metrics, has_read);
    if (!job::is_final(result.state.phase) || left_before_end(result)) {
      run.metrics["endsEarly"] = true;
    }
  }
  if (!saved_logs.empty()) {
    run.saved_logs = resolve_path(context.working_directory(), saved_logs);
  }
  keep(context, run);
}

void keep_log(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
              job::FollowOptions& options) {
  const job::LogChoice& logs = options.logs;
  const bool is_whole = !logs.options.tail_lines && !logs.options.since;
  if (flags.history.none || logs.selection.none || !is_whole) return;
  options.logs.places.kept = work::archived_log_file(context, job.uid());
}

}  // namespace trainctl::cli
