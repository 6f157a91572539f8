// The store: every object in memory, each change written to SQLite before anybody sees it.
#include "local/store/store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "local/store/changes.h"
#include "local/store/database.h"
#include "local/store/object_form.h"

namespace trainctl::local {
namespace {

constexpr auto k_event_life = std::chrono::hours(1);

// True when metadata.generation must grow: the specification differs, or the deletion begins.
bool counts_as_new_generation(const Json& before, const Json& object) {
  return !same_specification(before, object) ||
         (kube::is_being_deleted(object) && !kube::is_being_deleted(before));
}

}  // namespace

void set_birth(const ServedResource& resource, Json& object, Time now) {
  set_at(object, "/kind", resource.resource.kind);
  set_at(object, "/apiVersion", resource.resource.api_version());
  set_at(object, "/metadata/uid", new_uid());
  set_at(object, "/metadata/creationTimestamp", whole_seconds(now));
  if (resource.has_generation) set_at(object, "/metadata/generation", 1);
}

ApiError name_taken(const ServedResource& resource, const Json& existing) {
  ApiError error = already_exists(resource.qualified(), text_at(existing, "/metadata/name"));
  if (kube::is_being_deleted(existing)) error.message = "object is being deleted: " + error.message;
  return error;
}

ApiError modified_meanwhile(const ServedResource& resource, std::string_view name) {
  return conflict(resource.qualified(), name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

bool is_event(const ServedResource& resource) {
  return resource.resource.group.empty() && resource.resource.plural == kube::k_events.plural;
}

namespace {

// When an event expires: an hour after it was last written, like the API server's --event-ttl.
Time event_expiry(const Json& event) {
  Time written{};
  for (const char* stamp : {"/metadata/creationTimestamp", "/lastTimestamp", "/eventTime",
                            "/series/lastObservedTime"}) {
    written = std::max(written, parse_time(text_at(event, stamp)).value_or(Time{}));
  }
  return written + k_event_life;
}

}  // namespace

void modify(Store& store, const ServedResource& resource, std::string_view ns,
            std::string_view name, const std::function<void(Json& object)>& change) {
  const std::shared_ptr<const Json> found = store.get(resource, ns, name);
  if (!found) return;
  Json object = *found;
  change(object);
  (void)store.update(resource, std::move(object));
}

bool is_owned_by(const Json& object, std::string_view uid) {
  const Json& owners = array_at(object, "/metadata/ownerReferences");
  return std::ranges::any_of(owners,
                             [uid](const Json& owner) { return text_at(owner, "/uid") == uid; });
}

namespace {

// The objects of one resource in the store's memory: as JSON text, and parsed while they are in
// use, because a parsed object takes six times the size of its text.
class StoredObject {
 public:
  StoredObject(std::pmr::memory_resource& pool, std::string_view text,
               std::shared_ptr<const Json> parsed)
      : text_(text, &pool), parsed_(std::move(parsed)) {}

  std::shared_ptr<const Json> json() const;
  // Frees the parsed form; false when there was none.
  bool rest();

 private:
  std::pmr::string text_;  // known to be valid JSON
  mutable std::shared_ptr<const Json> parsed_;
};

// Objects by key, allocated in `pool`: small objects among short-lived memory would each pin a
// page.
using StoredObjects = std::pmr::map<std::pmr::string, StoredObject, std::less<>>;

void put(StoredObjects& objects, std::string_view key, std::string_view text,
         std::shared_ptr<const Json> parsed) {
  std::pmr::memory_resource& pool = *objects.get_allocator().resource();
  objects.insert_or_assign(std::pmr::string(key, &pool),
                           StoredObject(pool, text, std::move(parsed)));
}

std::shared_ptr<const Json> StoredObject::json() const {
  if (!parsed_) {
    auto parsed = parse_json(text_, "a stored object");
    parsed_ = std::make_shared<const Json>(parsed ? *std::move(parsed) : Json::object());
  }
  return parsed_;
}

bool StoredObject::rest() {
  return std::exchange(parsed_, nullptr) != nullptr;
}

// The limits of etcd for one request, and of its client for sending.
constexpr std::size_t k_largest_object = 1'572'864;
constexpr std::size_t k_largest_message = 2'097'152;

// Above this size, the pool's rounding costs more than a page that is not shared.
constexpr std::size_t k_largest_pooled = 1024;

using Shared = std::shared_ptr<const Json>;

// etcd orders keys by the bytes of "NAMESPACE/NAME".
std::string key_of(const ServedResource& resource, std::string_view ns, std::string_view name) {
  return resource.namespaced ? cat(ns, '/', name) : std::string(name);
}

std::string key_of(const ServedResource& resource, const Json& object) {
  return key_of(resource, text_at(object, "/metadata/namespace"),
                text_at(object, "/metadata/name"));
}

std::optional<ApiError> too_large(std::size_t bytes) {
  if (bytes > k_largest_message) {
    return ApiError{500, "",
                    cat("rpc error: code = ResourceExhausted desc = trying to send message larger "
                        "than max (",
                        bytes, " vs. ", k_largest_message, ")")};
  }
  if (bytes > k_largest_object) return ApiError{500, "", "etcdserver: request is too large"};
  return std::nullopt;
}

class SqliteStore : public Store {
 public:
  SqliteStore(Loop& loop, std::unique_ptr<Database> database)
      : loop_(loop), database_(std::move(database)), changes_(loop) {}

  Status load();

  Shared get(const ServedResource& resource, std::string_view ns,
             std::string_view name) const override;
  std::vector<Shared> list(const ServedResource& resource, std::string_view ns,
                           std::string_view name_prefix) const override;
  std::int64_t version() const override { return version_; }
  Time now() const override { return loop_.now(); }
  Answered<Json> create(const ServedResource& resource, Json object) override;
  Answered<Json> update(const ServedResource& resource, Json object) override;
  Answered<Json> remove(const ServedResource& resource, std::string_view ns,
                        std::string_view name) override;
  HandlePtr subscribe(std::function<void(const Change&)> callback) override {
    return changes_.subscribe(std::move(callback));
  }
  bool changes_since(std::int64_t version, std::vector<Change>& changes) const override {
    return changes_.since(version, changes);
  }
  bool rest() override;

 private:
  StoredObjects& objects_of(const ServedResource& resource) {
    return objects_.try_emplace(&resource, &pool_).first->second;
  }

  Shared with_key(const ServedResource& resource, std::string_view key) const;
  Answered<Json> commit(ChangeType type, const ServedResource& resource, const std::string& key,
                        Json object, Shared before);
  Status write(ChangeType type, const StoredRow& row, std::int64_t version);
  void expire_events_at(Time time);
  void expire_events();

  Loop& loop_;
  std::unique_ptr<Database> database_;
  std::pmr::unsynchronized_pool_resource pool_{std::pmr::pool_options{0, k_largest_pooled}};
  std::map<const ServedResource*, StoredObjects> objects_;
  std::int64_t version_ = 1;
  ChangeFeed changes_;
  HandlePtr expiry_;
};

Status SqliteStore::load() {
  const auto take = [this](const StoredRow& row) -> Status {
    for (const ServedResource& resource : served_resources()) {
      if (row.resource != resource.qualified()) continue;
      TRY_ASSIGN(Json object, parse_json(row.object, cat(row.resource, ' ', row.key)));
      put(objects_of(resource), row.key, row.object,
          std::make_shared<const Json>(std::move(object)));
    }
    return {};
  };
  TRY_ASSIGN(version_, database_->load(take));
  changes_.begin_at(version_);
  expire_events();
  return {};
}

Shared SqliteStore::get(const ServedResource& resource, std::string_view ns,
                        std::string_view name) const {
  return with_key(resource, key_of(resource, ns, name));
}

Shared SqliteStore::with_key(const ServedResource& resource, std::string_view key) const {
  const auto objects = objects_.find(&resource);
  if (objects == objects_.end()) return nullptr;
  const auto found = objects->second.find(key);
  return found == objects->second.end() ? nullptr : found->second.json();
}

std::vector<Shared> SqliteStore::list(const ServedResource& resource, std::string_view ns,
                                      std::string_view name_prefix) const {
  std::vector<Shared> found;
  const auto objects = objects_.find(&resource);
  if (objects == objects_.end()) return found;
  const bool everywhere = ns.empty() || !resource.namespaced;
  const std::string prefix = everywhere ? "" : cat(ns, '/', name_prefix);
  auto row = objects->second.lower_bound(std::string_view(prefix));
  for (; row != objects->second.end() && row->first.starts_with(prefix); ++row) {
    found.push_back(row->second.json());
  }
  return found;
}

bool SqliteStore::rest() {
  bool given = changes_.forget_all();
  for (auto& [resource, objects] : objects_) {
    for (auto& [key, object] : objects) given = object.rest() || given;
  }
  if (given) database_->rest();
  return given;
}

Answered<Json> SqliteStore::create(const ServedResource& resource, Json object) {
  const std::string key = key_of(resource, object);
  if (const Shared taken = with_key(resource, key)) return name_taken(resource, *taken);
  set_birth(resource, object, loop_.now());
  return commit(ChangeType::added, resource, key, std::move(object), nullptr);
}

Answered<Json> SqliteStore::update(const ServedResource& resource, Json object) {
  const std::string key = key_of(resource, object);
  const std::string name = text_at(object, "/metadata/name");
  const Shared before = with_key(resource, key);
  if (!before) return not_found(resource.qualified(), name);

  const std::string current = text_at(*before, "/metadata/resourceVersion");
  const std::string given = text_at(object, "/metadata/resourceVersion", current);
  if (!given.empty() && given != current) return modified_meanwhile(resource, name);

  set_at(object, "/kind", resource.resource.kind);
  set_at(object, "/apiVersion", resource.resource.api_version());
  for (const char* kept : {"/metadata/uid", "/metadata/creationTimestamp",
                           "/metadata/resourceVersion", "/metadata/generation"}) {
    if (const Json* value = find(*before, kept)) set_at(object, kept, *value);
  }
  if (same_value(object, *before)) return *before;
  if (resource.has_generation && counts_as_new_generation(*before, object)) {
    set_at(object, "/metadata/generation", int_at(*before, "/metadata/generation").value_or(0) + 1);
  }
  return commit(ChangeType::modified, resource, key, std::move(object), before);
}

Answered<Json> SqliteStore::remove(const ServedResource& resource, std::string_view ns,
                                   std::string_view name) {
  const std::string key = key_of(resource, ns, name);
  const Shared before = with_key(resource, key);
  if (!before) return not_found(resource.qualified(), name);
  return commit(ChangeType::deleted, resource, key, *before, before);
}

Answered<Json> SqliteStore::commit(ChangeType type, const ServedResource& resource,
                                   const std::string& key, Json object, Shared before) {
  const std::int64_t version = version_ + 1;
  set_at(object, "/metadata/resourceVersion", std::to_string(version));
  auto shared = std::make_shared<const Json>(std::move(object));
  const StoredRow row{resource.qualified(), key, dump(*shared)};
  if (type != ChangeType::deleted) {
    if (auto refused = too_large(row.object.size())) return *std::move(refused);
  }
  if (const Status written = write(type, row, version); !written) {
    return ApiError{500, "InternalError", "Internal error occurred: " + written.error().message};
  }
  version_ = version;
  if (type == ChangeType::deleted) {
    StoredObjects& objects = objects_of(resource);
    objects.erase(objects.find(std::string_view(key)));
  } else {
    put(objects_of(resource), key, row.object, shared);
  }
  if (is_event(resource) && !expiry_) expire_events_at(event_expiry(*shared));
  changes_.push({type, &resource, version, shared, std::move(before)});
  return *shared;
}

Status SqliteStore::write(ChangeType type, const StoredRow& row, std::int64_t version) {
  if (type == ChangeType::deleted) return database_->erase(row.resource, row.key, version);
  const bool begins =
      type == ChangeType::added && row.resource != resource_of(kube::k_events).qualified();
  return database_->put(row, version, begins ? OnFullDisk::refuse : OnFullDisk::use_reserve);
}

void SqliteStore::expire_events_at(Time time) {
  // Makes at most one pass a minute, so that events which were created one by one do not expire one
  // by one.
  const Duration wait = std::max<Duration>(time - loop_.now(), std::chrono::minutes(1));
  expiry_ = loop_.after(wait, [this] { expire_events(); });
}

void SqliteStore::expire_events() {
  expiry_ = nullptr;
  const ServedResource& events = resource_of(kube::k_events);
  std::optional<Time> next;
  for (const Shared& event : list(events, "", "")) {
    const Time end = event_expiry(*event);
    const bool gone = end <= loop_.now() && std::holds_alternative<Json>(remove(
                                                events, text_at(*event, "/metadata/namespace"),
                                                text_at(*event, "/metadata/name")));
    if (!gone) next = next ? std::min(*next, end) : end;
  }
  if (next) expire_events_at(*next);
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(Loop& loop, const std::string& path) {
  TRY_ASSIGN(std::unique_ptr<Database> database, Database::open(path));
  auto store = std::make_unique<SqliteStore>(loop, std::move(database));
  TRY(store->load());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace trainctl::local
