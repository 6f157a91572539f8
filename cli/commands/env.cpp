// `trainctl env`: shows the environment that each replica gets, from its pod or before there is
// one.
#include <algorithm>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/choices.h"
#include "cli/options/flags.h"
#include "cli/output/output.h"
#include "job/kind/pod_identity.h"
#include "job/manifest/runtime_program.h"
#include "job/status/pod_state.h"
#include "work/create/manifest.h"
#include "work/find/find_job.h"
#include "work/find/local_addresses.h"
#include "work/find/replica_environment.h"

namespace trainctl::cli {
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::string file, kind, container;
  Format output = Format::text;
};

struct Environs {
  job::ReplicaId replica;
  std::optional<int> rank;
  std::string pod;  // "" = no pod yet: the environment that the operator would set
  std::string container;
  std::vector<work::EnvironmentVariable> variables;
};

// What the cluster has of a job.
struct Seen {
  std::vector<Json> pods;
  work::LocalAddresses addresses;
};

Result<std::vector<Json>> pods_of(Context& context, const work::FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, context.client());
  std::vector<work::Listing> pods = {work::pods_listing(job.ns(), job.kind, job.name())};
  work::fetch_together(*client, pods);
  if (const auto& failure = pods[0].failure) {
    if (failure->error.code != Code::auth) return failure->error;
    context.console.warn(
        cat("as the operator would set it, without the pods: ", failure->error.message));
  }
  job::keep_owned(pods[0].objects, {*job.kind, job.object});
  return std::move(pods[0].objects);
}

const Json* container_named(const Json& pod, const std::string& name) {
  for (const char* list : {"/spec/containers", "/spec/initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      if (text_at(container, "/name") == name) return &container;
    }
  }
  return nullptr;
}

Result<Environs> environs_of(const Context& context, const Options& options,
                             const work::FoundJob& job, const job::ReplicaId& replica,
                             const Seen& seen) {
  Environs environs{replica, job::rank_of(*job.kind, job.object, replica), "", "", {}};
  const auto own = std::ranges::find_if(seen.pods, [&](const Json& pod) {
    return job::replica_of(*job.kind, pod) == replica &&
           find(pod, "/metadata/deletionTimestamp") == nullptr;
  });
  if (own == seen.pods.end() && job::runs_by_runtime(*job.kind)) {
    return Error{Code::not_found,
                 cat(replica.name(), " has no pod yet, and a runtime sets the environment of a ",
                     job.kind->resource.kind, "'s pods"),
                 "try again when its pods exist"};
  }
  const Json pod =
      own != seen.pods.end() ? *own : work::pod_before_creation(*job.kind, job.object, replica);
  if (own != seen.pods.end()) environs.pod = text_at(pod, "/metadata/name");
  environs.container =
      options.container.empty() ? job::main_container(*job.kind, pod) : options.container;
  const Json* container = container_named(pod, environs.container);
  if (container == nullptr) {
    return Error{Code::not_found, cat(replica.name(), " has no container ", environs.container),
                 "leave out -c for the training container"};
  }
  environs.variables = work::environment_of(pod, *container);
  if (own != seen.pods.end() && context.embedded) {
    context.embedded->rewrite(seen.addresses, pod, *container, environs.variables);
  }
  return environs;
}

// Prints a value on one line, whatever it contains.
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

Status print_lines(Console& console, const std::vector<Environs>& all, bool named) {
  std::string text;
  for (const Environs& environs : all) {
    const std::string name = environs.replica.name();
    const std::string prefix = named ? "" : console.painted(name, Colour::cyan) + " ";
    for (const work::EnvironmentVariable& variable : environs.variables) {
      const bool refers = !variable.from.empty();
      const std::string value = one_line(console, refers ? variable.from : variable.value);
      text += cat(prefix, one_line(console, variable.name), "=",
                  refers ? console.painted(value, Colour::yellow) : value, "\n");
    }
  }
  return console.out(text);
}

Json report(const work::FoundJob& job, const std::vector<Environs>& all) {
  Json replicas = Json::array();
  for (const Environs& environs : all) {
    Json replica = {{"name", environs.replica.name()}};
    if (environs.rank) replica["rank"] = *environs.rank;
    if (!environs.pod.empty()) replica["pod"] = environs.pod;
    replica["container"] = environs.container;
    replica["environment"] = Json::array();
    for (const work::EnvironmentVariable& variable : environs.variables) {
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

Status show(Context& context, const Options& options, const work::FoundJob& job, const Seen& seen,
            bool submitted) {
  std::vector<job::ReplicaId> there;
  for (const Json& pod : seen.pods) {
    if (const auto replica = job::replica_of(*job.kind, pod)) there.push_back(*replica);
  }
  std::vector<job::ReplicaId> wanted = job::expected_replicas(*job.kind, job.object, there);
  const bool named = !job.replica.empty();
  if (named) {
    TRY_ASSIGN(const auto one, job::find_replica(*job.kind, job.object, job.replica));
    wanted = {one};
  }
  std::vector<Environs> all;
  for (const job::ReplicaId& replica : wanted) {
    TRY_ASSIGN(Environs environs, environs_of(context, options, job, replica, seen));
    all.push_back(std::move(environs));
  }
  const auto absent =
      std::ranges::count_if(all, [](const Environs& each) { return each.pod.empty(); });
  if (submitted && absent > 0) {
    context.console.notice(
        cat(plural(absent, "replica"), " without a pod: shown as the operator would set it"));
  }
  if (options.output == Format::json) {
    return print_data(context, options.output, report(job, all));
  }
  return print_lines(context.console, all, named);
}

Status run(const Options& options, Context& context) {
  if (!options.file.empty()) {
    work::ManifestSource source;
    source.file = options.file;
    TRY_ASSIGN(work::Manifest manifest, work::build_manifest(context, source));
    const std::string replica = options.jobs.empty() ? "" : options.jobs.front();
    return show(context, options, {manifest.kind, std::move(manifest.object), replica}, {}, false);
  }
  if (options.jobs.empty()) {
    return Error{Code::usage, "no job and no manifest given",
                 "write trainctl env JOB, or trainctl env -f FILE"};
  }
  TRY_ASSIGN(const job::Kind* kind, kind_flag(options.kind));
  TRY_ASSIGN(const job::JobRef ref, work::job_ref(options.jobs.front(), kind));
  TRY_ASSIGN(const work::FoundJob job, work::find_job(context, ref));
  Seen seen;
  TRY_ASSIGN(seen.pods, pods_of(context, job));
  TRY_ASSIGN(seen.addresses, work::local_addresses(context, job));
  return show(context, options, job, seen, true);
}

}  // namespace

Status print_environment(Context& context, work::Manifest manifest, const std::string& replica,
                         Format output) {
  Options options;
  options.output = output;
  return show(context, options, {manifest.kind, std::move(manifest.object), replica}, {}, false);
}

Runner define_env(const Definition& definition) {
  auto options = std::make_shared<Options>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA]", options->jobs, 0, 1,
                  "job, replica of a job, or pod; with -f a replica of that job");
  bind("filename", options->file);
  bind("container", options->container);
  add_kind_flag(bind, options->kind);
  bind("output", options->output);
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace trainctl::cli
