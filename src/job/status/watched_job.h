// The object of one job, kept current by a watch on its name.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "base/loop/loop.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "kube/client/client.h"

namespace trainctl::job {

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

}  // namespace trainctl::job
