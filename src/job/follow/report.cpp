// JobReport: the judged state beside the API object it came from.
#include "job/follow/report.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "base/text/time.h"
#include "job/follow/failure_cause.h"
#include "job/manifest/code.h"
#include "job/status/exit_words.h"

namespace trainctl::job {

namespace {

Json replica_report(const ReplicaState& replica) {
  Json report = {{"name", replica.id.name()},
                 {"role", std::string(replica.id.role->name)},
                 {"index", replica.id.index}};
  if (replica.rank) report["rank"] = *replica.rank;
  if (!replica.pod.name.empty()) report["pod"] = replica.pod.name;
  if (!replica.pod.node.empty()) report["node"] = replica.pod.node;
  report["state"] = std::string(run_state_name(replica.run.state));
  if (!replica.run.reason.empty()) report["reason"] = replica.run.reason;
  if (!replica.run.message.empty()) report["message"] = replica.run.message;
  if (replica.last_exit.code) report["exitCode"] = *replica.last_exit.code;
  if (replica.run.restarts) report["restarts"] = *replica.run.restarts;
  if (replica.run.since) report["since"] = format_time(*replica.run.since);
  return report;
}

Json verdict_report(const Status& verdict) {
  const Code code = verdict ? Code::ok : verdict.error().code;
  Json report = {{"result", std::string(exit_word(code))}, {"exitStatus", static_cast<int>(code)}};
  if (verdict) return report;
  report["message"] = verdict.error().message;
  if (!verdict.error().hint.empty()) report["hint"] = verdict.error().hint;
  return report;
}

Json digest_report(const Outcome& outcome) {
  const ReplicaState& replica = *outcome.culprit;
  Json report = {{"replica", replica.id.name()}};
  if (replica.last_exit.code) {
    report["exitCode"] = *replica.last_exit.code;
    if (const auto signal = signal_of(*replica.last_exit.code)) report["signal"] = *signal;
  }
  if (!replica.run.reason.empty()) report["reason"] = replica.run.reason;
  if (replica.last_exit.finished) report["finished"] = format_time(*replica.last_exit.finished);
  for (const Cause cause : failure_of(outcome).causes) {
    report["causes"].push_back(std::string(word_of(k_causes, cause)));
  }
  report["lastLines"] = outcome.last_lines;
  return report;
}

Json head(const Kind* kind, std::string_view ns, std::string_view name) {
  Json report = {{"apiVersion", "trainctl/v1"},
                 {"kind", "JobReport"},
                 {"name", std::string(name)},
                 {"namespace", std::string(ns)}};
  if (kind != nullptr) report["jobKind"] = std::string(kind->resource.kind);
  return report;
}

// From the pod's start to its last exit, or to the end of following. nullopt: it is not known.
std::optional<std::int64_t> seconds_of(const ReplicaState& replica, Time followed_until) {
  using std::chrono::seconds;
  const bool over = replica.run.is_over() || replica.run.state == RunState::missing;
  const auto end = over ? replica.last_exit.finished : followed_until;
  if (!replica.pod.placed || !end || *end < *replica.pod.placed) return std::nullopt;
  return (std::chrono::floor<seconds>(*end) - std::chrono::floor<seconds>(*replica.pod.placed))
      .count();
}

void add_outcome(Json& report, const Outcome& outcome) {
  report["verdict"] = verdict_report(outcome.verdict);
  using std::chrono::seconds;
  // Computed from the times as they are printed.
  const auto stayed =
      std::chrono::floor<seconds>(outcome.ended) - std::chrono::floor<seconds>(outcome.began);
  report["followed"] = {{"began", format_time(outcome.began)},
                        {"ended", format_time(outcome.ended)},
                        {"seconds", stayed.count()}};
  if (outcome.culprit) report["digest"] = digest_report(outcome);
}

}  // namespace

Json job_report(const Kind& kind, const Json& job, const JobState& state,
                const ReportDetails& details) {
  Json report = head(&kind, text_at(job, "/metadata/namespace"), text_at(job, "/metadata/name"));
  report["phase"] = std::string(phase_name(state.phase));
  if (!state.reason.empty()) report["reason"] = state.reason;
  if (!state.message.empty()) report["message"] = state.message;
  if (state.since) report["since"] = format_time(*state.since);
  report["replicas"] = Json::array();
  for (const ReplicaState& replica : state.replicas) {
    Json of_replica = replica_report(replica);
    if (details.outcome != nullptr) {
      const auto seconds = seconds_of(replica, details.outcome->ended);
      if (seconds) of_replica["seconds"] = *seconds;
    }
    report["replicas"].push_back(std::move(of_replica));
  }
  if (details.outcome != nullptr) add_outcome(report, *details.outcome);
  if (details.events != nullptr) {
    report["events"] = Json::array();
    for (const JobEvent& event : *details.events) report["events"].push_back(event_report(event));
  }
  if (Json code = code_of(job); !code.is_null()) report["code"] = std::move(code);
  report["object"] = job;
  return report;
}

Json report_without_job(const Kind* kind, std::string_view ns, std::string_view name,
                        const Outcome& outcome) {
  Json report = head(kind, ns, name);
  add_outcome(report, outcome);
  return report;
}

Json job_report_list(std::vector<Json> reports) {
  return {{"apiVersion", "trainctl/v1"},
          {"kind", "JobReportList"},
          {"items", Json(std::move(reports))}};
}

}  // namespace trainctl::job
