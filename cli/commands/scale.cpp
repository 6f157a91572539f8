// `trainctl scale`: changes the number of workers of a job that can bear it.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "kube/client/client.h"
#include "manifest/elastic.h"
#include "status/judgement.h"
#include "work/find/find_job.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_worker = "Worker";

struct ScaleOptions {
  std::vector<std::string> jobs;
  std::string kind;
  std::optional<long> workers;
};

constexpr int k_rounds = 5;

// Processes that run would keep their world size: only an elastic job forms a new group.
Error not_elastic(const work::FoundJob& job, long workers) {
  return {Code::usage,
          cat(job.name(), " is not elastic: its processes rely on a fixed number of workers"),
          cat("trainctl rerun ", job.name(), " --workers=", workers)};
}

Status check_scale(const work::FoundJob& job, long workers) {
  const job::Phase phase = job::judge(*job.kind, job.object, {}, {}).phase;
  if (job::is_final(phase)) {
    return Error{
        Code::usage,
        cat(job.name(), " has ended (", job::phase_name(phase), "): no workers are left to scale"),
        cat("trainctl rerun ", job.name(), " --workers=", workers)};
  }
  const Json* elastic = find(job.object, job::k_elastic_policy);
  if (elastic == nullptr || !elastic->is_object()) return not_elastic(job, workers);
  const auto least = int_at(*elastic, "/minReplicas");
  const auto most = int_at(*elastic, "/maxReplicas");
  if ((least && workers < *least) || (most && workers > *most)) {
    return Error{Code::usage,
                 cat("--workers: ", workers, " is outside the limits of ", job.name(), ", ",
                     least.value_or(0), " to ", most.value_or(workers)),
                 cat("trainctl rerun ", job.name(), " --workers=", workers,
                     least && workers < *least ? " --min-replicas=" : " --max-replicas=", workers)};
  }
  return {};
}

// The operator has written the job since it was read, as it does right after a submit.
bool is_conflict(const Error& error) {
  return error.code == Code::refused &&
         error.message.find("object has been modified") != std::string::npos;
}

Status scale_once(Context& context, const std::string& name, const job::Kind* kind, long workers) {
  TRY_ASSIGN(const work::FoundJob job,
             work::find_whole_job(context, name, kind, cat("scale --workers=", workers), "scaled"));
  TRY(check_scale(job, workers));
  const std::string count = cat(job.kind->replica_specs, '/', k_worker, "/replicas");
  const std::string title = work::resource_name(*job.kind, job.name());
  const auto now = int_at(job.object, count);
  if (now == workers) {
    return context.console.out(cat(title, " already has ", plural(*now, "worker"), "\n"));
  }
  TRY_ASSIGN(kube::Client * client, context.client());
  Json patch = Json{{count, workers}}.unflatten();
  // Another change in between is not overwritten.
  patch["metadata"]["resourceVersion"] = text_at(job.object, "/metadata/resourceVersion");
  TRY(client->merge_patch(job.kind->resource, job.ns(), job.name(), patch));
  return context.console.out(
      cat(title, " scaled from ", now.value_or(0), " to ", plural(workers, "worker"), "\n"));
}

Status run_scale(const ScaleOptions& options, Context& context) {
  if (!options.workers) {
    return Error{Code::usage, "--workers is missing", "trainctl scale JOB --workers=4"};
  }
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  Status scaled;
  for (int round = 0; round < k_rounds; ++round) {
    scaled = scale_once(context, options.jobs.front(), kind, *options.workers);
    if (scaled || !is_conflict(scaled.error())) break;
  }
  return scaled;
}

}  // namespace

Runner define_scale(const Definition& definition) {
  auto options = std::make_shared<ScaleOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB", options->jobs, 1, 1, "elastic job to be scaled");
  check_values(bind("workers", options->workers), [](const std::string& text) {
    return text.starts_with('-') ? cat("`", text, "` is less than 0") : "";
  });
  add_kind_flag(bind, options->kind);
  return [options](Context& context) { return run_scale(*options, context); };
}

}  // namespace trainctl::cli
