// The objects of one collection or of several, by their uids, kept current by watches.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/loop.h"
#include "kube/client.h"
#include "kube/watch.h"

namespace trainctl::job {

struct WatchedSetHandlers {
  // What is to be kept of an object; null = nothing. Absent: all of it.
  std::function<Json(const Json& object)> part = {};
  // One of them is new or changed, or listed() may be true now.
  std::function<void()> on_change;
  // Optional: one of them is gone. `last`: its last state, as far as it is known.
  std::function<void(const Json& last)> on_gone = {};
  // Optional: as kube::WatchHandlers has it, of each collection.
  std::function<void(const std::string& notice)> on_trouble = {};
  // Optional: a collection cannot be watched. It counts as listed.
  std::function<void(const kube::Resource& resource, const Error& error)> on_stop = {};
};

class WatchedSet {
 public:
  WatchedSet(kube::Client& client, const std::vector<kube::WatchTarget>& targets,
             WatchedSetHandlers handlers);
  WatchedSet(const WatchedSet&) = delete;
  WatchedSet& operator=(const WatchedSet&) = delete;

  // Has the first list of each been read in full, where it can be read at all?
  bool listed() const { return unlisted_ == 0; }
  // They stay where they are until they are gone.
  const std::map<std::string, Json>& objects() const { return objects_; }

 private:
  HandlePtr watch(const kube::WatchTarget& target);
  void keep(const Json& object);
  void drop(const Json& object);

  kube::Client& client_;
  WatchedSetHandlers handlers_;
  std::map<std::string, Json> objects_;  // by uid
  std::size_t unlisted_;                 // collections
  std::vector<HandlePtr> watches_;
};

}  // namespace trainctl::job
