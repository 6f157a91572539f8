// Reads and writes metadata alone: a map holds a megabyte.
#include "cli/jobs/shared_maps.h"

#include "base/text.h"
#include "cli/jobs/code_users.h"
#include "cli/jobs/manifest.h"
#include "cli/jobs/marked_create.h"
#include "cli/jobs/removal.h"
#include "job/kind/names.h"
#include "job/manifest/code.h"
#include "job/manifest/render.h"
#include "kube/backoff.h"
#include "kube/collection.h"
#include "kube/metadata.h"
#include "net/url.h"

namespace trainctl::cli {
namespace {

constexpr Duration k_patience = std::chrono::seconds(30);
constexpr Duration k_orphan_age = std::chrono::hours(1);
constexpr int k_not_found = 404;
constexpr int k_conflict = 409;

void ask_for_metadata(net::Request& request, std::string_view kind) {
  request.headers.push_back(
      {"Accept", cat("application/json;as=", kind, ";g=meta.k8s.io;v=v1, application/json")});
}

bool is_going(const Json& object) {
  return trainctl::find(object, "/metadata/deletionTimestamp") != nullptr;
}

bool is_unowned(const Json& object) {
  return array_at(object, "/metadata/ownerReferences").empty() && !is_going(object);
}

}  // namespace

bool is_shared_map(const Json& object, const job::Companion& companion) {
  const std::string label = kube::label_pointer(job::k_label_code);
  return true_at(object, "/immutable") &&
         text_at(object, label) == text_at(companion.object, label);
}

void SharedMaps::look() {
  found_.clear();
  kube::ListOptions options;
  options.label_selector = std::string(job::k_label_code);
  auto request = kube::list_request(job::k_config_maps, ns_, options, "");
  if (!request) return;
  ask_for_metadata(*request, "PartialObjectMetadataList");
  auto answer = client_.call(*std::move(request));
  const Json* list = std::get_if<Json>(&answer);
  if (list == nullptr) return;
  for (const Json& item : array_at(*list, "/items")) {
    found_.emplace(text_at(item, "/metadata/name"), item);
  }
}

const Json* SharedMaps::find(const std::string& name) const {
  const auto found = found_.find(name);
  return found == found_.end() || is_going(found->second) ? nullptr : &found->second;
}

std::variant<Json, kube::Failure> SharedMaps::patch_owners(const Json& there, const Json& added) {
  Json references = array_at(there, "/metadata/ownerReferences");
  references.insert(references.end(), added.begin(), added.end());
  const Json patch = {{"metadata",
                       {{"uid", text_at(there, "/metadata/uid")},
                        {"resourceVersion", text_at(there, "/metadata/resourceVersion")},
                        {"ownerReferences", std::move(references)}}}};
  auto path = kube::object_path(job::k_config_maps, ns_, text_at(there, "/metadata/name"));
  if (!path) return kube::Failure{std::move(path).error(), {}};
  net::Request request;
  request.method = "PATCH";
  request.target = *std::move(path);
  request.headers.push_back({"Content-Type", "application/merge-patch+json"});
  request.body = dump(patch);
  ask_for_metadata(request, "PartialObjectMetadata");
  return client_.call(std::move(request));
}

Status SharedMaps::make_again(const job::Companion& companion, const Json& reference) {
  Json object = companion.object;
  object["metadata"]["ownerReferences"] = Json::array({reference});
  Outcome outcome = create_marked(context_, client_,
                                  {companion.resource, ns_, object, mark_, "configmap",
                                   cat("kubectl get ", companion.title())});
  if (auto* failed = std::get_if<NotMade>(&outcome)) return std::move(failed->error);
  return {};
}

Status SharedMaps::own(const job::Companion& companion, Json there, const Json& reference) {
  kube::Backoff backoff(k_patience);
  const std::string uid = text_at(reference, "/uid");
  for (;;) {
    for (const Json& owner : array_at(there, "/metadata/ownerReferences")) {
      if (text_at(owner, "/uid") == uid) return {};
    }
    auto answer = patch_owners(there, Json::array({reference}));
    const auto* failure = std::get_if<kube::Failure>(&answer);
    if (failure == nullptr) return {};
    const int status = failure->refusal.status;
    const bool may_mend =
        status == k_not_found || status == k_conflict || failure->error.code == Code::unreachable;
    if (!may_mend) return failure->error;
    const auto delay = backoff.delay_in_trouble(context_.loop.now(), std::nullopt);
    if (!delay) return failure->error;
    if (status == k_not_found) TRY(make_again(companion, reference));
    if (status == 0) TRY(pause(client_, *delay));
    // Somebody else has changed its owners, or the answer was lost.
    auto now = client_.get(companion.resource, ns_, companion.name());
    if (now) there = *std::move(now);
  }
}

Status SharedMaps::remove(const job::Companion& companion, const Json& made) {
  kube::DeleteOptions options;
  options.uid = text_at(made, "/metadata/uid");
  options.version = text_at(made, "/metadata/resourceVersion");
  Status removed = client_.remove(companion.resource, ns_, companion.name(), options);
  // Who has become its owner needs it.
  if (!removed && removed.error().code == Code::not_found) return {};
  if (!removed && removed.error().code == Code::refused) return {};
  return removed;
}

bool SharedMaps::is_orphan(const Json& object) const {
  const std::string owner = job::as_label_value(user_name(context_));
  const auto created = parse_time(text_at(object, "/metadata/creationTimestamp"));
  return is_unowned(object) && !owner.empty() &&
         text_at(object, kube::label_pointer(job::k_label_owner)) == owner && created &&
         context_.loop.now() - *created > k_orphan_age;
}

void SharedMaps::adopt(const Json& job) {
  const auto user = code_user(job);
  if (!user) return;
  look();
  for (const auto& [name, object] : found_) {
    if (is_unowned(object) && uses(*user, object))
      patch_owners(object, Json::array({user->reference}));
  }
}

void SharedMaps::sweep() {
  std::vector<const Json*> orphans;
  for (const auto& [name, object] : found_) {
    if (is_orphan(object)) orphans.push_back(&object);
  }
  if (orphans.empty()) return;
  const auto users = code_users(context_, ns_);
  if (!users) return;
  for (const Json* object : orphans) {
    Json owners = Json::array();
    for (const CodeUser& user : *users) {
      if (uses(user, *object)) owners.push_back(user.reference);
    }
    // The map goes with the last of its owners, so each job that needs it must be one.
    if (owners.empty()) {
      remove_orphan(*object);
    } else {
      patch_owners(*object, owners);
    }
  }
}

void SharedMaps::remove_orphan(const Json& object) {
  const std::string name = text_at(object, "/metadata/name");
  kube::DeleteOptions options;
  options.uid = text_at(object, "/metadata/uid");
  options.version = text_at(object, "/metadata/resourceVersion");
  if (client_.remove(job::k_config_maps, ns_, name, options)) {
    context_.console.notice(cat("configmap/", name, " of an interrupted submit was deleted"));
  }
}

}  // namespace trainctl::cli
