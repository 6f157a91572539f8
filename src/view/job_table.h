// Jobs and replicas as rows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/text/table.h"
#include "base/text/time.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::view {

struct TableShape {
  bool with_namespace = false;
  bool wide = false;
  bool with_values = false;  // of the members of arrays
};

Colour phase_colour(job::Phase phase);

std::vector<std::string> job_header(const TableShape& shape);
// `metrics`: job::metrics_json(); null = unknown.
std::vector<Cell> job_row(const job::Kind& kind, const Json& object, const job::JobState& state,
                          const TableShape& shape, Time now, const Json& metrics = {});

// The columns that a narrow terminal loses, in this order.
std::vector<std::string> less_needed_columns();

// The minimum widths of the columns, so that words that come later in a job's life fit.
std::vector<int> job_widths(const TableShape& shape);

// "… 12 more: 9 Succeeded, 3 Running": the jobs that a table has no room for; "" = none.
std::string left_out_line(const std::map<job::Phase, int>& counts);

// One row per replica with its state, and the reason when it does not run.
std::string replica_table(const job::JobState& state, const Console& console, Time now,
                          bool with_pods = false);

}  // namespace trainctl::view
