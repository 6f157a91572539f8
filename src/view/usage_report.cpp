// The data of `top -o json`; docs/commands.md lists its fields.
#include "base/text/table.h"
#include "base/text/text.h"
#include "manifest/array.h"
#include "status/usage.h"
#include "view/job_table.h"
#include "view/usage_table.h"

namespace trainctl::view {
namespace {

constexpr double k_core = 1000.0;

std::string_view word_for(work::MetricsAnswer answer) {
  switch (answer) {
    case work::MetricsAnswer::served:
      return "served";
    case work::MetricsAnswer::not_served:
      return "notServed";
    case work::MetricsAnswer::failed:
      return "failed";
  }
  return "";
}

double cores(std::int64_t thousandths) {
  return static_cast<double>(thousandths) / k_core;
}

void add_resources(Json& report, std::string_view what, const job::Resources& resources) {
  const std::string key(what);
  report["gpus"][key] = resources.gpus;
  report["cpu"][key] = cores(resources.cpu);
  report["memory"][key] = resources.memory;
}

void add_usage(Json& report, const job::Usage& used) {
  if (used.cpu) report["cpu"]["used"] = cores(*used.cpu);
  if (used.memory) report["memory"]["used"] = *used.memory;
}

void add_load(Json& report, const job::Load& load) {
  add_resources(report, "requested", load.requested);
  add_usage(report, load.used);
}

Json replica_report(const job::JobState& job, const job::ReplicaState& replica,
                    const job::PodLoads& pods) {
  Json report = {{"name", replica.id.name()}, {"state", job::shown_state(job, replica)}};
  if (!replica.pod.node.empty()) report["node"] = replica.pod.node;
  if (replica.restarts()) report["restarts"] = *replica.restarts();
  add_load(report, job::load_of_replica(replica, pods));
  return report;
}

Json report_of(const work::JobUsage& usage) {
  int running = 0;
  Json replicas = Json::array();
  for (const job::ReplicaState& replica : usage.state.replicas) {
    running += replica.run.state == job::RunState::running ? 1 : 0;
    replicas.push_back(replica_report(usage.state, replica, usage.pods));
  }
  Json report = {{"name", usage.job.name()},
                 {"namespace", usage.job.ns()},
                 {"jobKind", usage.job.kind->resource.kind},
                 {"phase", job::phase_name(usage.state.phase)},
                 {"pods",
                  {{"wanted", usage.state.replicas.size()},
                   {"running", running},
                   {"measured", usage.load.measured_pods}}}};
  add_load(report, usage.load);
  report["replicas"] = std::move(replicas);
  return report;
}

Json report_of(const job::NodeLoad& node) {
  Json report = {{"name", node.name}};
  if (node.health != job::NodeHealth::unknown) {
    report["ready"] = node.health == job::NodeHealth::ready;
    report["cordoned"] = node.cordoned;
  }
  if (node.allocatable) add_resources(report, "allocatable", *node.allocatable);
  if (node.requested) add_resources(report, "requested", *node.requested);
  add_usage(report, node.used);
  return report;
}

Json list_of(std::string_view kind, const work::UsageGaps& gaps, Json items) {
  return {{"apiVersion", "trainctl/v1"},
          {"kind", kind},
          {"metrics", word_for(gaps.metrics)},
          {"items", std::move(items)}};
}

}  // namespace

Json job_usage_report(const work::JobsUsage& usage) {
  Json items = Json::array();
  for (const work::JobUsage& each : usage.jobs) items.push_back(report_of(each));
  return list_of("JobUsageList", usage.gaps, std::move(items));
}

Json node_usage_report(const work::NodesUsage& usage) {
  Json items = Json::array();
  for (const job::NodeLoad& each : usage.nodes) items.push_back(report_of(each));
  Json report = list_of("NodeUsageList", usage.gaps, std::move(items));
  if (!usage.pods_of.empty()) report["podsOf"] = usage.pods_of;
  return report;
}

}  // namespace trainctl::view
