// Looks for everything that the manifest names before anything is created.
#include "work/create/rerun.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "job/manifest/rerun.h"

namespace trainctl::work {
namespace {

bool is_owned_by(const Json& object, const std::string& uid) {
  return std::ranges::any_of(array_at(object, "/metadata/ownerReferences"),
                             [&uid](const Json& owner) { return text_at(owner, "/uid") == uid; });
}

// Its data is not needed, and a secret's is best forgotten.
Json without_content(const Json& object) {
  return {{"apiVersion", text_at(object, "/apiVersion")},
          {"kind", text_at(object, "/kind")},
          {"metadata", *find(object, "/metadata")}};
}

Error lost(const job::NeededObject& needed, const FoundJob& job) {
  return {Code::not_found, cat(needed.title(), ", which ", job.name(), " uses, is gone"),
          cat("create it again: kubectl create ", lower(needed.resource.kind),
              needed.resource.kind == job::k_secrets.kind ? " generic " : " ",
              shell_quoted(needed.name), " -n ", job.ns())};
}

}  // namespace

Result<std::shared_ptr<const job::JobFile>> read_for_rerun(Access& access, const FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, access.client());
  auto file = std::make_shared<job::JobFile>();
  file->job = job::rerun_manifest(*job.kind, job.object);
  for (const job::NeededObject& needed : job::needed_objects(file->job)) {
    auto object = client->get(needed.resource, job.ns(), needed.name);
    if (object) {
      if (is_owned_by(*object, job.uid())) {
        file->companions.push_back({needed.resource, without_content(*object)});
      }
      continue;
    }
    Error error = std::move(object).error();
    if (error.code == Code::not_found && needed.is_optional) continue;
    if (error.code == Code::not_found) return lost(needed, job);
    if (error.code != Code::auth) return error;
    access.console.notice(cat("not permitted to read ", needed.title(), ": if it belongs to ",
                              job.name(), ", it is deleted with it"));
  }
  return std::shared_ptr<const job::JobFile>(std::move(file));
}

}  // namespace trainctl::work
