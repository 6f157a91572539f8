// JobReport: the judged state beside the API object it came from.
#include "job/report.h"

#include "base/time.h"

namespace trainctl::job {

namespace {

Json replica_report(const ReplicaState& replica) {
  Json report = {{"name", replica.id.name()},
                 {"role", std::string(replica.id.role->name)},
                 {"index", replica.id.index}};
  if (replica.rank) report["rank"] = *replica.rank;
  if (!replica.pod.empty()) report["pod"] = replica.pod;
  if (!replica.node.empty()) report["node"] = replica.node;
  report["state"] = replica.state;
  if (!replica.reason.empty()) report["reason"] = replica.reason;
  if (!replica.message.empty()) report["message"] = replica.message;
  if (replica.exit_code) report["exitCode"] = *replica.exit_code;
  report["restarts"] = replica.restarts;
  if (replica.since) report["since"] = format_time(*replica.since);
  return report;
}

}  // namespace

Json job_report(const Kind& kind, const Json& job, const JobState& state) {
  Json report = {{"apiVersion", "trainctl/v1"},
                 {"kind", "JobReport"},
                 {"name", text_at(job, "/metadata/name")},
                 {"namespace", text_at(job, "/metadata/namespace")},
                 {"jobKind", std::string(kind.resource.kind)},
                 {"phase", std::string(phase_name(state.phase))}};
  if (!state.reason.empty()) report["reason"] = state.reason;
  if (!state.message.empty()) report["message"] = state.message;
  if (state.since) report["since"] = format_time(*state.since);
  report["replicas"] = Json::array();
  for (const ReplicaState& replica : state.replicas) {
    report["replicas"].push_back(replica_report(replica));
  }
  report["object"] = job;
  return report;
}

Json job_report_list(std::vector<Json> reports) {
  return {{"apiVersion", "trainctl/v1"},
          {"kind", "JobReportList"},
          {"items", Json(std::move(reports))}};
}

}  // namespace trainctl::job
