// The garbage collector and the namespace controller, on the store's changes.
#include "local/api/garbage.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "local/store/object_form.h"
#include "local/store/store.h"

namespace trainctl::local {
namespace {

constexpr auto k_try_again = std::chrono::seconds(5);

using Shared = std::shared_ptr<const Json>;

struct Found {
  const ServedResource* resource;
  Shared object;
};

// Events neither own nor are owned, and there are many of them.
std::vector<Found> objects_in(const Store& store, std::string_view ns) {
  std::vector<Found> found;
  for (const ServedResource& resource : served_resources()) {
    if (!resource.namespaced || is_event(resource)) continue;
    for (Shared& object : store.list(resource, ns)) found.push_back({&resource, std::move(object)});
  }
  return found;
}

std::vector<Found> dependents_of(const Store& store, const Json& owner) {
  const std::string uid = text_at(owner, "/metadata/uid");
  std::vector<Found> found = objects_in(store, text_at(owner, "/metadata/namespace"));
  std::erase_if(found, [&](const Found& one) { return !is_owned_by(*one.object, uid); });
  return found;
}

const ServedResource* resource_of_reference(const Json& reference) {
  for (const ServedResource& resource : served_resources()) {
    if (resource.resource.kind == text_at(reference, "/kind") &&
        resource.resource.api_version() == text_at(reference, "/apiVersion")) {
      return &resource;
    }
  }
  return nullptr;
}

// True when the owner is gone, or another object has its name. An owner of a kind that is not
// served counts as existing, because it may be elsewhere.
bool is_gone(const Store& store, const Json& reference, std::string_view ns) {
  const ServedResource* resource = resource_of_reference(reference);
  if (resource == nullptr) return false;
  const Shared owner = store.get(*resource, ns, text_at(reference, "/name"));
  return !owner || text_at(*owner, "/metadata/uid") != text_at(reference, "/uid");
}

}  // namespace

struct GarbageCollector::State {
  State(Loop& event_loop, Store& objects) : loop(event_loop), store(objects) {
    subscription = store.subscribe([this](const Change& change) { take(change); });
    sweep_later(Duration::zero());
  }

  // Checks everything once, for work that a former daemon left unfinished, or that a full disk
  // refused.
  void sweep_later(Duration wait) {
    timer = loop.after(wait, [this] { sweep(); });
  }

  void sweep() {
    timer = nullptr;
    for (const Found& one : objects_in(store, "")) check_owners(*one.resource, *one.object);
    for (const Shared& ns : store.list(resource_of(kube::k_namespaces), "")) empty_namespace(*ns);
  }

  void take(const Change& change) {
    if (is_event(*change.resource)) return finish_namespace(*change.object);
    if (change.resource == &resource_of(kube::k_namespaces)) return empty_namespace(*change.object);
    if (change.type != ChangeType::deleted) {
      if (const Shared now = current(*change.resource, *change.object)) {
        check_owners(*change.resource, *now);
      }
      return change.type == ChangeType::added ? finish_namespace(*change.object) : void();
    }
    for (const Found& one : dependents_of(store, *change.object)) {
      check_owners(*one.resource, *one.object);
    }
    finish_namespace(*change.object);
  }

  // Changes are delivered a turn later, when another object may already have the name.
  Shared current(const ServedResource& resource, const Json& object) const {
    Shared found = store.get(resource, text_at(object, "/metadata/namespace"),
                             text_at(object, "/metadata/name"));
    const bool same = found && text_at(*found, "/metadata/uid") == text_at(object, "/metadata/uid");
    return same ? found : nullptr;
  }

  void check_owners(const ServedResource& resource, const Json& object) {
    const Json& references = array_at(object, "/metadata/ownerReferences");
    if (references.empty() || kube::is_being_deleted(object)) return;
    Json living = Json::array();
    for (const Json& reference : references) {
      if (!is_gone(store, reference, text_at(object, "/metadata/namespace"))) {
        living.push_back(reference);
      }
    }
    if (living.empty()) return remove(resource, object);
    if (living.size() < references.size()) set_owners(resource, object, std::move(living));
  }

  void set_owners(const ServedResource& resource, const Json& object, Json owners) {
    const Shared before = current(resource, object);
    if (!before) return;
    Json edited = *before;
    edited["metadata"]["ownerReferences"] = std::move(owners);
    retry_when_failed(update_or_finish(store, resource, std::move(edited)));
  }

  void remove(const ServedResource& resource, const Json& object) {
    retry_when_failed(delete_object(store, loop.now(), resource,
                                    text_at(object, "/metadata/namespace"),
                                    text_at(object, "/metadata/name"), -1));
  }

  void retry_when_failed(const Answered<Json>& answer) {
    const ApiError* error = std::get_if<ApiError>(&answer);
    if (error != nullptr && error->code >= 500) sweep_later(k_try_again);
  }

  void empty_namespace(const Json& ns) {
    if (!kube::is_being_deleted(ns)) return;
    const std::string name = text_at(ns, "/metadata/name");
    for (const ServedResource& resource : served_resources()) {
      if (!resource.namespaced) continue;
      for (const Shared& object : store.list(resource, name)) {
        if (!kube::is_being_deleted(*object)) remove(resource, *object);
      }
    }
    remove_when_empty(name);
  }

  // Called after a change in a namespace that is being deleted.
  void finish_namespace(const Json& object) {
    const std::string name = text_at(object, "/metadata/namespace");
    const Shared ns = store.get(resource_of(kube::k_namespaces), "", name);
    if (ns) empty_namespace(*ns);
  }

  void remove_when_empty(const std::string& name) {
    for (const ServedResource& resource : served_resources()) {
      if (resource.namespaced && !store.list(resource, name).empty()) return;
    }
    retry_when_failed(store.remove(resource_of(kube::k_namespaces), "", name));
  }

  Loop& loop;
  Store& store;
  HandlePtr subscription;
  HandlePtr timer;
};

GarbageCollector::GarbageCollector(Loop& loop, Store& store)
    : state_(std::make_unique<State>(loop, store)) {}

GarbageCollector::~GarbageCollector() = default;

}  // namespace trainctl::local
