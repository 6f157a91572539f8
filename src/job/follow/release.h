// Starts a job that waits for others: watches these, and resumes it when the last has ended.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/loop/loop.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/manifest/predecessors.h"
#include "job/status/watched_job.h"
#include "kube/client/backoff.h"
#include "kube/client/client.h"

namespace trainctl::job {

struct ReleaseHandlers {
  // What is waited for, beside the other jobs: "cannot start ddp yet: connection refused".
  std::function<void(const std::string& notice)> on_trouble;
  // It can never be started, since a job that must succeed has not, or may not be.
  std::function<void(Error)> on_stop;
};

class Release {
 public:
  Release(kube::Client& client, const Kind& kind, ReleaseHandlers handlers);
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;

  // Takes the job as it is now. No longer waits when it does not, whoever has started or held it.
  void see(const Json& job);
  // From here on the job is not started.
  void cancel();

 private:
  struct Awaited {
    Predecessor job;
    std::unique_ptr<WatchedJob> watched;
    bool is_gone = false;
  };

  void begin();
  void look();
  void resume();
  void on_answer(const std::variant<Json, kube::Failure>& answer);
  void stop(Error error);
  std::string name() const { return text_at(job_, "/metadata/name"); }

  kube::Client& client_;
  const Kind& kind_;
  ReleaseHandlers handlers_;
  Json job_;  // its last known state; null while it does not wait
  std::vector<std::unique_ptr<Awaited>> awaited_;
  std::string sent_version_;  // of the job that the last request was about
  kube::Backoff backoff_;     // of that request
  HandlePtr pending_;         // the request, or the time until the next one
  bool is_over_ = false;      // on_stop was called
};

}  // namespace trainctl::job
