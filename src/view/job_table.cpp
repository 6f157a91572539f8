// Prints the same columns on a terminal and in a pipe; only colour differs.
#include "view/job_table.h"

#include <algorithm>

#include "base/text/text.h"
#include "manifest/array.h"
#include "metrics/metric_json.h"
#include "metrics/metric_words.h"

namespace trainctl::view {
namespace {

std::string age(std::optional<Time> since, Time now) {
  return since ? format_age(now - *since) : "";
}

auto replicas_in(const job::JobState& state, job::RunState wanted) {
  return std::ranges::count_if(state.replicas, [wanted](const job::ReplicaState& replica) {
    return replica.run.state == wanted;
  });
}

// "1/2": replicas with a running container, and requested replicas. "" for a job that has ended,
// since its pods may be gone.
std::string ready(const job::JobState& state) {
  if (job::is_final(state.phase)) return "";
  return cat(replicas_in(state, job::RunState::running), "/", state.replicas.size());
}

// The restarts; "" when the pods with that information are gone.
std::string restarts(const job::JobState& state) {
  int sum = 0;
  for (const auto& replica : state.replicas) {
    if (!replica.restarts()) return "";
    sum += *replica.restarts();
  }
  return cat(sum);
}

struct RowFacts {
  const job::Kind& kind;
  const Json& object;
  const job::JobState& state;
  const TableShape& shape;
  const Json& metrics;
  Time now;
};

// A job may continue while some of its replicas are done, and succeed with a loss that is no
// number.
std::string message(const RowFacts& row) {
  const bool shows_metric = row.shape.wide;
  const std::string not_finite =
      shows_metric ? "" : job::not_finite_words(job::read_metrics(row.metrics));
  if (!row.state.message.empty()) {
    return cat(printable_line(row.state.message), not_finite.empty() ? "" : "; ", not_finite);
  }
  const auto done = replicas_in(row.state, job::RunState::succeeded);
  if (!job::is_final(row.state.phase) && done > 0) {
    return cat(plural(done, "replica"), done == 1 ? " has" : " have", " succeeded");
  }
  return not_finite;
}

// The widest kind, so that a table of jobs that come and go keeps its columns.
int kind_width() {
  std::size_t width = 0;
  for (const job::Kind& each : job::kinds()) width = std::max(width, each.resource.kind.size());
  return static_cast<int>(width);
}

struct JobColumn {
  std::string_view header;
  bool (*is_shown)(const TableShape&);
  Cell (*cell)(const RowFacts&);
  int width = 0;    // at least: of words that come later in a job's life
  int dropped = 0;  // the order in which a narrow terminal loses columns; 0 = it stays
};

constexpr int k_phase_width = 10;   // Restarting
constexpr int k_age_width = 5;      // 3m55s
constexpr int k_reason_width = 17;  // ContainerCreating
constexpr int k_width_of_kinds = -1;

bool always(const TableShape&) {
  return true;
}
bool if_wide(const TableShape& shape) {
  return shape.wide;
}

// Left to right.
const JobColumn k_columns[] = {
    {"NAMESPACE", [](const TableShape& shape) { return shape.with_namespace; },
     [](const RowFacts& row) { return Cell{text_at(row.object, "/metadata/namespace")}; }},
    {"NAME", always,
     [](const RowFacts& row) { return Cell{text_at(row.object, "/metadata/name")}; }},
    {"VALUES", [](const TableShape& shape) { return shape.with_values; },
     [](const RowFacts& row) { return Cell{job::member_values(row.object)}; }},
    {"KIND", always, [](const RowFacts& row) { return Cell{std::string(row.kind.resource.kind)}; },
     k_width_of_kinds, 2},
    {"PHASE", always,
     [](const RowFacts& row) {
       return Cell{std::string(job::phase_name(row.state.phase)), phase_colour(row.state.phase)};
     },
     k_phase_width},
    {"READY", always, [](const RowFacts& row) { return Cell{ready(row.state)}; }, 0, 6},
    {"AGE", always,
     [](const RowFacts& row) {
       return Cell{age(parse_time(text_at(row.object, "/metadata/creationTimestamp")), row.now)};
     },
     k_age_width, 5},
    {"SINCE", if_wide, [](const RowFacts& row) { return Cell{age(row.state.since, row.now)}; },
     k_age_width, 4},
    {"RESTARTS", if_wide, [](const RowFacts& row) { return Cell{restarts(row.state)}; }, 0, 3},
    {"PROGRESS", if_wide,
     [](const RowFacts& row) { return Cell{job::progress_cell(row.metrics)}; }},
    {"METRIC", if_wide, [](const RowFacts& row) { return Cell{job::metric_cell(row.metrics)}; }},
    {"REASON", if_wide, [](const RowFacts& row) { return Cell{row.state.reason}; }, k_reason_width,
     1},
    {"MESSAGE", always, [](const RowFacts& row) { return Cell{message(row)}; }},
};

// Calls `of` for each column of a table, from left to right.
template <typename Of>
auto of_each_column(const TableShape& shape, Of of) {
  std::vector<decltype(of(k_columns[0]))> all;
  for (const JobColumn& column : k_columns) {
    if (column.is_shown(shape)) all.push_back(of(column));
  }
  return all;
}

}  // namespace

Colour phase_colour(job::Phase phase) {
  switch (phase) {
    case job::Phase::succeeded:
      return Colour::green;
    case job::Phase::failed:
      return Colour::red;
    case job::Phase::running:
      return Colour::cyan;
    default:
      return Colour::yellow;
  }
}

std::vector<std::string> job_header(const TableShape& shape) {
  return of_each_column(shape, [](const JobColumn& column) { return std::string(column.header); });
}

std::vector<Cell> job_row(const job::Kind& kind, const Json& object, const job::JobState& state,
                          const TableShape& shape, Time now, const Json& metrics) {
  const RowFacts row{kind, object, state, shape, metrics, now};
  return of_each_column(shape, [&row](const JobColumn& column) { return column.cell(row); });
}

std::vector<std::string> less_needed_columns() {
  std::vector<const JobColumn*> columns;
  for (const JobColumn& column : k_columns) {
    if (column.dropped > 0) columns.push_back(&column);
  }
  std::ranges::stable_sort(columns, {}, &JobColumn::dropped);
  std::vector<std::string> headers;
  for (const JobColumn* column : columns) headers.emplace_back(column->header);
  return headers;
}

std::vector<int> job_widths(const TableShape& shape) {
  return of_each_column(shape, [](const JobColumn& column) {
    return column.width == k_width_of_kinds ? kind_width() : column.width;
  });
}

std::string left_out_line(const std::map<job::Phase, int>& counts) {
  int all = 0;
  std::vector<std::string> texts;
  for (const auto& [phase, count] : counts) {
    if (count == 0) continue;
    all += count;
    texts.push_back(cat(count, " ", job::phase_name(phase)));
  }
  return all == 0 ? "" : cat("… ", all, " more: ", join(texts, ", "), "\n");
}

std::string replica_table(const job::JobState& state, const Console& console, Time now,
                          bool with_pods) {
  std::vector<std::string> header = {"REPLICA",  "RANK",  "STATE", "EXIT",
                                     "RESTARTS", "SINCE", "NODE",  "REASON"};
  if (with_pods) header.insert(header.begin() + 2, "POD");
  Table table(std::move(header));
  for (const job::ReplicaState& replica : state.replicas) {
    const bool bad = replica.run.state == job::RunState::failed;
    std::vector<Cell> row = {
        {replica.id.name()},
        {replica.rank ? cat(*replica.rank) : ""},
        {std::string(job::shown_state(state, replica)), bad ? Colour::red : Colour::none},
        {replica.last_exit.code ? cat(*replica.last_exit.code) : ""},
        {replica.restarts() ? cat(*replica.restarts()) : ""},
        {age(replica.run.since, now)},
        {replica.pod.node},
        {printable_line(replica.run.reason)}};
    if (with_pods) row.insert(row.begin() + 2, Cell{replica.pod.name});
    table.add(std::move(row));
  }
  table.fit(console);
  return table.text(console);
}

}  // namespace trainctl::view
