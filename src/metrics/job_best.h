// The best of several jobs that print the same metric.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/metric_record.h"

namespace trainctl::job {

struct JobBest {
  std::string job, values;  // values: member_values() of a job of an array
  std::string metric;
  double value = 0, step = 0;
};

// The best value of the metric that says most about a job; nullopt when it has none, or when that
// metric is no finite number any more.
std::optional<JobBest> best_of(std::string job, std::string values, const MetricRecord& record);

// The best one; null for less than two, and for jobs whose metrics differ.
const JobBest* best_of(const std::vector<JobBest>& jobs);

// "sweep-3 (lr=1e-3)"
std::string name_of(const JobBest& job);

}  // namespace trainctl::job
