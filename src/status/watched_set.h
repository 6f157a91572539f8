// The objects of one collection or of several, by their uids, kept current by watches.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/loop/loop.h"
#include "base/value/json.h"
#include "kube/client/client.h"
#include "kube/watch/watch.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

struct WatchedSetHandlers {
  // Optional: the part of an object that is kept; null keeps nothing of it.
  std::function<Json(const Json& object)> part = {};
  // An object is new or has changed, or a list has been read in full.
  std::function<void()> on_change;
  // Optional: an object is gone. `last`: its last state, as far as it is known.
  std::function<void(const Json& last)> on_gone = {};
  // Optional: as in kube::WatchHandlers, for each collection.
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

  // True when the first list of every collection has been read in full or cannot be read.
  bool listed() const { return unlisted_ == 0; }
  // An object keeps its address until it is gone.
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

// Lists the collections of a namespace that a judgement of its jobs needs.
struct WatchTargets {
  std::vector<kube::WatchTarget> pods;  // one for each label that names jobs of the kinds
  kube::WatchTarget warnings;
  // Events with the exit codes of containers: they outlast the pods, and are not warnings.
  kube::WatchTarget exits;
};
// Returns the collections for jobs of these kinds; empty ns = all namespaces.
WatchTargets watch_targets(const std::string& ns, std::span<const Kind* const> kinds);

}  // namespace trainctl::job
