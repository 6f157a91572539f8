// Metrics in words and in the cells of tables.
#pragma once

#include <cstddef>
#include <string>

#include "base/value/json.h"
#include "metrics/metric_record.h"

namespace trainctl::job {

// Four digits: "0.3557", "1.2e-05".
std::string metric_text(double value);
// A step or an epoch: "12000", "2.83".
std::string step_text(double step);
// "1204/2000", "epoch 3/10", "epoch 3 307/938"; "" = unknown.
std::string position_text(const TrainingPosition& position);

// "loss 0.3557", or "loss nan @25"; "" = it has no value yet.
std::string value_words(const MetricSeries& series);
// The curve in one line of at most `columns` blocks of eight heights: "▇▆▅▅▄▃▃▂"; "" for less than
// two points.
std::string sparkline(const MetricSeries& series, std::size_t columns);
// "loss is nan since step 25".
std::string not_finite_words(const MetricSeries& series, StepUnit unit);

// The same of the not_finite() series; "" = there is none. All that a user reads about such a run
// says so with these words.
std::string not_finite_words(const MetricRecord& record);
// "worker-0 lags 120 steps"; "" = none does.
std::string lag_words(const std::optional<MetricLag>& lag);
// All that a record tells of trouble, in one line; "" = nothing.
std::string trouble_words(const MetricRecord& record);

// Cells for the JSON that metrics_json() writes: how far the training is ("1204/2000, worker-0 lags
// 120 steps"), and the last value of its first series ("loss 0.3557", or "loss nan @25" of one that
// is not_finite()). "" = unknown.
std::string progress_cell(const Json& metrics);
std::string metric_cell(const Json& metrics);
// The words of an element of its "series": "loss 0.3557 (best 0.3541 at 1190)", "loss nan since
// epoch 12 (best …)".
std::string metric_words(const Json& series, StepUnit unit);

}  // namespace trainctl::job
