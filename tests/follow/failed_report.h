// The report of a failed job, for tests of what is made of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "follow/report.h"
#include "status/judgement.h"
#include "support/objects.h"

namespace trainctl::testing {

// A report of a job whose worker-0 exited 137 and left these lines.
inline Json failed_report(std::vector<std::string> last_lines) {
  const job::Kind& kind = *job::find_kind("pytorch");
  const Json job = pytorch_job(1, "[" + condition("Failed", "True") + "]");
  const std::vector<Json> pods = {pod("master", 0, running()),
                                  pod("worker", 0, terminated(137, "Failed", "c2", "OOMKilled"))};
  const job::JobState state = job::judge(kind, job, pods, {});
  const job::Outcome outcome{Error{Code::job_failed, "job ddp failed: worker-0 exited 137"},
                             *parse_time("2026-01-02T03:00:00Z"),
                             *parse_time("2026-01-02T03:01:30Z"), state.replicas[1],
                             std::move(last_lines)};
  return job::job_report(kind, job, state, {&outcome, nullptr});
}

}  // namespace trainctl::testing
