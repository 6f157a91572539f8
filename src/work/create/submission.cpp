// Takes the cluster's refusals as answers: they say what it does not serve.
#include "work/create/submission.h"

#include <utility>

#include "base/text/text.h"
#include "kube/client/discovery.h"
#include "kube/object/names.h"
#include "manifest/check.h"
#include "manifest/footprint.h"
#include "trainer/blame.h"
#include "trainer/framework.h"

namespace trainctl::work {
namespace {

std::string_view provider_of(const job::Kind& kind) {
  return kube::provider_of(kind.resource.group, kind.resource.version);
}

constexpr std::string_view k_unknown_field = "unknown field \"spec.";

// A runtime of the job's own must be there first, so that the job's name cannot be the server's.
void name_both(Access& access, job::Conversion& made) {
  Json& metadata = made.job["metadata"];
  if (!text_at(metadata, "/name").empty()) return;
  const std::string name =
      text_at(metadata, "/generateName") + kube::generated_tail(access.unique_id());
  metadata.erase("generateName");
  metadata["name"] = name;
  (*made.runtime)["metadata"]["name"] = name;
  made.job["spec"]["runtimeRef"]["name"] = name;
}

bool mentions(const Error& error, std::string_view part) {
  return error.message.find(part) != std::string::npos;
}

// Trainer's words about a runtime that is not there, or Kueue's (`runtime 'x' not found`).
bool is_missing_runtime(const Error& error) {
  return error.code == Code::refused && mentions(error, "untime") && mentions(error, "not found");
}

bool owns_runtime(const Manifest& manifest) {
  return !manifest.companions.empty() &&
         manifest.companions.back().resource.plural == job::k_training_runtimes.plural;
}

}  // namespace

Result<ApiChoice> api_choice(const Access& access, Api api, const std::string& runtime) {
  ApiChoice choice{api, runtime};
  if (access.embedded && api == Api::served) choice.api = Api::v1;
  if (choice.api == Api::served && !runtime.empty()) choice.api = Api::trainer;
  if (access.embedded && choice.api != Api::v1) {
    return Error{Code::usage, "the embedded cluster serves only v1, not Kubeflow Trainer",
                 cat("leave out --local, or --api=",
                     word_of(k_apis, api == Api::served ? Api::trainer : api))};
  }
  if (choice.api != Api::trainer && !runtime.empty()) {
    return Error{Code::usage,
                 cat("--runtime: the API of ", word_of(k_apis, api), " has no runtimes"),
                 "leave it out, or use --api=trainer on a cluster with Kubeflow Trainer"};
  }
  return choice;
}

Result<Submission> Submission::prepare(Access& access, Manifest rendered, const ApiChoice& choice,
                                       bool for_a_cluster) {
  Submission submission(access, std::move(rendered), choice);
  if (choice.api == Api::successor) {
    submission.target_.becomes = job::Becomes::successor;
    TRY(submission.make());
    return submission;
  }
  if (choice.api == Api::served && for_a_cluster) TRY(submission.choose_version());
  if (choice.api != Api::trainer) return submission;
  if (choice.runtime.empty()) {
    if (for_a_cluster) TRY(submission.choose_runtime());
    TRY(submission.make());
    return submission;
  }
  TRY_ASSIGN(const RuntimeName wanted, parse_runtime_name(choice.runtime));
  const std::string_view kind =
      wanted.kind.empty() ? job::k_cluster_training_runtimes.kind : wanted.kind;
  submission.target_.runtime = job::NamedRuntime{std::string(kind), wanted.name};
  // The line is checked before anything is asked.
  TRY(submission.make());
  if (!for_a_cluster) return submission;
  TRY_ASSIGN(submission.target_.runtime,
             find_runtime(access, submission.rendered_.ns, wanted, *submission.rendered_.kind));
  TRY(submission.make());
  return submission;
}

// If a CRD serves both versions, each operator runs every job, whichever version it was sent as.
Status Submission::choose_version() {
  const job::Kind& kind = *rendered_.kind;
  const job::Kind* successor = job::successor_of(kind);
  if (successor == nullptr) return {};
  TRY_ASSIGN(kube::Client * client, access_.client());
  // If discovery fails, the server's refusal decides.
  const auto has_successor = kube::serves(*client, successor->resource);
  if (!has_successor || !*has_successor) return {};
  const auto has_v1 = kube::serves(*client, kind.resource);
  const std::string_view version = successor->resource.version;
  if (has_v1 && *has_v1) {
    return Error{Code::usage,
                 cat("the cluster serves ", kind.resource.kind, " of v1 and of ", version,
                     ", which are run by different operators"),
                 cat("choose one: --api=v1 or --api=", version)};
  }
  access_.console.notice(cat("the cluster has ", kind.resource.kind, " of ", version,
                             ": submitting one of mpi-operator"));
  target_.becomes = job::Becomes::successor;
  return make();
}

// Trainer brings no runtime whose launcher runs any program. One of the job's own would have to
// know of the image who runs sshd there, and where that user's keys are.
Status Submission::choose_runtime() {
  if (!rendered_.kind->has_launcher()) return {};
  TRY_ASSIGN(target_.runtime, only_runtime(access_, rendered_.ns, *rendered_.kind));
  access_.console.notice(
      cat("runtime ", target_.runtime->name,
          ": the launcher runs the job's image, and the nodes run the runtime's"));
  return {};
}

Status Submission::make() {
  if (rendered_.kind->has_launcher()) target_.own_runtime = job::OwnRuntime::never;
  TRY_ASSIGN(job::Conversion made, job::convert(*rendered_.kind, rendered_.object, target_));
  const auto losses = job::losses_to_refuse(*rendered_.line, target_, made.losses);
  if (!losses.empty()) return refused(losses);
  if (!made.warning.empty() && !std::exchange(warned_, true)) access_.console.warn(made.warning);
  if (made.starts_through_env && !std::exchange(told_of_env_, true)) {
    access_.console.notice(cat("env starts the program, so the arguments of runtime ",
                               target_.runtime->name, " do not reach it"));
  }
  Manifest manifest = rendered_;
  const bool succeeds = target_.becomes == job::Becomes::successor;
  manifest.kind = succeeds ? job::successor_of(*rendered_.kind) : &job::train_job_kind();
  if (made.runtime) {
    name_both(access_, made);
    manifest.companions.push_back({job::k_training_runtimes, std::move(*made.runtime)});
  }
  manifest.object = std::move(made.job);
  if (succeeds) TRY(job::check_manifest(*manifest.kind, manifest.object));
  made_ = std::move(manifest);
  return {};
}

// With a runtime of its own, the job could have more.
Error Submission::refused(const std::vector<job::Loss>& losses) const {
  Error error = job::refuse_losses(*rendered_.line, target_, losses);
  job::Target free = target_;
  free.runtime.reset();
  const auto made = job::convert(*rendered_.kind, rendered_.object, free);
  if (target_.runtime && made && made->losses.empty()) {
    error.hint =
        "leave out --runtime, so that the job gets a runtime of its own; or leave out these "
        "flags";
  }
  return error;
}

std::string Submission::company() const {
  std::vector<std::string> titles;
  for (const job::DependentObject& companion : manifest().companions) {
    // The footprint of code was printed when it was packed.
    if (companion.sharing != job::Sharing::by_content) titles.push_back(companion.title());
  }
  return titles.empty() ? "" : cat(", with ", join(titles, ", "));
}

std::string Submission::footprint() const {
  const bool are_alike = made_ && !rendered_.kind->has_launcher();
  const std::string_view role = are_alike ? job::k_node : "";
  return cat(job::footprint(*rendered_.kind, rendered_.object, role), company());
}

Status Submission::send(const std::function<Status(const Manifest&)>& attempt) {
  for (;;) {
    Status sent = attempt(manifest());
    // The cluster has said nothing about a job whose code did not reach its claim.
    const auto& code = rendered_.for_claim;
    const bool has_no_code = code && code->outcome && !*code->outcome;
    if (sent || has_no_code) return sent;
    TRY_ASSIGN(bool changed, switch_api(sent.error()));
    if (!changed) {
      TRY_ASSIGN(changed, switch_patch(sent.error()));
    }
    if (!changed) return explained(std::move(sent).error());
  }
}

// An API server refuses a resource that it does not have as not found, or as not permitted when the
// user's rights name no such resource.
Result<bool> Submission::switch_api(const Error& refusal) {
  const bool may_be_unserved = refusal.code == Code::not_found || refusal.code == Code::auth;
  if (made_ || choice_.api != Api::served || !may_be_unserved) return false;
  TRY_ASSIGN(kube::Client * client, access_.client());
  const job::Kind& kind = *rendered_.kind;
  // If discovery fails, the first answer stands.
  const auto has_v1 = kube::serves(*client, kind.resource);
  if (!has_v1 || *has_v1) return false;
  const auto has_trainer = kube::serves(*client, job::train_job_kind().resource);
  has_neither_ = has_trainer && !*has_trainer;
  if (!has_trainer || has_neither_) return false;
  access_.console.notice(cat("the cluster does not serve ", kind.resource.kind,
                             ": submitting a TrainJob of Kubeflow Trainer"));
  TRY(choose_runtime());
  TRY(make());
  return true;
}

// The names of the newest Trainer come first. An older one says that it does not know them.
Result<bool> Submission::switch_patch(const Error& refusal) {
  if (!made_ || knows_patch_ || !mentions(refusal, k_unknown_field)) return false;
  knows_patch_ = true;
  TRY_ASSIGN(kube::Client * client, access_.client());
  const auto document = kube::openapi_of(*client, job::train_job_kind().resource);
  if (!document) return false;
  const auto field = job::patch_field_of(*document);
  if (!field || *field == target_.patch) return false;
  target_.patch = *field;
  TRY(make());
  return true;
}

Error Submission::explained(Error refusal) const {
  const job::Kind& kind = *rendered_.kind;
  if (has_neither_ && refusal.code == Code::not_found && job::find_framework(kind) != nullptr) {
    refusal.hint = cat("install ", provider_of(job::train_job_kind()), " or ", provider_of(kind),
                       ", or choose another --context");
  }
  if (!made_) return refusal;
  if (refusal.code == Code::auth && owns_runtime(*made_) &&
      mentions(refusal, job::k_training_runtimes.plural)) {
    job::Target bare = target_;
    bare.own_runtime = job::OwnRuntime::never;
    const auto without = job::convert(kind, rendered_.object, bare);
    const auto flags = without ? job::flags_behind(*rendered_.line, bare, without->losses)
                               : std::vector<std::string>();
    refusal.hint =
        flags.empty()
            ? cat("name an existing runtime with --runtime: trainctl runtimes -n ", rendered_.ns)
            : cat("leave out the flags that need a TrainingRuntime of the job's own: ",
                  join(flags, ", "));
    return refusal;
  }
  if (is_missing_runtime(refusal) && !owns_runtime(*made_)) {
    refusal.hint = cat(runtimes_for(access_, rendered_.ns, kind), " (--runtime NAME)");
  }
  return refusal;
}

}  // namespace trainctl::work
