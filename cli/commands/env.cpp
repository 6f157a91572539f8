// `trainctl env`: shows the environment that each replica gets, from its pod or before there is
// one.
#include <algorithm>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "manifest/secrets.h"
#include "options/table/choices.h"
#include "work/create/manifest.h"
#include "work/find/job_environment.h"

namespace trainctl::cli {
namespace {

struct EnvOptions {
  std::vector<std::string> jobs;
  std::vector<std::string> files;
  std::string kind, container;
  options::Format output = options::Format::text;
};

// Prints any value on one line.
std::string one_line(const Console& console, std::string_view value) {
  std::string line;
  for (const char c : value) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  return console.out_is_tty ? printable_line(line) : line;
}

Status print_lines(Console& console, const std::vector<work::ReplicaEnvironment>& all, bool named) {
  std::string text;
  bool leaves_out = false;
  for (const work::ReplicaEnvironment& environment : all) {
    const std::string name = environment.replica.name();
    const std::string prefix = named ? "" : console.painted(name, Colour::cyan) + " ";
    for (const work::EnvironmentVariable& variable : environment.variables) {
      const bool refers = !variable.from.empty();
      const std::string shown =
          refers ? variable.from : job::value_without_secrets(variable.name, variable.value);
      leaves_out = leaves_out || (!refers && shown != variable.value);
      const std::string value = one_line(console, shown);
      text += cat(prefix, one_line(console, variable.name), "=",
                  refers ? console.painted(value, Colour::yellow) : value, "\n");
    }
  }
  TRY(console.out(text));
  if (leaves_out) {
    console.notice(cat("values that look like credentials are shown as ", job::k_left_out,
                       "; -o json prints them"));
  }
  return {};
}

Json report(const work::FoundJob& job, const std::vector<work::ReplicaEnvironment>& all) {
  Json replicas = Json::array();
  for (const work::ReplicaEnvironment& environment : all) {
    Json replica = {{"name", environment.replica.name()}};
    if (environment.rank) replica["rank"] = *environment.rank;
    if (!environment.pod.empty()) replica["pod"] = environment.pod;
    replica["container"] = environment.container;
    replica["environment"] = Json::array();
    for (const work::EnvironmentVariable& variable : environment.variables) {
      Json entry = {{"name", variable.name}};
      const bool refers = !variable.from.empty();
      entry[refers ? "from" : "value"] = refers ? variable.from : variable.value;
      replica["environment"].push_back(std::move(entry));
    }
    replicas.push_back(std::move(replica));
  }
  return {{"apiVersion", "trainctl/v1"},
          {"kind", "EnvironmentReport"},
          {"name", job.name()},
          {"namespace", job.ns()},
          {"jobKind", std::string(job.kind->resource.kind)},
          {"replicas", std::move(replicas)}};
}

Status print(Context& context, const EnvOptions& options, const work::FoundJob& job,
             const std::vector<work::ReplicaEnvironment>& all) {
  if (options.output == options::Format::json) {
    return print_data(context, options.output, report(job, all));
  }
  return print_lines(context.console, all, !job.replica.empty());
}

Status print_manifest_environment(Context& context, const EnvOptions& options,
                                  work::Manifest manifest, const std::string& replica) {
  const work::FoundJob job{manifest.kind, std::move(manifest.object), replica};
  TRY_ASSIGN(const auto all, work::environments_of(context, job, {}, options.container));
  return print(context, options, job, all);
}

Status run_env(const EnvOptions& options, Context& context) {
  if (!options.files.empty()) {
    work::ManifestSource source;
    TRY_ASSIGN(source.file, only_manifest("env", {}, options.files));
    source.ignores_others = true;
    TRY_ASSIGN(work::Manifest manifest, work::build_manifest(context, source));
    const std::string replica = options.jobs.empty() ? "" : options.jobs.front();
    return print_manifest_environment(context, options, std::move(manifest), replica);
  }
  if (options.jobs.empty()) {
    return Error{Code::usage, "no job and no manifest given",
                 "write trainctl env JOB, or trainctl env -f FILE"};
  }
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  TRY_ASSIGN(const job::JobRef ref, work::job_ref(options.jobs.front(), kind));
  TRY_ASSIGN(const work::FoundJob job, work::find_job(context, ref));
  TRY_ASSIGN(const work::SubmittedPods there, work::submitted_pods(context, job));
  TRY_ASSIGN(const auto all, work::environments_of(context, job, there, options.container));
  const auto absent =
      std::ranges::count_if(all, [](const auto& replica) { return replica.pod.empty(); });
  if (absent > 0) {
    context.console.notice(
        cat(plural(absent, "replica"),
            " without a pod: showing the environment that the operator would set"));
  }
  return print(context, options, job, all);
}

}  // namespace

Status print_environment(Context& context, work::Manifest manifest, const std::string& replica,
                         options::Format output) {
  EnvOptions options;
  options.output = output;
  return print_manifest_environment(context, options, std::move(manifest), replica);
}

Runner define_env(const Definition& definition) {
  auto options = std::make_shared<EnvOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA]", options->jobs, 0, 1,
                  "job, replica of a job, or pod; with -f a replica of that job");
  bind("filename", options->files);
  bind("container", options->container);
  add_kind_flag(bind, options->kind);
  bind("output", options->output);
  return [options](Context& context) { return run_env(*options, context); };
}

}  // namespace trainctl::cli
