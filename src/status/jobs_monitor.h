// Many jobs with their pods and events, kept current by watches and judged together after changes.
#pragma once

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

// Takes what a JobsMonitor reports.
class JobsSink {
 public:
  virtual ~JobsSink() = default;

  // The jobs have been judged anew, for the first time when everything readable has been read once.
  virtual void on_change() = 0;
  // A job was deleted. `last`: its last state, judged with the pods and events that are there now.
  // Called before the on_change of the same judgement.
  virtual void on_gone(const std::string& key, const JudgedJob& last) = 0;
  // As in kube::WatchHandlers, once for all watches.
  virtual void on_trouble(const std::string& notice) = 0;
  // The jobs are judged without the objects of this resource, which the user may not see. Called
  // once for each resource.
  virtual void on_missing(const kube::Resource& resource, const Error& error) = 0;
  // The jobs themselves cannot be watched.
  virtual void on_stop(const Error& error) = 0;
};

class JobsMonitor {
 public:
  // By namespace, name and uid.
  using Jobs = std::map<std::string, JudgedJob>;

  JobsMonitor(kube::Client& client, WantedJobs wanted, JobsSink& sink);

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
  JobsSink& sink_;
  std::vector<OfKind> objects_;
  std::optional<WatchedSet> pods_, events_;
  Jobs jobs_;
  std::vector<Gone> gone_;  // since the last judgement
  std::string trouble_;
  std::set<std::string_view> missing_;  // resources
  HandlePtr judge_timer_;
};

}  // namespace trainctl::job
