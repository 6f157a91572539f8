// A pod counts once it has failed by itself, and before it is deleted for that.
#include "job/status/failed_pods.h"

#include <algorithm>

#include "base/text.h"
#include "base/time.h"

namespace trainctl::job {

namespace {

// A longer run than that of a crash loop (job/status/pod_state.h) begins a new row.
constexpr Duration k_long_run = std::chrono::minutes(2);

bool has_failed_by_itself(const Json& pod) {
  const bool deleting = find(pod, "/metadata/deletionTimestamp") != nullptr;
  return text_at(pod, "/status/phase") == "Failed" && !deleting &&
         text_at(pod, "/status/reason").empty();  // else its node ended it
}

bool lasted(const Json& pod) {
  const auto placed = parse_time(text_at(pod, "/status/startTime"));
  const Json& containers = array_at(pod, "/status/containerStatuses");
  return std::any_of(containers.begin(), containers.end(), [&placed](const Json& status) {
    const auto end = parse_time(text_at(status, "/state/terminated/finishedAt"));
    return placed && end && *end - *placed >= k_long_run;
  });
}

}  // namespace

void FailedPods::note(const Json& pod) {
  if (!has_failed_by_itself(pod)) return;
  Row& row = rows_[text_at(pod, "/metadata/name")];
  const std::string uid = text_at(pod, "/metadata/uid");
  if (row.uid == uid) return;
  row.uid = uid;
  row.length = lasted(pod) ? 0 : row.length + 1;
}

int FailedPods::in_a_row(std::string_view pod_name) const {
  const auto row = rows_.find(pod_name);
  return row == rows_.end() ? 0 : row->second.length;
}

}  // namespace trainctl::job
