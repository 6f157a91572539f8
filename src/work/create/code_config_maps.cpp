// Reads and writes metadata alone: a map holds a megabyte.
#include "work/create/code_config_maps.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/client/metadata_requests.h"
#include "kube/object/metadata.h"
#include "manifest/code.h"
#include "manifest/kind/names.h"
#include "manifest/render.h"
#include "work/access.h"
#include "work/create/manifest.h"
#include "work/create/marked_create.h"
#include "work/find/find_job.h"

namespace trainctl::work {
namespace {

// Finds the jobs that need the config maps of `--code`, from their annotations.
struct JobUsingCode {
  std::string digest;  // "sha256:…", as the job records it
  Json reference;      // the job as an owner of other objects
};

// The job, when it records which code it runs.
std::optional<JobUsingCode> job_using_code(const Json& job) {
  const job::Kind* kind = job::kind_of(job);
  const std::string digest = text_at(job::code_of(job), "/digest");
  if (kind == nullptr || digest.empty()) return std::nullopt;
  return JobUsingCode{digest, kube::owner_reference(kind->resource, job)};
}

// True when the config map holds a piece of the code that the job runs.
bool uses(const JobUsingCode& user, const Json& map) {
  const std::string label = text_at(map, kube::label_pointer(job::k_label_code));
  return !label.empty() && user.digest.starts_with("sha256:" + label);
}

// All jobs of the namespace that record their code. nullopt when a kind of job could not be listed:
// then a map that seems unused may still be needed.
std::optional<std::vector<JobUsingCode>> jobs_using_code(Access& access, const std::string& ns) {
  const auto answers = ask_of_kinds(access, nullptr, nullptr, [&ns](const job::Kind& kind) {
    return Listing{kind.resource, ns};
  });
  if (!answers) return std::nullopt;
  std::vector<JobUsingCode> users;
  for (const Listing& listing : answers->listings) {
    if (listing.failure && !kind_missing(*listing.failure)) return std::nullopt;
    for (const Json& job : listing.objects) {
      if (auto user = job_using_code(job)) users.push_back(*std::move(user));
    }
  }
  return users;
}

constexpr Duration k_orphan_age = std::chrono::hours(1);

bool is_unowned(const Json& object) {
  return array_at(object, "/metadata/ownerReferences").empty() && !kube::is_being_deleted(object);
}

}  // namespace

bool is_shared_map(const Json& object, const job::DependentObject& companion) {
  const std::string label = kube::label_pointer(job::k_label_code);
  return true_at(object, "/immutable") &&
         text_at(object, label) == text_at(companion.object, label);
}

void CodeConfigMaps::look() {
  found_.clear();
  kube::ListOptions options;
  options.label_selector = std::string(job::k_label_code);
  auto answer = kube::list_metadata(client_, job::k_config_maps, ns_, options);
  const Json* list = std::get_if<Json>(&answer);
  if (list == nullptr) return;
  for (const Json& item : array_at(*list, "/items")) {
    found_.emplace(text_at(item, "/metadata/name"), item);
  }
}

const Json* CodeConfigMaps::find(const std::string& name) const {
  const auto found = found_.find(name);
  return found == found_.end() || kube::is_being_deleted(found->second) ? nullptr : &found->second;
}

Status CodeConfigMaps::make_again(const job::DependentObject& companion, const Json& reference) {
  Json object = companion.object;
  object["metadata"]["ownerReferences"] = Json::array({reference});
  Outcome outcome = create_marked(access_, client_,
                                  {companion.resource, ns_, object, mark_, "configmap",
                                   cat("kubectl get ", companion.title())});
  if (auto* failed = std::get_if<NotMade>(&outcome)) return std::move(failed->error);
  return {};
}

Status CodeConfigMaps::own(const job::DependentObject& companion, Json there,
                           const Json& reference) {
  return become_owner(access_, client_, ns_, companion, std::move(there), reference,
                      [&] { return make_again(companion, reference); });
}

Status CodeConfigMaps::remove(const job::DependentObject& companion, const Json& made) {
  kube::DeleteOptions options;
  options.uid = text_at(made, "/metadata/uid");
  options.version = text_at(made, "/metadata/resourceVersion");
  Status removed = client_.remove(companion.resource, ns_, companion.name(), options);
  if (!removed && removed.error().code == Code::not_found) return {};
  if (removed || removed.error().code != Code::refused) return removed;
  // Another job has adopted it: leave it. Else somebody refuses its deletion.
  const auto there = client_.get(companion.resource, ns_, companion.name());
  if (!there) return there.error().code == Code::not_found ? Status() : removed;
  return is_unowned(*there) ? removed : Status();
}

bool CodeConfigMaps::is_orphan(const Json& object) const {
  const std::string owner = job::as_label_value(access_.user_name());
  const auto created = parse_time(text_at(object, "/metadata/creationTimestamp"));
  return is_unowned(object) && !owner.empty() &&
         text_at(object, kube::label_pointer(job::k_label_owner)) == owner && created &&
         access_.loop.now() - *created > k_orphan_age;
}

void CodeConfigMaps::adopt(const Json& job) {
  const auto user = job_using_code(job);
  if (!user) return;
  look();
  for (const auto& [name, object] : found_) {
    if (is_unowned(object) && uses(*user, object))
      kube::add_owners(client_, job::k_config_maps, ns_, object, Json::array({user->reference}));
  }
}

void CodeConfigMaps::sweep() {
  std::vector<const Json*> orphans;
  for (const auto& [name, object] : found_) {
    if (is_orphan(object)) orphans.push_back(&object);
  }
  if (orphans.empty()) return;
  const auto users = jobs_using_code(access_, ns_);
  if (!users) return;
  for (const Json* object : orphans) {
    Json owners = Json::array();
    for (const JobUsingCode& user : *users) {
      if (uses(user, *object)) owners.push_back(user.reference);
    }
    // The map goes with the last of its owners, so each job that needs it must be one.
    if (owners.empty()) {
      remove_orphan(*object);
    } else {
      kube::add_owners(client_, job::k_config_maps, ns_, *object, owners);
    }
  }
}

void CodeConfigMaps::remove_orphan(const Json& object) {
  const std::string name = text_at(object, "/metadata/name");
  kube::DeleteOptions options;
  options.uid = text_at(object, "/metadata/uid");
  options.version = text_at(object, "/metadata/resourceVersion");
  if (client_.remove(job::k_config_maps, ns_, name, options)) {
    access_.console.notice(cat("configmap/", name, " of an interrupted submit was deleted"));
  }
}

}  // namespace trainctl::work
