// Columns name the parts of their cells as in USED/REQ; a part that is unknown is "-".
#include "view/usage_table.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text/table.h"
#include "base/text/text.h"
#include "manifest/array.h"
#include "metrics/metric_words.h"
#include "status/usage.h"
#include "view/job_table.h"

namespace trainctl::view {
namespace {

using Amount = std::optional<std::int64_t>;
using AmountText = std::string (*)(std::int64_t);

// "5.7/8"; "" when no part is known.
std::string parts(AmountText text, std::initializer_list<Amount> amounts) {
  if (std::ranges::none_of(amounts, [](const Amount& one) { return one.has_value(); })) return "";
  std::vector<std::string> all;
  for (const Amount& amount : amounts) all.push_back(amount ? text(*amount) : "-");
  return join(all, "/");
}

// A request of nothing is none.
Amount requested(std::int64_t amount) {
  return amount == 0 ? std::nullopt : Amount(amount);
}

std::string count_text(std::int64_t count) {
  return std::to_string(count);
}

std::vector<Cell> load_cells(const job::Load& load) {
  return {{parts(count_text, {requested(load.requested.gpus)})},
          {parts(cores_text, {load.used.cpu, requested(load.requested.cpu)})},
          {parts(bytes_text, {load.used.memory, requested(load.requested.memory)})}};
}

int running(const job::JobState& state) {
  return static_cast<int>(std::ranges::count_if(state.replicas, [](const auto& replica) {
    return replica.run.state == job::RunState::running;
  }));
}

std::string pods(const job::JobState& state) {
  if (job::is_final(state.phase)) return "";
  return cat(running(state), "/", state.replicas.size());
}

bool has_several_kinds(const std::vector<work::JobUsage>& jobs) {
  return std::ranges::any_of(
      jobs, [&jobs](const auto& each) { return each.job.kind != jobs.front().job.kind; });
}

// The columns that only some tables need.
struct JobColumns {
  bool ns = false, values = false, kind = false;
};

std::vector<Cell> job_cells(const work::JobUsage& each, const JobColumns& columns, Time now) {
  std::vector<Cell> row;
  if (columns.ns) row.push_back({each.job.ns()});
  row.push_back({each.job.name()});
  if (columns.values) row.push_back({job::member_values(each.job.object)});
  if (columns.kind) row.push_back({std::string(each.job.kind->resource.kind)});
  row.push_back({std::string(job::phase_name(each.state.phase)), phase_colour(each.state.phase)});
  row.push_back({pods(each.state)});
  const auto created = parse_time(text_at(each.job.object, "/metadata/creationTimestamp"));
  row.push_back({created ? format_age(now - *created) : ""});
  std::ranges::move(load_cells(each.load), std::back_inserter(row));
  row.push_back({job::progress_cell(each.metrics)});
  row.push_back({job::metric_cell(each.metrics)});
  return row;
}

// The number of rows that fit beside the heading and a line about the others.
std::size_t fitting(std::size_t rows, const UsageShape& shape) {
  if (rows < shape.room) return rows;
  return std::min(rows, std::max<std::size_t>(shape.room, 3) - 2);
}

std::string table_text(Table& table, const UsageShape& shape, const Console& console) {
  table.fit(console);
  return table.text(console, shape.with_header);
}

std::string more_line(std::size_t count) {
  return count == 0 ? "" : cat("… ", count, " more\n");
}

// True if `a` requests or uses more of what the order is about.
bool is_larger(const job::Load& a, const job::Load& b, UsageOrder order) {
  if (order == UsageOrder::gpus) return a.requested.gpus > b.requested.gpus;
  if (order == UsageOrder::cpu) return a.used.cpu > b.used.cpu;
  return order == UsageOrder::memory && a.used.memory > b.used.memory;
}

// Replicas are in rank order.
std::vector<const job::ReplicaState*> sorted_replicas(const work::JobUsage& job, UsageOrder order) {
  std::vector<const job::ReplicaState*> all;
  for (const job::ReplicaState& replica : job.state.replicas) all.push_back(&replica);
  std::ranges::stable_sort(all, [&](const auto* one, const auto* other) {
    const job::Load a = job::load_of_replica(*one, job.pods);
    const job::Load b = job::load_of_replica(*other, job.pods);
    if (order != UsageOrder::trouble) return is_larger(a, b, order);
    return job::trouble_rank(*one, a) < job::trouble_rank(*other, b);
  });
  return all;
}

job::Load load_of(const job::NodeLoad& node) {
  job::Load load;
  load.requested = node.requested.value_or(job::Resources{});
  load.used = node.used;
  return load;
}

std::string node_status(const job::NodeLoad& node) {
  if (node.health == job::NodeHealth::unknown) return "";
  return cat(node.health == job::NodeHealth::ready ? "Ready" : "NotReady",
             node.cordoned ? ",Cordoned" : "");
}

Colour status_colour(const job::NodeLoad& node) {
  if (node.health == job::NodeHealth::not_ready) return Colour::red;
  return node.cordoned ? Colour::yellow : Colour::none;
}

// "6/8"; "" for a node without GPUs.
std::string node_gpus(const job::NodeLoad& node) {
  const Amount requested = node.requested ? Amount(node.requested->gpus) : std::nullopt;
  const Amount offered = node.allocatable ? Amount(node.allocatable->gpus) : std::nullopt;
  if (offered == 0 && requested.value_or(0) == 0) return "";
  return parts(count_text, {requested, offered});
}

std::vector<Cell> node_cells(const job::NodeLoad& node) {
  const auto part = [](const std::optional<job::Resources>& of,
                       std::int64_t job::Resources::*which) {
    return of ? Amount((*of).*which) : std::nullopt;
  };
  using job::Resources;
  return {{printable_line(node.name)},
          {node_status(node), status_colour(node)},
          {node_gpus(node)},
          {parts(cores_text, {node.used.cpu, part(node.requested, &Resources::cpu),
                              part(node.allocatable, &Resources::cpu)})},
          {parts(bytes_text, {node.used.memory, part(node.requested, &Resources::memory),
                              part(node.allocatable, &Resources::memory)})}};
}

}  // namespace

std::string cores_text(std::int64_t thousandths) {
  constexpr std::int64_t k_core = 1000;
  constexpr std::int64_t k_tenth = 100;
  if (thousandths > 0 && thousandths < k_tenth) return cat(thousandths, "m");
  const std::int64_t tenths = thousandths % k_core / k_tenth;
  return cat(thousandths / k_core, tenths == 0 ? "" : cat(".", tenths));
}

// Prints tenths of a unit below ten, where they matter.
std::string bytes_text(std::int64_t bytes) {
  constexpr std::string_view k_units[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr std::int64_t k_step = 1024;
  constexpr std::int64_t k_small = 10;
  std::int64_t rest = 0;
  std::size_t unit = 0;
  for (; bytes >= k_step; ++unit) {
    rest = bytes % k_step;
    bytes /= k_step;
  }
  const std::int64_t tenths = bytes < k_small ? rest * k_small / k_step : 0;
  return cat(bytes, tenths == 0 ? "" : cat(".", tenths), k_units[unit]);
}

// Jobs come sorted by namespace and name.
void sort_usage(std::vector<work::JobUsage>& jobs, UsageOrder order) {
  std::ranges::stable_sort(jobs, [order](const work::JobUsage& a, const work::JobUsage& b) {
    if (order == UsageOrder::name) return comes_before(a.job.name(), b.job.name());
    if (order != UsageOrder::trouble) return is_larger(a.load, b.load, order);
    const auto rank = [](const work::JobUsage& one) {
      return job::trouble_rank(one.state, one.load, find(one.metrics, "/lag") != nullptr);
    };
    return rank(a) < rank(b);
  });
}

// Nodes come sorted by trouble.
void sort_usage(std::vector<job::NodeLoad>& nodes, UsageOrder order) {
  std::ranges::stable_sort(nodes, [order](const job::NodeLoad& a, const job::NodeLoad& b) {
    if (order == UsageOrder::name) return a.name < b.name;
    return is_larger(load_of(a), load_of(b), order);
  });
}

std::string job_usage_table(const std::vector<work::JobUsage>& jobs, const UsageShape& shape,
                            const Console& console, Time now) {
  const bool has_values = console.out_is_tty && std::ranges::any_of(jobs, [](const auto& each) {
                            return !job::member_values(each.job.object).empty();
                          });
  const JobColumns with{shape.with_namespace, has_values, has_several_kinds(jobs)};
  std::vector<std::string> header;
  if (with.ns) header.emplace_back("NAMESPACE");
  header.emplace_back("JOB");
  if (with.values) header.emplace_back("VALUES");
  if (with.kind) header.emplace_back("KIND");
  for (const auto* name :
       {"PHASE", "PODS", "AGE", "GPU", "CPU(USED/REQ)", "MEMORY(USED/REQ)", "PROGRESS", "METRIC"}) {
    header.emplace_back(name);
  }
  Table table(std::move(header));
  table.may_drop({"KIND", "MEMORY(USED/REQ)", "AGE", "CPU(USED/REQ)", "GPU", "PODS"}, {"VALUES"});
  const std::size_t shown = fitting(jobs.size(), shape);
  std::map<job::Phase, int> left_out;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    if (at < shown) {
      table.add(job_cells(jobs[at], with, now));
    } else {
      ++left_out[jobs[at].state.phase];
    }
  }
  return table_text(table, shape, console) + left_out_line(left_out);
}

std::string replica_usage_table(const work::JobUsage& job, UsageOrder order,
                                const UsageShape& shape, const Console& console) {
  Table table({"REPLICA", "NODE", "STATE", "RESTARTS", "GPU", "CPU(USED/REQ)", "MEMORY(USED/REQ)"});
  const auto all = sorted_replicas(job, order);
  const std::size_t shown = fitting(all.size(), shape);
  for (std::size_t at = 0; at < shown; ++at) {
    const job::ReplicaState& replica = *all[at];
    const bool has_failed = replica.run.state == job::RunState::failed;
    std::vector<Cell> row = {{replica.id.name()},
                             {printable_line(replica.pod.node)},
                             {std::string(job::shown_state(job.state, replica)),
                              has_failed ? Colour::red : Colour::none},
                             {replica.restarts() ? std::to_string(*replica.restarts()) : ""}};
    std::ranges::move(load_cells(job::load_of_replica(replica, job.pods)), std::back_inserter(row));
    table.add(std::move(row));
  }
  return table_text(table, shape, console) + more_line(all.size() - shown);
}

std::string node_usage_table(const std::vector<job::NodeLoad>& nodes, const UsageShape& shape,
                             const Console& console) {
  Table table(
      {"NODE", "STATUS", "GPU(REQ/ALLOC)", "CPU(USED/REQ/ALLOC)", "MEMORY(USED/REQ/ALLOC)"});
  const std::size_t shown = fitting(nodes.size(), shape);
  for (std::size_t at = 0; at < shown; ++at) table.add(node_cells(nodes[at]));
  return table_text(table, shape, console) + more_line(nodes.size() - shown);
}

}  // namespace trainctl::view
