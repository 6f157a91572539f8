// Prints the same columns on a terminal and in a pipe; only colour differs.
#include "view/job_table.h"

#include <algorithm>

#include "base/text/text.h"
#include "manifest/array.h"
#include "metrics/metric_record.h"

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

// A job may continue while some of its replicas are done.
std::string message(const job::JobState& state) {
  const auto done = replicas_in(state, job::RunState::succeeded);
  if (!state.message.empty() || job::is_final(state.phase) || done == 0) {
    return printable_line(state.message);
  }
  return cat(plural(done, "replica"), done == 1 ? " has" : " have", " succeeded");
}

// The restarts; "" when the pods with that information are gone.
std::string restarts(const job::JobState& state) {
  int sum = 0;
  for (const auto& replica : state.replicas) {
    if (!replica.run.restarts) return "";
    sum += *replica.run.restarts;
  }
  return cat(sum);
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
  std::vector<std::string> header;
  if (shape.with_namespace) header.emplace_back("NAMESPACE");
  header.emplace_back("NAME");
  if (shape.with_values) header.emplace_back("VALUES");
  for (const auto* name : {"KIND", "PHASE", "READY", "AGE"}) header.emplace_back(name);
  if (shape.wide) {
    for (const auto* name : {"SINCE", "RESTARTS", "PROGRESS", "METRIC", "REASON"}) {
      header.emplace_back(name);
    }
  }
  header.emplace_back("MESSAGE");
  return header;
}

std::vector<Cell> job_row(const job::Kind& kind, const Json& object, const job::JobState& state,
                          const TableShape& shape, Time now, const Json& metrics) {
  std::vector<Cell> row;
  if (shape.with_namespace) row.push_back({text_at(object, "/metadata/namespace")});
  row.push_back({text_at(object, "/metadata/name")});
  if (shape.with_values) row.push_back({job::member_values(object)});
  row.push_back({std::string(kind.resource.kind)});
  row.push_back({std::string(job::phase_name(state.phase)), phase_colour(state.phase)});
  row.push_back({ready(state)});
  row.push_back({age(parse_time(text_at(object, "/metadata/creationTimestamp")), now)});
  if (shape.wide) {
    row.push_back({age(state.since, now)});
    row.push_back({restarts(state)});
    row.push_back({job::progress_cell(metrics)});
    row.push_back({job::metric_cell(metrics)});
    row.push_back({state.reason});
  }
  row.push_back({message(state)});
  return row;
}

std::vector<std::string> less_needed_columns() {
  return {"KIND", "RESTARTS", "SINCE", "AGE", "READY", "REASON"};
}

std::vector<int> job_widths(const TableShape& shape) {
  constexpr int k_phase = 10;   // Restarting
  constexpr int k_age = 5;      // 3m55s
  constexpr int k_reason = 17;  // ContainerCreating
  std::size_t kind = 0;
  for (const job::Kind& each : job::kinds()) kind = std::max(kind, each.resource.kind.size());
  std::vector<int> widths(1 + (shape.with_namespace ? 1 : 0) + (shape.with_values ? 1 : 0), 0);
  widths.insert(widths.end(), {static_cast<int>(kind), k_phase, 0, k_age});
  if (shape.wide) widths.insert(widths.end(), {k_age, 0, 0, 0, k_reason});
  return widths;
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
        {replica.run.restarts ? cat(*replica.run.restarts) : ""},
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
