// Reads metrics out of logs: those in the cluster, those that the history has kept, and files.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "base/loop/loop.h"
#include "base/result.h"
#include "base/value/json.h"
#include "kube/client/client.h"
#include "kube/stream/log_stream.h"
#include "logs/log_sink.h"
#include "manifest/kind/kind.h"
#include "metrics/job_metrics.h"
#include "status/state.h"

namespace trainctl::job {

// Requests a log, whose lines `metrics` takes. `on_end` is called once; it must not destroy the
// handle, which `metrics` outlives.
[[nodiscard]] HandlePtr read_log_metrics(kube::Client& client, const kube::LogQuery& query,
                                         LogOrigin origin, JobMetrics& metrics,
                                         std::function<void(const Status&)> on_end);
// Reads the present run and the one before it of replica after replica, until one has printed
// metrics. Without metrics, the error says why a log could not be read.
Result<JobMetrics> metrics_of_logs(kube::Client& client, const Kind& kind, const JobState& state,
                                   std::span<const Json> pods, const MetricPatterns& own);
// The lines of a job of this kind as `archived_line` writes them.
JobMetrics metrics_of_archive(const Kind& kind, std::string_view content,
                              const MetricPatterns& own);
// Lines may begin with a time, as `logs --timestamps` prints them.
JobMetrics metrics_of_text(std::string_view text, const MetricPatterns& own);

// The metrics that were read, with the network's faults. `spans_nodes`: the job's replicas ran on
// several nodes.
MetricRecord record_of(const JobMetrics& metrics, bool spans_nodes);

}  // namespace trainctl::job
