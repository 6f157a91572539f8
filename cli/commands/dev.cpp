// `trainctl dev`: a replica to work in, with the user's code, a shell and ports, for as long as the
// shell runs.
#include <memory>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "check/preflight.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/options/globals.h"
#include "cli/options/job_flags.h"
#include "cli/output/following.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "manifest/code.h"
#include "manifest/footprint.h"
#include "manifest/warnings.h"
#include "transfer/code_upload.h"
#include "transfer/dev_edits.h"
#include "work/code/choice.h"
#include "work/create/create.h"
#include "work/create/local_manifest.h"
#include "work/create/manifest.h"
#include "work/create/removal.h"
#include "work/create/submission.h"
#include "work/session/forwarding.h"
#include "work/session/session.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_shell = "if command -v bash >/dev/null; then exec bash; fi; exec sh";

struct DevOptions {
  std::vector<std::string> kinds;
  work::ManifestSource source;
  std::vector<std::string> command;  // instead of a shell
  std::vector<std::string> forward;
  std::optional<Duration> start_timeout = options::k_start_timeout;
  bool keep = false;
  bool no_check = false;
  work::SyncBack sync_back = work::SyncBack::ask;
};

struct DevJob {
  work::FoundJob job;
  std::shared_ptr<const work::SentCode> sent;  // null: no copy of the code is there
  std::optional<work::Target> target;          // once it runs

  std::optional<work::DevCopy> copy(const DevOptions& options) const {
    if (!sent || !target) return std::nullopt;
    return work::DevCopy{*sent, *target, options.source.code.directory, options.sync_back};
  }
};

// A launcher has nothing to start without workers, and development needs no launcher.
Result<const job::Kind*> chosen_kind(const DevOptions& options) {
  const std::string name = options.kinds.empty() ? "pytorch" : options.kinds.front();
  const job::Kind* kind = job::find_kind(name);
  if (kind != nullptr && !kind->has_launcher()) return kind;
  return Error{Code::usage, cat("dev has no kind `", printable_line(name), "`"),
               "trainctl dev pytorch -i IMAGE; the image may hold any framework"};
}

Result<std::vector<work::LocalPort>> listen(const Context& context, const DevOptions& options) {
  std::vector<work::PortPair> pairs;
  for (const std::string& text : options.forward) {
    TRY_ASSIGN(pairs.emplace_back(), work::parse_port_pair(text));
  }
  return work::listen_on_all(context, pairs, {"127.0.0.1"});
}

Result<DevJob> create(Context& context, const DevOptions& options) {
  TRY_ASSIGN(const work::ApiChoice choice, work::api_choice(context, work::Api::served, ""));
  TRY_ASSIGN(work::Manifest rendered, work::build_manifest(context, options.source));
  if (context.embedded) TRY(work::check_runs_here(*rendered.kind, rendered.object, context.files));
  for (const std::string& text : job::manifest_warnings(*rendered.kind, rendered.object)) {
    context.console.warn(text);
  }
  std::shared_ptr<const work::SentCode> sent = rendered.sent;
  TRY_ASSIGN(work::Submission submission,
             work::Submission::prepare(context, std::move(rendered), choice, true));
  context.console.notice(submission.footprint());
  // Without it, the job would run with nobody inside.
  const job::NeededRight exec{
      {"create", kube::k_pods, "exec"}, job::Severity::fails, "nobody could work in the job"};
  if (!options.no_check)
    TRY(work::check_before_creation(context, submission.manifest(), work::Before::creation,
                                    {exec}));
  work::Created created;
  TRY(submission.send([&](const work::Manifest& manifest) -> Status {
    work::CreateLimits limits;
    limits.prepare = work::upload_of_code(context, manifest);
    TRY_ASSIGN(created, work::create_job(context, manifest, std::nullopt, limits));
    return {};
  }));
  return DevJob{{submission.manifest().kind, std::move(created.object), ""}, std::move(sent), {}};
}

// A job that cannot start, or is interrupted before it does, is of no use to anybody.
Status wait_until_running(Context& context, const DevOptions& options, const work::FoundJob& job) {
  options::WaitFlags flags;
  job::FollowOptions& follow = flags.follow;
  follow.start_timeout = options.start_timeout;
  if (!options.keep) follow.leave = {job::OnGiveUp::remove, job::OnInterrupt::cancel};
  follow.logs.selection.none = true;
  follow.goal.wait_for = job::WaitFor::running;
  FirstError outcome(context.console);
  FollowedJobs jobs(context, flags, Reports::Shape::one_job);
  jobs.follow({job}, follow, outcome);
  return jobs.conclude(std::move(outcome).outcome(), options::Format::text);
}

// On this machine the shell works in the directory of --code itself: edits in a copy would be lost.
Status work_in_place(const Context& context, work::ManifestSource& source) {
  if (!context.embedded || source.code.directory.empty()) return {};
  TRY_ASSIGN(source.directory, work::code_directory(context, source.code.directory));
  if (!source.code.claim.empty()) {
    context.console.notice("--code-claim is not needed: the shell works in the directory itself");
  }
  source.code = {};
  return {};
}

Status use(Context& context, const DevOptions& options, DevJob& dev,
           std::vector<work::LocalPort> ports) {
  TargetFlags which;
  which.jobs = {cat(dev.job.kind->alias, '/', dev.job.name())};
  TRY_ASSIGN(const work::TargetQuery query, which.query());
  TRY_ASSIGN(const work::Target target, work::find_target(context, query));
  dev.target = target;
  TRY(work::find_own_ports(context, target, ports));
  if (!options.source.directory.empty()) {
    context.console.notice(cat("dev works directly in ", printable_line(options.source.directory)));
  }
  if (const auto copy = dev.copy(options)) {
    context.console.notice(with_cluster_flags(work::copy_notice(context.console, *copy), context));
  }
  for (const work::LocalPort& port : ports) context.console.notice(port.leading_to(target));
  HandlePtr forwarding;
  if (!ports.empty()) {
    TRY_ASSIGN(forwarding, work::start_forwarding(context, target, std::move(ports)));
  }
  kube::RemoteQuery process = target.query();
  process.command = options.command;
  if (process.command.empty()) process.command = {"sh", "-c", std::string(k_shell)};
  process.input = true;
  process.terminal = context.console.in_is_tty;
  return work::run_session(context, process, process.terminal);
}

// The user has left it, unless the connection was lost.
bool was_left(const Status& used) {
  if (used || used.error().message.empty()) return true;
  const Code code = used.error().code;
  return ending_signal(code) != nullptr || code == Code::broken_pipe;
}

Status stay(Context& context, const DevJob& dev, Status used) {
  const std::string name = dev.job.name();
  std::string ways =
      cat("the job keeps running; open a shell in it again: trainctl exec -it ", name, " -- sh; ");
  if (dev.sent) {
    ways += cat("copy its code: trainctl cp ", name, ':', job::k_code_path, " DIR; ");
  }
  ways += cat("delete the job: trainctl delete ", name);
  context.console.notice(with_cluster_flags(ways, context));
  return used;
}

// The command ends with the error of the session, if there is one.
Status stay_after(Context& context, const DevJob& dev, Status used, Error error) {
  if (used) return stay(context, dev, std::move(error));
  context.console.warn(cat(dev.job.name(), " is not deleted: ", error.message));
  return stay(context, dev, std::move(used));
}

Status leave(Context& context, const DevOptions& options, const DevJob& dev, Status used) {
  if (options.keep || !was_left(used)) return stay(context, dev, std::move(used));
  context.loop.ending_signals().forget();
  if (const auto copy = dev.copy(options)) {
    const bool may_ask = used || used.error().message.empty();
    Status saved = work::save_edits(context, *copy, may_ask);
    if (!saved) return stay_after(context, dev, std::move(used), std::move(saved).error());
  }
  const work::FoundJob& job = dev.job;
  Status removed = work::remove_job(context, *job.kind, job.object);
  if (!removed) return stay_after(context, dev, std::move(used), std::move(removed).error());
  context.console.notice(cat(work::resource_name(*job.kind, job.name()), " deleted"));
  return used;
}

Status run_dev(DevOptions& options, Context& context) {
  TRY_ASSIGN(options.source.kind, chosen_kind(options));
  TRY(work_in_place(context, options.source));
  TRY_ASSIGN(std::vector<work::LocalPort> ports, listen(context, options));
  TRY_ASSIGN(DevJob dev, create(context, options));
  const work::FoundJob& job = dev.job;
  context.console.notice(
      cat(work::resource_name(*job.kind, job.name()), " created in namespace ", job.ns()));
  TRY(wait_until_running(context, options, job));
  Status used = use(context, options, dev, std::move(ports));
  return leave(context, options, dev, std::move(used));
}

}  // namespace

Runner define_dev(const Definition& definition) {
  auto options = std::make_shared<DevOptions>();
  options->command = definition.typed.words;
  options->source.idle = true;
  options->source.flags = JobFlags::define(definition, nullptr);
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Working inside", "KIND", options->kinds, 0, 1,
                  "kind whose template the replica starts from (default: pytorch)");
  bind("forward", options->forward);
  bind("keep", options->keep);
  bind("no-check", options->no_check);
  bind("sync-back", options->sync_back);
  bind("start-timeout", options->start_timeout);
  add_code_flags(bind, options->source.code);
  bind("project", definition.globals.connection.ns);
  return [options](Context& context) { return run_dev(*options, context); };
}

}  // namespace trainctl::cli
