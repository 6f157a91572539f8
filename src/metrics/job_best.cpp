// Values of different metrics cannot be compared.
#include "metrics/job_best.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "metrics/metric_names.h"

namespace trainctl::job {

std::optional<JobBest> best_of(std::string job, std::string values, const MetricRecord& record) {
  const MetricSeries* const main = record.main();
  const MetricPoint* const best = main == nullptr ? nullptr : main->best();
  if (best == nullptr || main->not_finite_since) return std::nullopt;
  return JobBest{std::move(job), std::move(values), main->name(), best->value, best->step};
}

const JobBest* best_of(const std::vector<JobBest>& jobs) {
  const bool comparable = std::ranges::all_of(jobs, [&jobs](const JobBest& one) {
    return is_same_metric(one.metric, jobs.front().metric);
  });
  if (jobs.size() < 2 || !comparable) return nullptr;
  return &*std::ranges::min_element(
      jobs, {}, [](const JobBest& one) { return cost_of(one.metric, one.value); });
}

std::string name_of(const JobBest& job) {
  const std::string name = printable_line(job.job);
  return job.values.empty() ? name : cat(name, " (", printable_line(job.values), ')');
}

}  // namespace trainctl::job
