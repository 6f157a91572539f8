// Asks what jobs and nodes request and use, in the round trip that finds them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "status/usage.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The answer of the metrics API (metrics.k8s.io).
enum class MetricsAnswer { served, not_served, failed };

// Says which parts of the usage are missing, and why. The rest is shown anyway.
struct UsageGaps {
  MetricsAnswer metrics = MetricsAnswer::served;
  std::vector<std::string> notices = {};
  std::vector<std::string> warnings = {};
};

struct JobUsage {
  FoundJob job;
  job::JobState state;
  job::PodLoads pods;  // those of its replicas
  job::Load load;      // their sum
  Json metrics = {};   // job::metrics_json() of a running job's training; null = unknown
};
struct JobsUsage {
  std::vector<JobUsage> jobs;
  UsageGaps gaps;
};
// Errors are those of list_jobs and judge_jobs. The jobs are sorted by namespace and name.
Result<JobsUsage> list_usage(Access& access, const JobQuery& query);
// The usage of one job, or of all members of an array. Errors are those of find_job_or_array.
Result<JobsUsage> find_usage(Access& access, const job::JobRef& ref);

struct NodesUsage {
  std::vector<job::NodeLoad> nodes;
  std::string pods_of;  // the namespace whose pods alone are counted; "" = all
  UsageGaps gaps;
};
// An error when the user may list neither the nodes nor the pods of all namespaces.
Result<NodesUsage> node_usage(Access& access);

}  // namespace trainctl::work
