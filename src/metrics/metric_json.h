// Writes a record of metrics as JSON and reads it again, as reports and the history have it.
#pragma once

#include "base/value/json.h"
#include "metrics/metric_record.h"

namespace trainctl::job {

// {"step","total","epoch","epochs","countedIn","lag":{"replica","steps"},"network","notFinite","restarts":[…],"curve":{"from","to","values":[…]},
// "series":[{"name","last":{"step","value"},"best":{"step","value"},"slope","notFiniteSince",
// "notFinite","points":[[step, seconds since 1970, value]…]}]}; absent facts are left out. The
// main() series comes first, and the curve is its: values at equal distances between two steps.
// Points are left out unless `with_points`.
Json metrics_json(const MetricRecord& record, bool with_points);
// An element of "series".
Json series_json(const MetricSeries& series, bool with_points);
// The unit of the steps of what metrics_json() wrote.
StepUnit step_unit(const Json& metrics);
// Reads that with points. Anything else in it is ignored.
MetricRecord read_metrics(const Json& metrics);

}  // namespace trainctl::job
