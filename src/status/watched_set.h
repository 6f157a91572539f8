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

// The object of one job, kept current by a watch on its name.
struct WatchedJobHandlers {
  std::function<void()> on_change;  // of object() or listed()
  // The job was deleted, was replaced by a namesake, or never existed. Called once.
  std::function<void()> on_gone;
  std::function<void(const std::string& notice)> on_trouble;
  std::function<void(Error)> on_stop;
};

class WatchedJob {
 public:
  // `uid`: "" for whichever job has that name. `object`: its last known state; may be null.
  WatchedJob(kube::Client& client, const Kind& kind, const std::string& ns, const std::string& name,
             std::string uid, Json object, WatchedJobHandlers handlers);
  WatchedJob(const WatchedJob&) = delete;
  WatchedJob& operator=(const WatchedJob&) = delete;

  const Json& object() const { return object_; }  // its last known state; may be null
  const std::string& uid() const { return uid_; }
  // True when the watch has read the job. Until then object() may be what was given.
  bool listed() const { return known_ == Known::listed; }

 private:
  enum class Known { as_given, read, listed };

  void on_listed();
  void take(const Json& object);
  void on_gone(const Json& last);
  void report_gone();

  WatchedJobHandlers handlers_;
  std::string uid_;
  Json object_;
  Known known_ = Known::as_given;
  bool gone_ = false;
  HandlePtr watch_;
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
