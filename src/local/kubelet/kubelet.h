// The kubelet (and scheduler) of the embedded cluster: runs each container of a pod as a process
// group on this machine, and reports on it as Kubernetes does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/loop/loop.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "local/kubelet/log_files.h"
#include "local/pod_requests.h"
#include "local/store/store.h"

namespace trainctl::local {

// The Node object of this machine.
std::string host_name();

struct KubeletSettings {
  std::string directory;  // holds pods/, volumes/ and claims/
  std::string lock_file;  // locked by the living daemon; guards watch it
  // A guard starts this executable with these arguments when the daemon is gone, in the environment
  // that the daemon had, so that the new one finds the same directories.
  std::string program;
  std::vector<std::string> arguments = {"local", "serve"};
  Environment daemon_environment;
  Environment environment;  // the base of every container's environment: PATH, HOME and the like
  int gpus = 0;
  std::int64_t job_log_limit = k_job_log_limit;  // bytes
};

class Kubelet : public PodLogs, public PodStreams {
 public:
  // Adopts the containers that a former daemon started.
  Kubelet(UvLoop& loop, Store& store, KubeletSettings settings);
  ~Kubelet() override;
  ApiAnswer answer(const Json& pod, const LogQuestion& question) override;
  std::unique_ptr<ApiSession> exec(const Json& pod, const StreamQuestion& question) override;
  std::unique_ptr<ApiSession> attach(const Json& pod, const StreamQuestion& question) override;
  std::unique_ptr<ApiSession> forward(const Json& pod, const std::vector<int>& ports) override;
  std::optional<Json> ended_pod(std::string_view ns, std::string_view name) const override;
  // The last states of a job's removed pods, whose logs are kept as long as the job.
  std::vector<Json> ended_pods_of(std::string_view job_uid) const;
  // The number of running containers.
  int running() const;
  // The ports of this machine that a job's services have, by "SERVICE:PORT".
  std::map<std::string, int, std::less<>> ports_of(std::string_view job_uid) const;
  // The PodMetrics of the running pods of a namespace, "" = of all.
  std::vector<Json> metrics(std::string_view ns);
  // Forgets finished pods, to free memory.
  void rest();
  // Ends every container (SIGTERM; SIGKILL after its pod's grace period, or `limit` where that is
  // shorter), then calls back. May be called again with a limit.
  void stop_all(std::optional<Duration> limit, std::function<void()> done);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainctl::local
