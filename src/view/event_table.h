// Events of a job as rows.
#pragma once

#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/text/table.h"
#include "base/text/time.h"
#include "job/status/events.h"

namespace trainctl::view {

// Ages suit a person who reads the output now; output that is stored, or continues, needs absolute
// times.
enum class EventTimes { ages, absolute };

std::vector<std::string> event_header(EventTimes times);
std::vector<Cell> event_row(const job::JobEvent& event, EventTimes times, Time now);

}  // namespace trainctl::view
