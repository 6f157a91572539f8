// The lines at the bottom of a terminal while a job is followed: how far its training is, how good,
// and which replica needs a look.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/console/console.h"
#include "base/text/time.h"
#include "metrics/job_best.h"
#include "metrics/job_metrics.h"
#include "status/state.h"

namespace trainctl::job {

// "ddp: Pending for 40s: worker-1: ImagePullBackOff: …", "ddp: Running for 12m, 2/2 replicas".
// `began` is used when the state does not say since when.
std::string status_line(std::string_view job_name, const JobState& state, Time began, Time now);

// "1204/2000, 2.4 it/s, ETA 5m31s, loss 0.3557 (best 0.3541 at 1190)"; "" = the job has printed no
// metrics. For notices, and for the last line of a job. A silent job has no pace.
// `lag` comes last.
std::string training_words(const JobMetrics& metrics, Time now, bool is_silent = false,
                           const std::optional<MetricLag>& lag = {});

// The widths of the longest texts among several jobs, whose lines stand in columns.
struct LiveColumns {
  int name = 0, values = 0;
};

struct LiveFacts {
  std::string_view job_name;
  const JobState& state;
  Time began, now;  // `began` as for status_line
  const JobMetrics& metrics;
  std::string_view gpus;               // "GPU 91 %, 34 of 80 GiB"; "" = unknown
  std::string_view stall = {};         // "no replica has printed anything for 10m"; "" = not silent
  Duration silent = {};                // for so long that its pace is none any more; 0 = it prints
  std::string_view array_values = {};  // member_values()
  std::optional<MetricLag> lag = {};
  LiveColumns columns = {};
};

// One to four lines of at most `width` columns, safe for a terminal; the first alone says enough.
// Parts that do not fit are left out. `console` paints.
//   demo  Running 12m3s  ████████████░░░░░░░ 1204/2000  2.4 it/s  ETA 5m31s
//   loss 0.3557 ▇▆▅▅▄▃▃▂  best 0.3541 @1190   lr 0.00012   grad norm 0.49
//   GPU 91 %, 34 of 80 GiB
//   worker-3 lags 41 steps   worker-7 restarted once (exit code 137)
std::vector<std::string> live_lines(const LiveFacts& facts, int width, const Console& console);

// One of several jobs that are followed together.
struct LiveJob {
  std::string line;  // "sweep-3  Running 12s  ████░░ 40/100  loss 0.5  best 0.4 @31  ETA 2m"
  int urgency = 0;                   // the higher, the more a person should look at it
  double done = 0;                   // 0 to 1
  std::optional<JobBest> best = {};  // of a job that has not failed
};
LiveJob live_job(const LiveFacts& facts, int width, const Console& console);

// How many of several jobs have ended, and which one is the best so far.
struct JobsSummary {
  std::size_t ended = 0;
  std::size_t all = 0;     // 0 = not known yet
  std::size_t failed = 0;  // of those that have ended
  std::vector<JobBest> bests;
};
// "5 of 8 done, 1 failed, best loss 0.275: sweep-6 (lr=3e-2)"
std::string summary_line(const JobsSummary& summary);

// The lines of jobs that fit into `room`, in their order where all fit; else what needs a look
// comes first, then what is behind, and the last line counts those left out.
std::vector<std::string> jobs_lines(std::vector<LiveJob> jobs, std::size_t room);

}  // namespace trainctl::job
