// The objects of the embedded cluster: versions, conflicts and changes as etcd and the API server
// give them, kept in SQLite so that they survive the daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/loop.h"
#include "base/result.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

enum class ChangeType { added, modified, deleted };

struct Change {
  ChangeType type = ChangeType::added;
  const ServedResource* resource = nullptr;
  std::int64_t version = 0;
  std::shared_ptr<const Json> object;  // for deleted: the last state, with the deletion's version
  std::shared_ptr<const Json> before;  // null for added
};

class Store {
 public:
  // Opens or makes the database; ":memory:" keeps nothing. Code::error with the path and the reason
  // when it cannot be read or written.
  static Result<std::unique_ptr<Store>> open(Loop& loop, const std::string& path);
  virtual ~Store() = default;

  virtual std::shared_ptr<const Json> get(const ServedResource& resource, std::string_view ns,
                                          std::string_view name) const = 0;
  // Ordered by namespace and name; empty ns = all namespaces. In one namespace also only those
  // whose name begins with `prefix`.
  virtual std::vector<std::shared_ptr<const Json>> list(const ServedResource& resource,
                                                        std::string_view ns,
                                                        std::string_view prefix = "") const = 0;
  // The version of the latest change of anything.
  virtual std::int64_t version() const = 0;
  virtual Time now() const = 0;

  // Sets uid, creationTimestamp, resourceVersion and generation 1. 409 when the name is taken
  // ("object is being deleted: …" while it has a deletionTimestamp). metadata.name and, where
  // namespaced, metadata.namespace must be set. 500 with the system's reason on a full disk; then
  // nothing has changed.
  virtual Answered<Json> create(const ServedResource& resource, Json object) = 0;
  // Replaces the object of the same name. When `object` carries a resourceVersion it must be the
  // current one (409 conflict). uid and creationTimestamp are kept; generation grows when anything
  // but metadata and status differs. Writing what is there already changes nothing.
  virtual Answered<Json> update(const ServedResource& resource, Json object) = 0;
  // Removes at once, whatever finalizers say (that is the caller's business). 404 when absent.
  virtual Answered<Json> remove(const ServedResource& resource, std::string_view ns,
                                std::string_view name) = 0;

  // Calls back with every later change, on the next turn of the loop and in order, until the handle
  // is destroyed: callbacks may change the store.
  [[nodiscard]] virtual HandlePtr subscribe(std::function<void(const Change&)> callback) = 0;
  // Changes after `version`, oldest first; false when they are not known any more (410 Expired):
  // after five minutes, or a thousand changes.
  virtual bool changes_since(std::int64_t version, std::vector<Change>& changes) const = 0;

  // Gives back what can be made again, and forgets all changes that have been heard: for a daemon
  // that nobody is connected to. False when there was nothing to give.
  virtual bool rest() = 0;
};

// ---- what the operator and the kubelet say with the store ----

// Reads, lets `change` edit a copy, and updates; does nothing when the object is gone.
void modify(Store& store, const ServedResource& resource, std::string_view ns,
            std::string_view name, const std::function<void(Json& object)>& change);

// Records an event of `object` as client-go's recorder does: a repetition (same object, reason and
// message) counts up and moves lastTimestamp. `type` is "Normal" or "Warning".
void record_event(Store& store, const Json& object, std::string_view type, std::string_view reason,
                  std::string_view message, std::string_view component,
                  std::string_view field_path = "");

// True when an owner reference of `object` has this uid.
bool is_owned_by(const Json& object, std::string_view uid);

}  // namespace trainctl::local
