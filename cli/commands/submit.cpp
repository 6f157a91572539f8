// `trainctl submit-KIND`, `submit FILE` and `rerun JOB`: render, check, create, and stay if asked
// to.
#include "cli/commands/submit.h"

#include <memory>

#include "base/text/text.h"
#include "base/text/words.h"
#include "check/preflight.h"
#include "cli/commands.h"
#include "cli/commands/program_notices.h"
#include "cli/options/bind.h"
#include "cli/options/globals.h"
#include "cli/options/job_flags.h"
#include "cli/output/following.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "cli/output/record_history.h"
#include "history/find_run.h"
#include "manifest/footprint.h"
#include "manifest/manifest.h"
#include "manifest/warnings.h"
#include "options/table/choices.h"
#include "options/table/synonyms.h"
#include "status/judgement.h"
#include "transfer/code_upload.h"
#include "work/create/attempts.h"
#include "work/create/create.h"
#include "work/create/local_manifest.h"
#include "work/create/manifest.h"
#include "work/create/submission.h"
#include "work/find/default_job.h"
#include "work/find/find_job.h"
#include "work/find/lineage.h"

namespace trainctl::cli {
namespace {

// A suspended job prints nothing, so following it would look like a hang.
void warn_of_suspension(Context& context, const SubmitOptions& options,
                        const work::Manifest& manifest) {
  const bool is_held = true_at(manifest.object, manifest.kind->controller.suspend);
  if (!options.stays() || !is_held || !job::queue_of(manifest.object).empty()) return;
  const std::string name = text_at(manifest.object, "/metadata/name", "JOB");
  context.console.warn(with_cluster_flags(
      cat("the job is created suspended: trainctl resume ", name, " starts it"), context));
}

Status check_submit(const SubmitOptions& options) {
  if (options.follow && options.output != options::Format::text) {
    return Error{Code::usage,
                 cat("--follow and -o ", word_of(options::k_all_formats, options.output),
                     " both write to stdout"),
                 "use --wait instead of --follow, or --result-file for the report"};
  }
  if (options.stays() && options.dry_run != options::DryRun::none) {
    return Error{Code::usage, "a dry run creates nothing to wait for",
                 "leave out --dry-run, or --follow and --wait"};
  }
  const bool replaces = options.if_exists == work::IfExists::replace;
  if (options.stays() && !replaces && options.waiting.timeout == Duration{}) {
    return Error{Code::usage, "--timeout 0 would give up before the job starts",
                 "leave it out to wait without a limit"};
  }
  return {};
}

Status stay(Context& context, const SubmitOptions& options, const Submitted& made) {
  const work::FoundJob& job = made.job;
  const bool is_own = made.fresh || made.is_as_typed || work::has_proof(context, job);
  if (options.retry.limit && is_own) return stay_and_retry(context, options, made);
  if (options.retry.limit) {
    context.console.warn(cat(job.name(), " was not submitted from here: --retry does not run it"));
  }
  job::FollowOptions follow = follow_options(options);
  follow.attached = !made.fresh;
  FirstError outcome(context.console);
  FollowedJobs followed(context, options.waiting, Reports::Shape::one_job);
  followed.follow({job}, follow, outcome);
  return followed.conclude(std::move(outcome).outcome(), options.report_format());
}

// Ends a submit that does not follow the job: prints what was created and what to type next.
Status leave(Context& context, const SubmitOptions& options, const work::FoundJob& job,
             bool fresh) {
  if (options.output != options::Format::text && options.output != options::Format::name) {
    const job::JobState state = job::judge(*job.kind, job.object, {}, {});
    Status printed = print_job(context, options.output, *job.kind, job.object, state);
    // Without stdout, only this says that the job exists and what the server called it.
    if (!printed)
      context.console.notice(work::resource_name(*job.kind, job.name()) + " was created");
    return printed;
  }
  if (options.output == options::Format::text && fresh) {
    TRY(context.console.out(work::resource_name(*job.kind, job.name()) + " created\n"));
  }
  context.console.notice(
      with_cluster_flags(cat("follow the job: trainctl logs -f ", job.name()), context));
  return {};
}

Status refused(Context& context, const SubmitOptions& options, const JobTarget& job, Error why) {
  if (!options.stays()) return why;
  FollowedJobs followed(context, options.waiting, Reports::Shape::one_job);
  return followed.conclude(followed.give_up(job, std::move(why)), options::Format::text);
}

Status leave_or_stay(Context& context, const SubmitOptions& options, const Submitted& made) {
  const work::FoundJob& job = made.job;
  if (options.output == options::Format::name) {
    TRY(print_manifest(context, options::Format::name, *job.kind, job.object));
  }
  if (!options.stays()) return leave(context, options, job, made.fresh);
  if (made.fresh) {
    context.console.notice(
        cat(work::resource_name(*job.kind, job.name()), " created in namespace ", job.ns()));
  }
  return stay(context, options, made);
}

// Runs `check`, `env` or `convert` on the submit line. Creates nothing; flags about following the
// job have no effect.
Status print_line(Context& context, const SubmitOptions& options) {
  if (!options.array.axes.empty()) {
    return Error{Code::usage, cat(word_of(options::k_lines, options.line_for), " is for one job"),
                 "leave out --array, and write one value in place of each {name}"};
  }
  work::ManifestSource source = options.source;
  source.ignores_others = true;
  const bool converts = options.line_for == options::SubmitAction::convert;
  const bool has_format = options.output == options::Format::text ||
                          options.output == options::Format::json ||
                          (converts && options.output == options::Format::yaml);
  if (!has_format) {
    return Error{Code::usage,
                 cat(word_of(options::k_lines, options.line_for), " has no format `",
                     word_of(options::k_all_formats, options.output), "`"),
                 "use -o json, or leave it out"};
  }
  if (options.line_for == options::SubmitAction::check) {
    return print_check(context, source, options.api, options.if_exists, options.output,
                       options.consent.unchecked);
  }
  TRY_ASSIGN(work::Manifest manifest, work::build_manifest(context, source));
  if (converts) return print_conversion(context, manifest, options.output);
  TRY_ASSIGN(const auto choice, work::api_choice(context, options.api.api, options.api.runtime));
  TRY_ASSIGN(const auto submission,
             work::Submission::prepare(context, std::move(manifest), choice, false));
  return print_environment(context, submission.manifest(), "", options.output);
}

Status run_submit(SubmitOptions& options, Context& context) {
  if (options.line_for != options::SubmitAction::submit) return print_line(context, options);
  TRY(check_submit(options));
  TRY(check_retry(context, options));
  TRY(check_following(context, options.waiting));
  TRY_ASSIGN(const work::ApiChoice choice,
             work::api_choice(context, options.api.api, options.api.runtime));
  if (!options.array.axes.empty()) return submit_array(context, options, choice);
  TRY_ASSIGN(work::Manifest rendered, work::build_manifest(context, options.source));
  TRY(prepare_attempts(context, options.retry, rendered));
  if (context.embedded) TRY(work::check_runs_here(*rendered.kind, rendered.object, context.files));
  const auto warnings = job::manifest_warnings(*rendered.kind, rendered.object);
  const Time began = context.loop.now();
  // One timeout for creating, with what that replaces, and following.
  context.begin_timeout(options.waiting.timeout, began);
  JobTarget job = sought(rendered, began);
  std::optional<work::LimitedCalls> limited;
  if (options.dry_run != options::DryRun::client) limited.emplace(context);
  auto submission =
      work::Submission::prepare(context, std::move(rendered), choice, limited.has_value());
  if (!submission) return refused(context, options, job, std::move(submission).error());
  if (context.literal) TRY(check_without_rights(submission->manifest()));
  const bool needs_consent =
      !options.consent.stranger.empty() && options.dry_run == options::DryRun::none;
  if (context.literal || needs_consent) {
    show_program(context, options.consent.stranger, submission->manifest());
  }
  introduce(context, warnings, submission->footprint());
  warn_of_suspension(context, options, submission->manifest());
  if (options.dry_run != options::DryRun::none) {
    TRY_ASSIGN(const work::Manifest shown, dry_manifest(context, options.dry_run, *submission));
    return print_documents(context, options.output, shown);
  }
  if (needs_consent) TRY(agree_to_program(context, options.consent.stranger, options.consent.yes));
  if (Status fit = check_with_cluster(context, options, *submission); !fit) {
    return refused(context, options, job, std::move(fit).error());
  }
  auto created = create_from(context, options, *submission);
  limited.reset();
  job.kind = submission->manifest().kind;
  if (!created) return refused(context, options, job, std::move(created).error());
  if (!created->fresh) {
    created->job = work::latest_attempt(context, std::move(created->job));
    const bool deletes = options.stays() && !flag_that_deletes(options.waiting).empty();
    created->is_as_typed = tell_of_attached(context, created->job, submission->manifest(), deletes);
  }
  return leave_or_stay(context, options, *created);
}

// Another program has no value of the array, and is no other run of its member.
Status take_earlier(SubmitOptions& options, Context& context, const work::FoundJob& job) {
  TRY_ASSIGN(options.source.earlier, work::read_for_rerun(context, job));
  if (options.source.words.empty()) return {};
  job::JobFile apart = *options.source.earlier;
  job::leave_array(apart.job);
  options.source.earlier = std::make_shared<const job::JobFile>(std::move(apart));
  return {};
}

// The run that a number names.
Status run_past_again(SubmitOptions& options, Context& context, work::PastRun run) {
  if (job::kind_of(run.manifest) == nullptr) {
    return Error{Code::usage, cat("the history did not keep the manifest of run ", run.number),
                 cat("see what the history knows: trainctl history ", run.number)};
  }
  context.console.notice(cat("the manifest is that of run ", run.number, ", job ",
                             printable_line(run.name), ", in the history"));
  options.source.remembered = {run.number, run.origin.line};
  const work::FoundJob job{job::kind_of(run.manifest), std::move(run.manifest), ""};
  TRY(take_earlier(options, context, job));
  return run_submit(options, context);
}

Status run_again(SubmitOptions& options, Context& context) {
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.named.kind));
  auto names = work::jobs_or_newest(context, options.named.words, kind);
  if (!names && kind == nullptr) names = work::newest_remembered(context, std::move(names).error());
  if (!names) return std::move(names).error();
  TRY_ASSIGN(const job::JobRef ref, work::job_ref(names->front(), kind));
  if (options.array.failed) return rerun_failed(context, options, ref);
  if (const auto run = work::numbered_run(context, ref.name)) {
    return run_past_again(options, context, *run);
  }
  auto job = work::find_whole_job(context, names->front(), kind, "rerun", "run again");
  if (job && !work::has_proof(context, *job)) options.consent.stranger = job->name();
  if (!job) {
    TRY_ASSIGN(work::PastRun run, work::remembered_job(context, ref, std::move(job).error()));
    options.source.remembered = {run.number, run.origin.line};
    job = work::FoundJob{job::kind_of(run.manifest), std::move(run.manifest), ""};
  }
  TRY(take_earlier(options, context, *job));
  return run_submit(options, context);
}

void add_flags(const Definition& definition, SubmitOptions& options) {
  const OptionBinder bind(definition.app, definition.name);
  bind("preset", options.named.presets);
  bind("dry-run", options.dry_run);
  bind("no-check", options.no_check);
  if (definition.name != "rerun") bind("allow-unchecked", options.consent.unchecked);
  bind("output", options.output);
  bind("if-exists", options.if_exists);
  bind("history-values", options.waiting.history.values);
  bind("overlay", options.source.overlays);
  bind("set", options.source.set);
  add_code_flags(bind, options.source.code);
  bind("follow", options.follow);
  bind("wait", options.wait);
  job::LogChoice& logs = options.waiting.follow.logs;
  bind("all", logs.selection.all);
  add_line_flags(bind, logs);
  bind("save-logs", options.waiting.save_logs);
  add_wait_flags(bind, options.waiting);
  add_stall_flags(bind, options.waiting);
  add_retry_flags(bind, options.retry);
  refuse_below_one(bind("max-parallel", options.array.at_once));
  bind("project", definition.globals.connection.ns);
  options.line_for = definition.typed.line_for;
}

}  // namespace

void introduce(Context& context, const std::vector<std::string>& warnings,
               const std::string& footprint) {
  for (const std::string& text : warnings) context.console.warn(text);
  if (context.embedded) {
    context.console.notice("the program runs directly on this machine, and not in an image");
  }
  context.console.notice(footprint);
}

Result<work::Manifest> dry_manifest(Context& context, options::DryRun dry_run,
                                    work::Submission& submission) {
  work::Manifest shown = submission.manifest();
  if (dry_run == options::DryRun::client) return shown;
  TRY(submission.send([&](const work::Manifest& manifest) -> Status {
    TRY_ASSIGN(shown, work::dry_run_on_server(context, manifest));
    return {};
  }));
  return shown;
}

JobTarget sought(const work::Manifest& manifest, Time began) {
  const Json& metadata = object_at(manifest.object, "/metadata");
  const std::string name = text_at(metadata, "/name", text_at(metadata, "/generateName"));
  return {manifest.kind, manifest.ns, name, began};
}

Status check_with_cluster(Context& context, const SubmitOptions& options,
                          const work::Submission& submission) {
  if (options.no_check) return {};
  const bool replaces = options.if_exists == work::IfExists::replace;
  return work::check_before_creation(context, submission.manifest(),
                                     replaces ? work::Before::replacement : work::Before::creation);
}

Result<Submitted> create_from(Context& context, const SubmitOptions& options,
                              work::Submission& submission) {
  work::Created created;
  TRY(submission.send([&](const work::Manifest& manifest) -> Status {
    work::CreateLimits limits{options.stays()};
    limits.prepare = work::upload_of_code(context, manifest);
    TRY_ASSIGN(created, work::create_job(context, manifest, options.if_exists, limits));
    return {};
  }));
  const work::Manifest& manifest = submission.manifest();
  Submitted made{{manifest.kind, std::move(created.object), ""}, created.fresh};
  const options::HistoryFlags& history = options.waiting.history;
  if (made.fresh && !history.none) note_created(context, made.job, manifest.object, history.values);
  return made;
}

job::FollowOptions follow_options(const SubmitOptions& options) {
  job::FollowOptions follow = options.waiting.follow;
  if (!options.follow) follow.logs = {};
  follow.logs.selection.none = !options.follow;
  return follow;
}

Runner define_submit_kind(const Definition& definition) {
  auto options = std::make_shared<SubmitOptions>();
  const job::Kind* kind = job::find_kind(definition.name.substr(sizeof("submit-") - 1));
  options->source.kind = kind;
  options->source.words = definition.typed.words;
  options->source.flags = JobFlags::define(definition, kind);
  const OptionBinder bind(definition.app, definition.name);
  bind("template", options->source.template_path);
  bind("api", options->api.api);
  bind("runtime", options->api.runtime);
  add_array_flags(bind, *options);
  add_flags(definition, *options);
  return [options](Context& context) { return run_submit(*options, context); };
}

Runner define_submit(const Definition& definition) {
  auto options = std::make_shared<SubmitOptions>();
  options->api.api = work::Api::v1;  // the file itself says which
  options->source.words = definition.typed.words;
  const OptionBinder bind(definition.app, definition.name);
  bind.positional(
      "Submitting", "FILE", options->named.words, 0, 1,
      "manifest of a job and of objects that it needs, or a batch script of Slurm; - is stdin");
  bind("filename", options->named.files);
  options->source.flags = JobFlags::define(definition, nullptr);
  add_array_flags(bind, *options);
  add_flags(definition, *options);
  return [options](Context& context) -> Status {
    TRY_ASSIGN(options->source.file,
               only_manifest("submit", options->named.words, options->named.files));
    TRY_ASSIGN(auto script, batch_script(context, options->source.file));
    if (script) {
      return submit_script(context, options->source.file, *std::move(script),
                           options->source.words);
    }
    if (auto line = options::line_for_word("submit", options->source.file)) {
      return Error{Code::usage, cat("`", options->source.file, "` is not a manifest"),
                   *std::move(line)};
    }
    return run_submit(*options, context);
  };
}

Runner define_rerun(const Definition& definition) {
  auto options = std::make_shared<SubmitOptions>();
  options->api.api = work::Api::v1;  // the job itself says which
  options->source.words = definition.typed.words;
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB", options->named.words, 0, 1,
                  "job to run again (default: the newest)");
  bind("failed", options->array.failed);
  bind("yes", options->consent.yes);
  add_kind_flag(bind, options->named.kind);
  options->source.flags = JobFlags::define(definition, nullptr);
  add_flags(definition, *options);
  return [options](Context& context) { return run_again(*options, context); };
}

}  // namespace trainctl::cli
