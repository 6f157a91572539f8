// Shows what jobs, replicas and nodes request and use, as tables and as data.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/console/console.h"
#include "base/text/time.h"
#include "work/find/usage.h"

namespace trainctl::view {

// The orders in which a table of usage can be sorted.
enum class UsageOrder {
  trouble,  // failing and lagging ones first
  name,
  gpus,    // the largest request first
  cpu,     // the largest usage first
  memory,  // the same
};

void sort_usage(std::vector<work::JobUsage>& jobs, UsageOrder order);
void sort_usage(std::vector<job::NodeLoad>& nodes, UsageOrder order);

struct UsageShape {
  bool with_namespace = false;
  bool with_header = true;
  // The lines that there is room for; those that are left out are counted in the last one.
  std::size_t room = std::numeric_limits<std::size_t>::max();
};

std::string job_usage_table(const std::vector<work::JobUsage>& jobs, const UsageShape& shape,
                            const Console& console, Time now);
std::string replica_usage_table(const work::JobUsage& job, UsageOrder order,
                                const UsageShape& shape, const Console& console);
std::string node_usage_table(const std::vector<job::NodeLoad>& nodes, const UsageShape& shape,
                             const Console& console);

// A JobUsageList and a NodeUsageList of "trainctl/v1": cores are decimal numbers, memory is in
// bytes, and what is unknown is absent.
Json job_usage_report(const work::JobsUsage& usage);
Json node_usage_report(const work::NodesUsage& usage);

// "250m", "5.7", "31"; "512Mi", "1.5Gi".
std::string cores_text(std::int64_t thousandths);
std::string bytes_text(std::int64_t bytes);

}  // namespace trainctl::view
