// `trainctl support-bundle`: one archive with all that is known about a job, for whoever helps.
#include <algorithm>
#include <memory>
#include <utility>

#include "base/file/tar.h"
#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/options/config_keys.h"
#include "cli/output/catching_console.h"
#include "cli/output/explaining.h"
#include "cli/output/following.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "cli/output/version_report.h"
#include "follow/print_logs.h"
#include "follow/report.h"
#include "manifest/kept_values.h"
#include "manifest/needed_objects.h"
#include "manifest/secrets.h"
#include "status/ownership.h"
#include "work/find/default_job.h"

namespace trainctl::cli {
namespace {

struct BundleOptions {
  std::vector<std::string> jobs;
  std::string kind, output;
};

constexpr std::size_t k_most_content = std::size_t{64} << 20;
constexpr long k_log_lines = 10'000;

std::string mark(std::string_view value) {
  return job::mark_with_key("", value);
}

// Of a manifest or an object of the cluster, what the history would keep.
Json masked(Json object) {
  if (const auto metadata = object.find("metadata"); metadata != object.end()) {
    metadata->erase("managedFields");
  }
  return job::with_harmless_values(object, mark);
}

// Log lines and messages are free text.
std::string masked_text(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    kept += job::text_without_secrets(text.substr(0, end));
    text.remove_prefix(end);
  }
  return kept;
}

// The command line of a process repeats the arguments of its container.
Json masked_inside(Json report) {
  report = masked(std::move(report));
  for (Json& member : report["members"]) {
    const auto command = member.find("command");
    if (command == member.end()) continue;
    *command = job::harmless_words(Json::array({*command}), mark).front();
  }
  return report;
}

// The files of the archive, and what it lacks.
class Bundle {
 public:
  void add(const std::string& name, std::string content, std::string_view what) {
    if (size_ + content.size() > k_most_content) {
      return leave_out(name, "the bundle would be above 64 MiB");
    }
    size_ += content.size();
    listed_ += cat(printable_line(name), "  ", what, '\n');
    files_.emplace_back(name, std::move(content));
  }
  void add(const std::string& name, const Json& value, std::string_view what) {
    add(name, value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n', what);
  }
  void leave_out(std::string_view what, std::string_view why) {
    left_out_ += cat(printable_line(what), ": ", printable_line(why), '\n');
  }

  Result<std::string> archive(const std::string& name, Time now) const {
    std::string bytes;
    TRY_ASSIGN(TarWriter tar,
               TarWriter::open(TarWriter::Compression::gzip, [&bytes](std::string_view more) {
                 bytes += more;
                 return Status();
               }));
    const std::string contents = cat(
        "What is in this bundle about job ", name, ", made by trainctl ", TRAINCTL_VERSION, " at ",
        format_time(now), ":\n\n", listed_, "\nWhat was left out, and why:\n\n", left_out_);
    const auto put = [&](const std::string& path, std::string_view content) -> Status {
      constexpr unsigned k_private = 0600;
      const std::int64_t modified =
          std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
      TRY(tar.begin({cat(name, '/', path), TarFile{content.size()}, k_private, modified}));
      return tar.write(content);
    };
    TRY(put("CONTENTS.txt", contents));
    for (const auto& [path, content] : files_) TRY(put(path, content));
    TRY(tar.finish());
    return bytes;
  }

 private:
  std::vector<std::pair<std::string, std::string>> files_;
  std::string listed_;
  std::string left_out_ =
      "contents of secrets and config maps: they are never read\n"
      "values of variables, arguments and annotations that may be credentials: masked as ***\n"
      "logs of init containers and sidecars: trainctl logs JOB --container NAME\n";
  std::size_t size_ = 0;
};

// The error is a signal.
Status add_log(Context& context, const work::JobSnapshot& snapshot,
               const job::ReplicaState& replica, bool previous, Bundle& bundle) {
  TRY_ASSIGN(kube::Client * client, context.client());
  const std::string name = cat("logs/", replica.id.name(), previous ? ".previous.log" : ".log");
  Caught caught;
  CatchingConsole console(caught);
  job::LogChoice choice;
  choice.selection.replica = replica.id.name();
  choice.options.follow = false;
  choice.options.previous = previous;
  choice.options.tail_lines = k_log_lines;
  choice.timestamps = true;
  if (context.embedded) {
    job::FollowOptions own;
    context.embedded->set_following(snapshot.job.uid(), own);
    choice.options.kept_pods = own.logs.options.kept_pods;
  }
  const Status read = job::print_logs(*client, console, *snapshot.job.kind, snapshot.job.object,
                                      snapshot.pods, snapshot.raw_events, choice);
  if (!read && ending_signal(read.error().code) != nullptr) return read;
  if (!read)
    bundle.leave_out(caught.out.empty() ? name : "a part of " + name, read.error().message);
  if (read || !caught.out.empty()) {
    bundle.add(name, masked_text(caught.out), "the last 10,000 lines of a replica");
  }
  return {};
}

// The culprit's logs come first, so that they have room.
Status add_logs(Context& context, const work::JobSnapshot& snapshot, Bundle& bundle) {
  std::vector<const job::ReplicaState*> replicas;
  for (const job::ReplicaState& replica : snapshot.state.replicas) replicas.push_back(&replica);
  if (snapshot.state.first_failed) {
    const auto failed =
        replicas.begin() + static_cast<std::ptrdiff_t>(*snapshot.state.first_failed);
    std::rotate(replicas.begin(), failed, failed + 1);
  }
  for (const job::ReplicaState* replica : replicas) {
    TRY(add_log(context, snapshot, *replica, false, bundle));
    if (replica->run.restarts.value_or(0) == 0) continue;
    TRY(add_log(context, snapshot, *replica, true, bundle));
  }
  return {};
}

void add_inside(Context& context, const work::JobSnapshot& snapshot, Bundle& bundle) {
  constexpr std::string_view k_name = "doctor.json";
  if (snapshot.state.phase != job::Phase::running)
    return bundle.leave_out(k_name, "the job does not run");
  const auto& probe = context.commands.offers().probe.report;
  if (!probe) return bundle.leave_out(k_name, "this program has no doctor");
  auto report = probe(context, {snapshot.job, snapshot.pods});
  if (!report) return bundle.leave_out(k_name, report.error().message);
  bundle.add(std::string(k_name), masked_inside(*std::move(report)),
             "what the processes of its replicas wait for");
}

void add_objects(const work::JobSnapshot& snapshot, Bundle& bundle) {
  const work::FoundJob& job = snapshot.job;
  job::ReportDetails details;
  details.events = &snapshot.events;
  bundle.add("report.json", masked(job::job_report(*job.kind, job.object, snapshot.state, details)),
             "the job and its state, as trainctl get -o json prints it");
  for (const Json& pod : snapshot.pods) {
    bundle.add(cat("pods/", text_at(pod, "/metadata/name"), ".json"), masked(pod), "a pod");
  }
  std::string events;
  for (const job::JobEvent& event : job::merged(snapshot.events)) {
    events += dump(masked(job::event_report(event))) + '\n';
  }
  bundle.add("events.jsonl", std::move(events), "events of the job and its pods, one a line");
  std::string companions;
  for (const job::NeededObject& needed : job::needed_objects(job.object)) {
    companions += needed.title() + '\n';
  }
  bundle.add("needs.txt", std::move(companions), "names of the objects that its pods need");
  for (const auto* missing : {&snapshot.without_pods, &snapshot.without_events}) {
    if (*missing) bundle.leave_out("a part of the cluster's objects", (*missing)->message);
  }
}

void add_explanation(Context& context, const work::JobSnapshot& snapshot, Bundle& bundle) {
  const auto explained = explain_now(context, snapshot);
  if (!explained) return bundle.leave_out("why.txt", explained.error().message);
  Caught caught;
  const CatchingConsole console(caught);
  const view::Viewer viewer{console, context.loop.now(), context.embedded != nullptr,
                            viewer_of(context).runnable};
  const std::string text = view::explanation_text(viewer, snapshot, explained->why);
  bundle.add("why.txt", masked_text(text), "the cause, as trainctl why prints it");
}

void add_surroundings(Context& context, Bundle& bundle) {
  const auto version = version_report(context, true);
  if (version) bundle.add("version.json", *version, "its own version, and what the cluster serves");
  if (!version) bundle.leave_out("version.json", version.error().message);
  const auto settings = read_settings(context);
  if (!settings) return bundle.leave_out("config.json", settings.error().message);
  bundle.add("config.json", settings_report(options::effective(*settings)),
             "the defaults of flags in effect, and where they are set");
}

Status run_support_bundle(const BundleOptions& options, Context& context) {
  if (options.output.empty()) {
    return Error{Code::usage, "support-bundle needs the name of the file that it writes",
                 "name it: trainctl support-bundle ddp -o ddp.tar.gz"};
  }
  if (options.output == k_stdout && context.console.out_is_tty) {
    return Error{Code::usage, "an archive cannot be shown on a terminal",
                 "name a file: trainctl support-bundle ddp -o ddp.tar.gz"};
  }
  if (options.output != k_stdout) TRY(check_place(context, "-o", options.output));
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  TRY_ASSIGN(const auto names, work::jobs_or_newest(context, options.jobs, kind));
  TRY_ASSIGN(work::JobSnapshot snapshot, work::take_snapshot(context, names.front(), kind));
  const work::FoundJob& job = snapshot.job;
  job::keep_owned(snapshot.pods, job::PodOwner(*job.kind, job.object));
  Bundle bundle;
  add_explanation(context, snapshot, bundle);
  add_objects(snapshot, bundle);
  add_inside(context, snapshot, bundle);
  add_surroundings(context, bundle);
  TRY(add_logs(context, snapshot, bundle));
  TRY_ASSIGN(const std::string archive, bundle.archive(job.name(), context.loop.now()));
  if (options.output == k_stdout) return context.console.out(archive);
  TRY(context.files.write(options.output, archive, Readers::owner));
  context.console.notice(cat("wrote ", printable_line(options.output),
                             "; read its CONTENTS.txt before you pass it on: logs are free text"));
  return {};
}

}  // namespace

Runner define_support_bundle(const Definition& definition) {
  auto options = std::make_shared<BundleOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB", options->jobs, 0, 1, "job; the newest one by default");
  add_kind_flag(bind, options->kind);
  bind("output", options->output);
  return [options](Context& context) { return run_support_bundle(*options, context); };
}

}  // namespace trainctl::cli
