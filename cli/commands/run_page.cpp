// A record of the history, or one made of the job, has the facts; the rest differs by what is at
// hand.
#include "cli/commands/run_page.h"

#include <algorithm>
#include <utility>

#include "base/file/own_file.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/value/yaml.h"
#include "cli/output/catching_console.h"
#include "cli/output/explaining.h"
#include "cli/output/hint.h"
#include "cli/output/metric_sources.h"
#include "cli/output/record_history.h"
#include "follow/print_logs.h"
#include "history/log_archive.h"
#include "history/run_report.h"
#include "history/run_table.h"
#include "kube/object/metadata.h"
#include "logs/archive_writer.h"
#include "manifest/array.h"
#include "manifest/code.h"
#include "manifest/footprint.h"
#include "manifest/rerun.h"
#include "manifest/secrets.h"
#include "metrics/metric_json.h"
#include "metrics/metric_words.h"
#include "view/explanation.h"
#include "work/find/job_progress.h"
#include "work/find/lineage.h"
#include "work/find/queue_lookup.h"

namespace trainctl::cli {
namespace {

using view::RunPage;
using view::Tone;

std::string made_by(const Context& context) {
  return cat("trainctl ", TRAINCTL_VERSION, ", ", format_time(context.loop.now()));
}

std::string moment(const std::optional<Time>& time) {
  return time ? format_time(*time) : "";
}

work::PastRun run_of_job(Context& context, const work::FoundJob& job, const job::JobState& state) {
  work::PastRun run = work::kept_run(context, job).value_or(run_of(context, job));
  if (!run.ended && job::is_final(state.phase)) run.ended = state.since;
  return run;
}

void add_facts(const Context& context, const work::PastRun& run, const job::Kind* kind,
               const Json& manifest, RunPage& page) {
  const auto add = [&page](const char* name, std::string value, bool is_typed = false) {
    page.facts.push_back({name, std::move(value), is_typed});
  };
  add("Job", cat(run.kind, ' ', run.name));
  add("Namespace", run.ns);
  add("Cluster", run.cluster);
  add("Run", run.number == 0 ? "" : cat(run.number));
  add("Submitted", moment(run.submitted));
  add("Started", moment(run.started));
  add("Ended", moment(run.ended));
  add("Duration", page.duration ? format_age(*page.duration) : "");
  if (kind != nullptr && manifest.is_object()) add("Resources", job::footprint(*kind, manifest));
  add("Image", join(work::images_of(run.cluster, manifest), ", "));
  add("Code", job::code_words(manifest));
  add("Line", run.origin.line, true);
  const bool is_here = run.cluster == context.cluster_name();
  add("Repeat", is_here ? with_cluster_flags(cat("trainctl rerun ", run.name), context) : "", true);
}

void add_differences(Context& context, const work::PastRun& run, RunPage& page) {
  if (!context.history || run.number == 0) return;
  const auto runs = context.history->list({run.ns, run.name, 0});
  if (!runs) return;
  const auto earlier = std::ranges::find_if(
      *runs, [&run](const work::PastRun& one) { return one.number < run.number; });
  if (earlier == runs->end()) return;
  const auto before = context.history->find(earlier->number);
  if (!before) return;
  page.differences = {cat("run ", before->number), view::run_differences(*before, run)};
}

// `manifest`: as the page shows it.
RunPage page_with_facts(Context& context, const work::PastRun& run, const Json& manifest) {
  RunPage page;
  page.title = run.name;
  page.values = job::member_values(manifest);
  page.duration = work::duration_of(run);
  page.made = made_by(context);
  add_facts(context, run, job::find_kind(run.kind), manifest, page);
  add_differences(context, run, page);
  if (manifest.is_object()) page.manifest = to_yaml(manifest);
  return page;
}

void set_cause(view::PageVerdict& verdict, const view::Explanation& why, const Context& context) {
  verdict.cause = why.cause;
  verdict.details = why.details;
  if (why.later) verdict.details.push_back(cat("it ", work::words_of(*why.later)));
  verdict.next = with_cluster_flags(why.next, context);
}

Tone tone_of(job::Phase phase) {
  if (phase == job::Phase::succeeded) return Tone::good;
  return phase == job::Phase::failed ? Tone::bad : Tone::busy;
}

Tone tone_of(Code code) {
  if (code == Code::ok) return Tone::good;
  return code == Code::job_failed ? Tone::bad : Tone::busy;
}

// A green head would hide that the run taught nothing.
void judge_metrics(RunPage& page) {
  view::PageVerdict& verdict = page.verdict;
  const std::string& network = page.metrics.network;
  const bool is_news = std::ranges::count(verdict.details, network) == 0;
  if (!network.empty() && is_news) verdict.details.push_back(network);
  const std::string words = job::trouble_words(page.metrics);
  if (words.empty()) return;
  if (verdict.tone == Tone::good) verdict.tone = Tone::doubtful;
  const bool is_told = verdict.cause.find(words) != std::string::npos ||
                       std::ranges::count(verdict.details, words) > 0;
  if (!is_told) verdict.details.insert(verdict.details.begin(), words);
}

std::string culprit_of(const job::JobState& state) {
  return state.first_failed ? state.replicas[*state.first_failed].id.name() : "";
}

void add_timeline(const Json& object, const job::JobState& state, const std::string& culprit,
                  Time now, RunPage& page) {
  const bool is_over = job::is_final(state.phase) && state.since;
  page.timeline = view::timeline_of(object, state, culprit, is_over ? *state.since : now);
}

// The events that tell of trouble, and those of the job's controller.
void add_events(std::vector<job::JobEvent> events, RunPage& page) {
  for (job::JobEvent& event : job::merged(std::move(events))) {
    const bool matters = event.type == "Warning" || event.subject == "job";
    if (matters) page.events.push_back(std::move(event));
  }
}

// The last lines of the replica that the verdict blames; where nobody knows which that is, of the
// one that printed last.
view::PageLog end_of(const std::vector<job::ArchivedLine>& lines, std::string replica,
                     const std::string& verdict) {
  for (auto line = lines.rbegin(); replica.empty() && line != lines.rend(); ++line) {
    const bool is_named =
        !line->replica.empty() && verdict.find(cat(line->replica, ' ')) != std::string::npos;
    if (is_named) replica = line->replica;
  }
  if (replica.empty() && !lines.empty()) replica = lines.back().replica;
  view::PageLog log{replica, {}};
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (line->replica != replica || replica.empty()) continue;
    log.lines.emplace_back(last_shown(line->line.text));
    if (log.lines.size() == view::PageLog::k_most_lines) break;
  }
  std::ranges::reverse(log.lines);
  return log;
}

std::string kept_log(Context& context, const std::string& uid) {
  const std::string path = work::archived_log_path(context.environment, uid);
  return path.empty() ? "" : read_own_file(context.files, path).value_or("");
}

// Adds the last lines of the replica, unless the page has more. `content`: as the history keeps
// them.
void add_lines(const std::string& content, const std::string& replica, RunPage& page) {
  view::PageLog end = end_of(job::read_archived_lines(content), replica, page.verdict.cause);
  if (end.lines.size() > page.log.lines.size()) page.log = std::move(end);
}

// The end of a replica's log, in the history's form; "" when it cannot be read.
std::string read_log(Context& context, const work::JobSnapshot& snapshot,
                     const std::string& replica) {
  const auto client = context.client();
  if (!client || replica.empty()) return "";
  std::string content;
  job::LogChoice choice;
  choice.selection.replica = replica;
  choice.options.follow = false;
  choice.options.tail_lines = view::PageLog::k_most_lines;
  choice.places.kept.append = [&content](std::string_view bytes) {
    content += bytes;
    return Status();
  };
  choice.places.kept.replace = [&content](std::string_view bytes) {
    content = bytes;
    return Status();
  };
  Caught unused;
  CatchingConsole console(unused);
  // A log that is gone leaves the page without lines.
  (void)job::print_logs(**client, console, *snapshot.job.kind, snapshot.job.object, snapshot.pods,
                        {}, choice);
  return content;
}

// Following has kept those of a job that is over; otherwise the logs tell. A log that cannot be
// read leaves the page without curves.
bool lacks_metrics(const RunPage& page, const job::JobState& state,
                   const job::MetricPatterns& own) {
  return !page.metrics.has_points() || !own.empty() || !job::is_final(state.phase);
}

void add_metrics(Result<MetricSource> read, RunPage& page) {
  if (!read) return;
  std::string& network = read->record.network;
  if (network.empty()) network = page.metrics.network;
  page.metrics.network = network;
  if (read->record.empty()) return;
  page.metrics = std::move(read->record);
  if (read->ends_early) {
    page.verdict.details.emplace_back(
        "its metrics end where the last command that read its log left");
  }
}

// The termination message, where no log was read.
void add_last_words(const job::JobState& state, RunPage& page) {
  if (!state.first_failed || !page.log.lines.empty()) return;
  const job::ReplicaState& failed = state.replicas[*state.first_failed];
  page.log.replica = failed.id.name();
  page.log.lines = written_lines(failed.last_exit.words);
}

Json shown_manifest(Context& context, const Json& object) {
  return as_history_keeps(context, job::submitted_manifest(object));
}

RunPage page_of_state(Context& context, const work::JobSnapshot& snapshot,
                      const view::Explanation& why) {
  const work::FoundJob& job = snapshot.job;
  const job::JobState& state = snapshot.state;
  const work::PastRun run = run_of_job(context, job, state);
  RunPage page = page_with_facts(context, run, shown_manifest(context, job.object));
  if (run.metrics.is_object() && !run.metrics_end_early()) {
    page.metrics = job::read_metrics(run.metrics);
  }
  page.verdict.words = lower(job::phase_name(state.phase));
  page.verdict.tone = tone_of(state.phase);
  set_cause(page.verdict, why, context);
  return page;
}

// A page leaves the circle of those who may read the job's logs. A program may print the
// credentials of its job, and the operator repeats its last words.
void leave_out_credentials(const Json& object, RunPage& page) {
  const std::vector<std::string> values = job::credential_values(object);
  const auto clean = [&values](std::string& text) {
    text = job::text_without_secrets(job::text_without_values(std::move(text), values));
  };
  clean(page.verdict.cause);
  std::ranges::for_each(page.verdict.details, clean);
  std::ranges::for_each(page.log.lines, clean);
  for (job::JobEvent& event : page.events) clean(event.message);
}

}  // namespace

Result<RunPage> page_of_job(Context& context, const work::JobSnapshot& snapshot,
                            const std::string& replica, const job::MetricPatterns& own) {
  const work::FoundJob& job = snapshot.job;
  const job::JobState& state = snapshot.state;
  TRY_ASSIGN(Explained explained, explain_now(context, snapshot));
  job::MetricRecord of_all;
  if (!job::is_final(state.phase)) {
    TRY_ASSIGN(of_all, work::metrics_of_one(context, job, state));
    view::add_training(of_all, state, explained.why);
  }
  RunPage page = page_of_state(context, snapshot, explained.why);
  add_timeline(job.object, state, culprit_of(state), context.loop.now(), page);
  add_events(snapshot.events, page);
  const std::string chosen = replica.empty() ? culprit_of(state) : replica;
  if (lacks_metrics(page, state, own)) {
    TRY_ASSIGN(kube::Client * client, context.client());
    add_metrics(metrics_of_pods(context, *client, job, snapshot.pods, state, own), page);
  }
  if (!job::is_final(state.phase)) {
    page.metrics.lag = of_all.lag;
    page.metrics.silence = of_all.silence;
    if (page.metrics.network.empty()) page.metrics.network = of_all.network;
  }
  judge_metrics(page);
  // The lines that the history has kept may end where a command left.
  const auto leader = job::leader(*job.kind, job.object);
  const bool is_named = !chosen.empty() || !leader;
  add_lines(read_log(context, snapshot, is_named ? chosen : leader->name()), chosen, page);
  if (page.log.lines.empty()) add_lines(kept_log(context, job.uid()), chosen, page);
  add_last_words(state, page);
  leave_out_credentials(job.object, page);
  return page;
}

RunPage page_of_member(Context& context, const work::FoundJob& job, const job::JobState& state,
                       const job::MetricPatterns& own) {
  const work::JobSnapshot snapshot{.job = job, .state = state};
  const auto why = view::explain(snapshot, {}, context.loop.now());
  RunPage page = page_of_state(context, snapshot, why);
  add_timeline(job.object, state, culprit_of(state), context.loop.now(), page);
  if (lacks_metrics(page, state, own)) add_metrics(metrics_of_job(context, job, own), page);
  judge_metrics(page);
  add_lines(kept_log(context, job.uid()), culprit_of(state), page);
  leave_out_credentials(job.object, page);
  return page;
}

RunPage page_of_run(Context& context, const work::PastRun& run, const job::MetricPatterns& own) {
  RunPage page = page_with_facts(context, run, run.manifest);
  page.verdict.words = run.verdict.empty() ? "unknown" : run.verdict;
  page.verdict.cause = run.verdict.empty() ? "no command has seen its end" : run.message;
  const auto code = static_cast<Code>(run.exit_status.value_or(0));
  page.verdict.tone = run.verdict == "failed"                       ? Tone::bad
                      : run.verdict.empty() || run.exit_status != 0 ? Tone::busy
                                                                    : tone_of(code);
  add_metrics(metrics_of_run(context, run, own), page);
  judge_metrics(page);
  add_lines(kept_log(context, run.uid), "", page);
  leave_out_credentials(run.manifest, page);
  return page;
}

RunPage page_of_followed(Context& context, const work::FoundJob& job,
                         const job::FollowResult& result) {
  const job::Outcome& outcome = result.outcome;
  const Json& object = result.job.is_object() ? result.job : job.object;
  const work::JobSnapshot snapshot{.job = {job.kind, object, ""}, .state = result.state};
  view::Explanation why = view::explain(snapshot, {}, context.loop.now());
  if (!outcome.verdict) {
    why.cause = outcome.verdict.error().message;
    why.next = outcome.verdict.error().hint;
  }
  RunPage page = page_of_state(context, snapshot, why);
  const Code code = outcome.verdict ? Code::ok : outcome.verdict.error().code;
  const bool is_verdict = !outcome.verdict || job::is_final(result.state.phase);
  if (is_verdict) page.verdict.words = exit_word(code);
  if (is_verdict) page.verdict.tone = tone_of(code);
  if (!outcome.metrics.empty()) page.metrics = outcome.metrics;
  page.metrics.network = outcome.metrics.network;
  judge_metrics(page);
  const std::string culprit =
      outcome.culprit ? outcome.culprit->id.name() : culprit_of(result.state);
  add_timeline(object, result.state, culprit, outcome.ended, page);
  const job::JobEvents about(*job.kind, object, {});
  std::vector<job::JobEvent> events;
  for (const Json& event : result.events) {
    if (auto own = about.read(event)) events.push_back(*std::move(own));
  }
  add_events(std::move(events), page);
  page.log.replica = culprit;
  page.log.lines = outcome.last_lines;
  add_lines(kept_log(context, job.uid()), culprit, page);
  add_last_words(result.state, page);
  leave_out_credentials(object, page);
  return page;
}

RunPage page_without_job(const Json& report) {
  RunPage page;
  page.title = job::title_name(report);
  page.verdict.words = text_at(report, "/verdict/result");
  page.verdict.cause = text_at(report, "/verdict/message");
  page.verdict.next = text_at(report, "/verdict/hint");
  page.facts = {{"Kind", text_at(report, "/jobKind")},
                {"Namespace", text_at(report, "/namespace")},
                {"Ended", text_at(report, "/followed/ended")}};
  leave_out_credentials(Json(), page);
  return page;
}

}  // namespace trainctl::cli
