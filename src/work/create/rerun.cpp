// Looks for everything that the manifest names before anything is created.
#include "work/create/rerun.h"

#include <utility>
#include <variant>

#include "base/text/text.h"
#include "job/manifest/claims.h"
#include "job/manifest/needed_objects.h"
#include "job/manifest/predecessors.h"
#include "job/manifest/rerun.h"
#include "job/preflight/presence.h"
#include "kube/client/metadata_requests.h"
#include "kube/object/metadata.h"

namespace trainctl::work {
namespace {

Error lost(const job::NeededObject& needed, const FoundJob& job) {
  return {Code::not_found, cat(needed.title(), ", which ", job.name(), " uses, is gone"),
          cat("create it again: ", job::remedy_for_missing(needed, job.ns()))};
}

}  // namespace

Result<std::shared_ptr<const job::JobFile>> read_for_rerun(Access& access, const FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto file = std::make_shared<job::JobFile>();
  file->job = job::rerun_manifest(*job.kind, job.object);
  if (job::waits_for_jobs(*job.kind, job.object)) {
    access.console.warn(cat(job.name(),
                            " waits for other jobs, but this run does not: --after or --after-ok "
                            "makes it wait"));
  }
  for (const job::NeededObject& needed : job::needed_objects(file->job)) {
    // Few claims belong to a job: one that is missing or may not be read is the check's concern.
    const bool is_claim = job::is_claim(needed.resource);
    if (!is_claim && !job::goes_with_its_job(needed.resource)) continue;
    auto answer = kube::get_metadata(*client, needed.resource, job.ns(), needed.name);
    if (Json* object = std::get_if<Json>(&answer)) {
      if (kube::has_owner(*object, job.uid())) {
        file->companions.push_back({needed.resource, std::move(*object)});
      }
      continue;
    }
    const Error& error = std::get<kube::Failure>(answer).error;
    if (is_claim && (error.code == Code::not_found || error.code == Code::auth)) continue;
    if (error.code == Code::not_found && needed.need != job::Need::required) continue;
    if (error.code == Code::not_found) return lost(needed, job);
    if (error.code != Code::auth) return error;
    access.console.notice(cat("not permitted to read ", needed.title(), ": if ", job.name(),
                              " owns it, both are deleted together"));
  }
  return std::shared_ptr<const job::JobFile>(std::move(file));
}

}  // namespace trainctl::work
