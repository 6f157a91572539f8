// `trainctl get -w`: the table or the reports, again whenever something changes.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "options/table/choices.h"
#include "status/jobs_monitor.h"

namespace trainctl::cli {

struct WatchRequest {
  job::WantedJobs jobs;
  options::Format format = options::Format::text;  // not manifest
  std::function<bool(job::Phase)> is_wanted;
};

// Runs until interrupted (Code::interrupted) or until the watches cannot continue. On a terminal
// rows are updated in place; in a pipe each change is one line, or one JSON object. For a deleted
// job, its last state is shown first, then its deletion; as JSON, the deletion is one more object:
// the report with "deleted": true.
Status watch_jobs(Context& context, const WatchRequest& request);

}  // namespace trainctl::cli
