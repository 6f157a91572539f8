// Describes one job on one screen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/text/table.h"
#include "base/text/time.h"
#include "metrics/metric_record.h"
#include "status/events.h"
#include "status/state.h"
#include "view/viewer.h"
#include "work/find/job_lists.h"

namespace trainctl::view {

// Ages suit a person who reads the output now; output that is stored, or continues, needs absolute
// times.
enum class EventTimes { ages, absolute };

// A row for each event: time, type, object, reason, count, message.
Table event_table(std::span<const job::JobEvent> events, EventTimes times, Time now);

// The description, with what its metrics tell of trouble, on a terminal cut to its width and, as
// far as the number of replicas allows, to its height.
std::string description(const Viewer& viewer, const work::JobSnapshot& snapshot,
                        const job::MetricRecord& metrics);

}  // namespace trainctl::view
