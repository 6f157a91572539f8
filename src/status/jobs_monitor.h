// Many jobs with their pods and events, kept current by watches and judged together after changes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/client/client.h"
#include "manifest/kind/kind.h"
#include "status/ownership.h"
#include "status/state.h"
#include "status/watched_set.h"

namespace trainctl::job {

struct WantedJobs {
  std::vector<const Kind*> kinds;
  std::string ns;                                          // "" = all namespaces
  std::string labels;                                      // a selector; may be empty
  std::vector<std::pair<const Kind*, std::string>> names;  // empty = all
};

struct JudgedJob {
  const Kind* kind;
  const Json* object;
  JobState state;
};

struct JobsMonitorHandlers {
  // The jobs have been judged anew, for the first time when everything readable has been read once.
  std::function<void()> on_change;
  // A job was deleted. `last`: its last state, judged with the pods and events that are there now.
  // Called before the on_change of the same judgement.
  std::function<void(const std::string& key, const JudgedJob& last)> on_gone;
  // As in kube::WatchHandlers, once for all watches.
  std::function<void(const std::string& notice)> on_trouble;
  // The jobs are judged without the objects of this resource, which the user may not see. Called
  // once for each resource.
  std::function<void(const kube::Resource& resource, const Error& error)> on_missing;
  // The jobs themselves cannot be watched.
  std::function<void(Error)> on_stop;
};

class JobsMonitor {
 public:
  // By namespace, name and uid.
  using Jobs = std::map<std::string, JudgedJob>;

  JobsMonitor(kube::Client& client, WantedJobs wanted, JobsMonitorHandlers handlers);

  // As they were judged last, without those that have been deleted since.
  const Jobs& jobs() const { return jobs_; }
  // True when no change waits to be judged.
  bool up_to_date() const { return judge_timer_ == nullptr; }

 private:
  struct OfKind {
    const Kind* kind;
    std::unique_ptr<WatchedSet> objects;
  };
  struct Gone {
    const Kind* kind;
    Json object;
  };

  void watch_jobs(const Kind& kind);
  void watch_related();
  bool is_wanted(const Kind& kind, const Json& object) const;
  void on_job_gone(const Kind& kind, const Json& last);
  void on_trouble(const std::string& notice);
  void judge_soon();
  void judge_now();
  bool all_listed() const;
  OwnershipIndex index() const;

  kube::Client& client_;
  WantedJobs wanted_;
  JobsMonitorHandlers handlers_;
  std::vector<OfKind> objects_;
  std::optional<WatchedSet> pods_, events_;
  Jobs jobs_;
  std::vector<Gone> gone_;  // since the last judgement
  std::string trouble_;
  std::set<std::string_view> missing_;  // resources
  HandlePtr judge_timer_;
};

}  // namespace trainctl::job
