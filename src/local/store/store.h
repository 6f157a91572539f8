// The objects of the embedded cluster, with versions, conflicts and changes as in etcd and the API
// server, kept in SQLite so that they survive the daemon.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/loop.h"
#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

// Sets the fields of a new object: kind, apiVersion, uid, creationTimestamp and, where the kind has
// one, generation.
void set_birth(const ServedResource& resource, Json& object, Time now);
// The 409 for a taken name, depending on whether that object is being deleted.
ApiError name_taken(const ServedResource& resource, const Json& existing);
// The 409 for a write based on an older state.
ApiError modified_meanwhile(const ServedResource& resource, std::string_view name);

bool is_event(const ServedResource& resource);

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
  // Opens or creates the database; ":memory:" stores nothing on disk. Code::error with the path and
  // the reason when it cannot be read or written.
  static Result<std::unique_ptr<Store>> open(Loop& loop, const std::string& path);
  virtual ~Store() = default;

  virtual std::shared_ptr<const Json> get(const ServedResource& resource, std::string_view ns,
                                          std::string_view name) const = 0;
  // Objects ordered by namespace and name; empty ns = all namespaces. Within one namespace,
  // `prefix` limits them to names that begin with it.
  virtual std::vector<std::shared_ptr<const Json>> list(const ServedResource& resource,
                                                        std::string_view ns,
                                                        std::string_view prefix = "") const = 0;
  // The version of the latest change of any object.
  virtual std::int64_t version() const = 0;
  virtual Time now() const = 0;

  // Sets uid, creationTimestamp, resourceVersion and generation 1. 409 when the name is taken
  // ("object is being deleted: …" while it has a deletionTimestamp). metadata.name and, where
  // namespaced, metadata.namespace must be set. 500 with the system's reason on a full disk; then
  // nothing has changed.
  virtual Answered<Json> create(const ServedResource& resource, Json object) = 0;
  // Replaces the object of the same name. When `object` has a resourceVersion, it must be the
  // current one (409 conflict). uid and creationTimestamp are kept; generation grows when anything
  // except metadata and status differs. Writing an unchanged object changes nothing.
  virtual Answered<Json> update(const ServedResource& resource, Json object) = 0;
  // Removes the object at once, regardless of finalizers (the caller handles those). 404 when
  // absent.
  virtual Answered<Json> remove(const ServedResource& resource, std::string_view ns,
                                std::string_view name) = 0;

  // Calls back with every later change, in order and on the next turn of the loop, until the handle
  // is destroyed, so that callbacks may change the store.
  [[nodiscard]] virtual HandlePtr subscribe(std::function<void(const Change&)> callback) = 0;
  // Appends the changes after `version`, oldest first; false when they are no longer known (410
  // Expired), which is so after five minutes or a thousand changes.
  virtual bool changes_since(std::int64_t version, std::vector<Change>& changes) const = 0;

  // Frees memory that can be derived again, and forgets all changes that were delivered, for a
  // daemon with no clients. False when there was nothing to free.
  virtual bool rest() = 0;
};

// Reads an object, lets `change` edit a copy, and writes it back; does nothing when the object is
// gone.
void modify(Store& store, const ServedResource& resource, std::string_view ns,
            std::string_view name, const std::function<void(Json& object)>& change);

// Records an event of `object` as client-go's recorder does: a repetition (same object, reason and
// message) increments its count and moves lastTimestamp. `type` is "Normal" or "Warning".
void record_event(Store& store, const Json& object, std::string_view type, std::string_view reason,
                  std::string_view message, std::string_view component,
                  std::string_view field_path = "");

// True when an owner reference of `object` has this uid.
bool is_owned_by(const Json& object, std::string_view uid);

}  // namespace trainctl::local
