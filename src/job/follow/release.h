// Starts a job that waits for others: watches them, and resumes it when the last has ended. Does
// the same for awaited jobs that wait for others themselves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/loop/loop.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/manifest/predecessors.h"
#include "job/status/watched_set.h"
#include "kube/client/backoff.h"
#include "kube/client/client.h"

namespace trainctl::job {

struct ReleaseHandlers {
  // Reports a delay beside the awaited jobs: "cannot start ddp yet: connection refused".
  std::function<void(const std::string& notice)> on_trouble;
  // The job can never start: a required job did not succeed, permission is missing, jobs wait for
  // each other, or a user suspended it.
  std::function<void(Error)> on_stop;
};

class Release {
 public:
  // `waiting`: the names of jobs that wait for this one; awaiting any of them would be a cycle.
  Release(kube::Client& client, const Kind& kind, ReleaseHandlers handlers,
          std::vector<std::string> waiting = {});
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;

  // Takes the job as it is now. Ends the waiting when somebody has started the job.
  void see(const Json& job);
  // From here on the job is not started.
  void cancel();

 private:
  struct Awaited {
    Predecessor job;
    std::unique_ptr<WatchedJob> watched;
    std::unique_ptr<Release> release;  // of a job that itself waits for others
    bool is_gone = false;              // and no other job has its name
    HandlePtr successor;               // the time until one is looked for
  };

  void begin();
  void watch(Awaited& awaited, bool may_be_replaced);
  void look();
  void look_at(Awaited& awaited);
  void resume();
  void on_answer(const std::variant<Json, kube::Failure>& answer);
  void stop(Error error);
  std::string name() const { return text_at(job_, "/metadata/name"); }

  kube::Client& client_;
  const Kind& kind_;
  ReleaseHandlers handlers_;
  std::vector<std::string> waiting_;
  Json job_;  // its last known state; null while it does not wait
  std::vector<std::unique_ptr<Awaited>> awaited_;
  std::string sent_version_;  // of the job that the last request was about
  kube::Backoff backoff_;     // of that request
  HandlePtr pending_;         // the request, or the time until the next one
  bool is_over_ = false;      // on_stop was called
};

}  // namespace trainctl::job
