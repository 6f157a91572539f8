// `trainctl get -w`: the table or the reports, again whenever something changes.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "cli/jobs/find_job.h"
#include "cli/output/job_table.h"

namespace trainctl::cli {

struct WatchRequest {
  std::vector<const job::Kind*> kinds;
  bool all_namespaces = false;
  std::string labels;
  std::vector<std::pair<const job::Kind*, std::string>> jobs;  // empty = all

  std::string format;  // "", "wide", "name", "json", "yaml"
  std::function<bool(const FoundJob&, const job::JobState&)> keep;
};

// Runs until interrupted (Code::interrupted) or until the watches cannot go on. On a terminal rows
// are updated in place; in a pipe each change is one line, or one JSON object.
Status watch_jobs(Context& context, const WatchRequest& request);

}  // namespace trainctl::cli
