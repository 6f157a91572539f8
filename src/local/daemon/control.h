// The daemon's own API for trainctl, beside the Kubernetes API.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/value/json.h"
#include "local/answer.h"
#include "local/store/store.h"

namespace trainctl::local {

inline constexpr std::string_view k_control_path = "/trainctl/daemon";

// Followed by a job's uid: GET answers with the last states of its pods that are gone. Their logs
// are kept as long as the job, and GET …/pods/NAME/log answers with them.
inline constexpr std::string_view k_ended_pods_path = "/trainctl/ended-pods/";

// Followed by a job's uid: GET answers with the ports of this machine that its services have, by
// "SERVICE:PORT".
inline constexpr std::string_view k_ports_path = "/trainctl/ports/";

// Before "pods" and before "namespaces/NS/pods": the metrics API, which only `top` reads.
inline constexpr std::string_view k_metrics_path = "/apis/metrics.k8s.io/v1beta1/";

class Control {
 public:
  // GET answers with the daemon's facts; POST first applies {"idleSeconds": 600}.
  std::function<Json()> facts;
  std::function<void(Duration)> set_idle;
  std::function<Json(std::string_view job_uid)> ports;
  std::function<Json(std::string_view job_uid)> ended_pods;
  std::function<Json(std::string_view ns)> metrics;

  // nullopt when the request is not for this API.
  std::optional<ApiAnswer> answer(const ApiRequest& request) const;
};

// {"jobs": 3, "unfinishedJobs": 1}
Json count_jobs(const Store& store);

// Resident memory of this process in bytes; 0 when the system does not say.
std::int64_t resident_memory();

}  // namespace trainctl::local
