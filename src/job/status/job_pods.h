// The pods of a job, kept current by a watch that may begin before the job itself is known.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/loop/loop.h"
#include "base/value/json.h"
#include "job/kind/pod_identity.h"
#include "kube/client/client.h"
#include "net/http.h"

namespace trainctl::job {

struct JobPodsHandlers {
  std::function<void()> on_change;
  // Each state of a pod, in order, before on_change.
  std::function<void(const Json& pod)> on_pod;
  // A pod is gone. `last`: its last state, or no more than its name and uid when nothing was
  // watched meanwhile.
  std::function<void(const Json& last)> on_gone;
  // A pod was created while nothing was watched. Others of its name may have come and gone before
  // it.
  std::function<void(const std::string& uid)> on_found_late;
  // The changes that follow happened while nothing was watched, and may be outdated.
  std::function<void()> on_resumed;
  // The watch cannot continue.
  std::function<void(Error)> on_stop;
};

class JobPods {
 public:
  // `list_lane`: Lane::stream opens the connection for their logs early, which saves its handshakes
  // once the pods are known.
  JobPods(kube::Client& client, const std::string& ns, std::string selector,
          net::Lane list_lane = net::Lane::control);

  // From here on changes are reported, never before this returns.
  void report_to(JobPodsHandlers handlers);
  // From here on only those of this job count; before, all that the selector finds.
  void keep_of(const PodOwner& owner);

  // Has the first list been read in full?
  bool listed() const { return listed_; }
  // The fields that a judgement needs of each pod (job/status/projection.h), in the order of
  // their uids.
  std::span<const Json> all() const { return pods_; }
  bool has(const std::string& uid) const;
  // The last states of removed pods: the latest few of each replica.
  std::span<const Json> gone() const { return gone_; }

 private:
  void keep(const Json& object);
  void forget(const std::string& uid);
  void remember_gone(const std::string& uid);
  std::vector<Json>::const_iterator place(const std::string& uid) const;
  void changed();
  void stop(Error error);

  kube::Client& client_;
  JobPodsHandlers handlers_;
  std::optional<PodOwner> owner_;
  std::vector<Json> pods_, gone_;
  bool listed_ = false;
  bool history_lost_ = false;     // until the next list is in
  std::optional<Error> stopped_;  // why, while there was nobody to report to
  HandlePtr watch_, later_;
};

}  // namespace trainctl::job
