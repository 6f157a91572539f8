// JobReport: the judged state beside the API object it came from.
#include "follow/report.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text/text.h"
#include "base/text/time.h"
#include "follow/failure_cause.h"
#include "kube/object/metadata.h"
#include "manifest/array.h"
#include "manifest/code.h"
#include "metrics/job_best.h"
#include "metrics/metric_json.h"
#include "metrics/metric_words.h"
#include "status/exit_words.h"

namespace trainctl::job {
namespace {

Json replica_report(const JobState& job, const ReplicaState& replica) {
  Json report = {{"name", replica.id.name()},
                 {"role", std::string(replica.id.role->name)},
                 {"index", replica.id.index}};
  if (replica.rank) report["rank"] = *replica.rank;
  if (!replica.pod.name.empty()) report["pod"] = replica.pod.name;
  if (!replica.pod.node.empty()) report["node"] = replica.pod.node;
  report["state"] = std::string(shown_state(job, replica));
  if (!replica.run.reason.empty()) report["reason"] = replica.run.reason;
  if (!replica.run.message.empty()) report["message"] = replica.run.message;
  if (replica.last_exit.code) report["exitCode"] = *replica.last_exit.code;
  if (replica.restarts()) report["restarts"] = *replica.restarts();
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

void add_leftover(Json& verdict, const Leftover& job) {
  if (std::holds_alternative<std::monostate>(job)) return;
  const auto* failed = std::get_if<NotDeleted>(&job);
  const bool deleted = std::holds_alternative<Deleted>(job);
  verdict["job"] = failed != nullptr ? "deletion failed" : deleted ? "deleted" : "left";
  if (failed != nullptr) verdict["deletionError"] = failed->why.message;
}

void add_outcome(Json& report, const Outcome& outcome) {
  set_verdict(report, outcome.verdict);
  add_leftover(report["verdict"], outcome.job);
  if (outcome.attached) report["attached"] = true;
  using std::chrono::seconds;
  // Computed from the times as they are printed.
  const auto stayed =
      std::chrono::floor<seconds>(outcome.ended) - std::chrono::floor<seconds>(outcome.began);
  report["followed"] = {{"began", format_time(outcome.began)},
                        {"ended", format_time(outcome.ended)},
                        {"seconds", stayed.count()}};
  if (outcome.unread) report["followed"]["unread"] = true;
  if (outcome.culprit) report["digest"] = digest_report(outcome);
  if (!outcome.metrics.empty()) report["metrics"] = metrics_json(outcome.metrics, false);
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
    Json of_replica = replica_report(state, replica);
    if (details.outcome != nullptr) {
      const auto seconds = seconds_of(replica, details.outcome->ended);
      if (seconds) of_replica["seconds"] = *seconds;
    }
    report["replicas"].push_back(std::move(of_replica));
  }
  if (details.outcome != nullptr) add_outcome(report, *details.outcome);
  if (details.metrics != nullptr && !details.metrics->empty()) {
    report["metrics"] = metrics_json(*details.metrics, false);
  }
  if (details.events != nullptr) {
    report["events"] = Json::array();
    for (const JobEvent& event : *details.events) report["events"].push_back(event_report(event));
  }
  if (details.inside != nullptr && !details.inside->is_null()) report["doctor"] = *details.inside;
  if (Json code = code_of(job); !code.is_null()) report["code"] = std::move(code);
  report["object"] = job;
  return report;
}

void set_verdict(Json& report, const Status& verdict) {
  report["verdict"] = verdict_report(verdict);
}

Json report_without_job(const Kind* kind, std::string_view ns, std::string_view name,
                        const Outcome& outcome) {
  Json report = head(kind, ns, name);
  add_outcome(report, outcome);
  return report;
}

std::string title_name(const Json& report) {
  if (std::string name = text_at(report, "/name"); !name.empty()) return name;
  const std::string labels = text_at(report, "/selector");
  return labels.empty() ? "(newest)" : cat("-l ", labels);
}

Json job_report_list(std::vector<Json> reports) {
  return {{"apiVersion", "trainctl/v1"},
          {"kind", "JobReportList"},
          {"items", Json(std::move(reports))}};
}

namespace {

// The best point of the metric that says most about the job.
std::optional<JobBest> best_point(const Json& report) {
  const Json* const series = find(report, "/metrics/series/0");
  if (series == nullptr || int_at(report, "/verdict/exitStatus") != 0) return std::nullopt;
  const Json* const value = find(*series, "/best/value");
  const Json* const step = find(*series, "/best/step");
  const bool is_finite = find(*series, "/notFiniteSince") == nullptr;
  if (value == nullptr || step == nullptr || !is_finite) return std::nullopt;
  return JobBest{text_at(report, "/name"), member_values(object_at(report, "/object")),
                 text_at(*series, "/name"), value->get<double>(), step->get<double>()};
}

}  // namespace

std::string best_job(std::span<const Json> reports) {
  std::vector<JobBest> all;
  for (const Json& report : reports) {
    if (auto point = best_point(report)) all.push_back(*std::move(point));
  }
  const JobBest* const best = best_of(all);
  if (best == nullptr) return "";
  return cat("best ", printable_line(best->metric), ' ', metric_text(best->value), " at ",
             step_text(best->step), ": ", name_of(*best));
}

namespace {

// XML 1.0 cannot hold these characters, even escaped. Control characters are gone from a printable
// line.
bool begins_noncharacter(std::string_view text) {
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf");
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (begins_noncharacter(text.substr(at))) {
      out += "\xef\xbf\xbd";
      at += 2;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return cat(' ', name, "=\"", escaped(printable_line(value)), '"');
}

std::string last_lines(const Json& report) {
  std::string text;
  for (const Json& line : array_at(report, "/digest/lastLines")) {
    text += printable_line(line.get_ref<const std::string&>()) + '\n';
  }
  return text;
}

std::string printable_lines(std::string_view text) {
  std::vector<std::string> lines = written_lines(text);
  for (std::string& line : lines) line = printable_line(line);
  return join(lines, "\n");
}

std::string trouble(std::string_view element, std::string_view message, std::string_view text) {
  return cat("      <", element, attribute("message", message), '>', escaped(text), "</", element,
             ">\n");
}

std::string test_case(std::string_view suite, std::string_view name, std::string_view seconds,
                      std::string_view inside) {
  return cat("    <testcase", attribute("classname", suite), attribute("name", name),
             attribute("time", seconds), inside.empty() ? "/>\n" : ">\n", inside,
             inside.empty() ? "" : "    </testcase>\n");
}

constexpr std::string_view k_tried_again = "; it was tried again";

// A replica failed if it did so itself, or if the verdict blames it. A replica that clean-up is
// stopping or has stopped has not failed.
bool is_failed(const Json& report, const Json& replica) {
  return text_at(replica, "/state") == "Failed" ||
         text_at(replica, "/name") == text_at(report, "/digest/replica", "-");
}

// The words for a replica's state when nobody will look at it again.
std::string final_state(const Json& report, const Json& replica) {
  std::string state = text_at(replica, "/state");
  const auto phase = parse_phase(text_at(report, "/phase"));
  const bool was_running = state == "Running" && phase && is_final(*phase);
  return was_running ? "Running when the job ended" : state;
}

std::string skipped(std::string_view why) {
  return cat("      <skipped", attribute("message", why), "/>\n");
}

// A failed replica is a failure where the verdict is not a success. It never passes: when the job
// succeeded without it, it is skipped.
std::string failed_replica(const Json& report, const Json& replica, bool all_well) {
  const bool is_known = int_at(replica, "/exitCode").value_or(0) != 0;
  const Json& source = is_known ? replica : object_at(report, "/digest");
  const std::string how = exit_words(int_at(source, "/exitCode"), text_at(source, "/reason"));
  const std::string message = text_at(replica, "/message");
  if (!all_well) return trouble("failure", how, printable_lines(message));
  const std::string text = message.empty() ? how : cat(how, ": ", message);
  return skipped(cat(text, is_retried(report) ? k_tried_again : "; the job succeeded without it"));
}

bool never_ran(const Json& replica) {
  const std::string state = text_at(replica, "/state");
  const bool waits = state == "Pending" || state == "Waiting";
  return waits || (state == "Terminating" && text_at(replica, "/reason").starts_with("Init"));
}

// A replica that did not come to its end has passed nothing, unless the job did well without it,
// and one whose program never ran has not passed at all.
bool is_skipped(const Json& report, const Json& replica, bool all_well) {
  if (is_failed(report, replica)) return all_well;
  return all_well ? never_ran(replica) : text_at(replica, "/state") != "Succeeded";
}

std::string replica_case(std::string_view suite, const Json& report, const Json& replica,
                         bool all_well) {
  std::string inside;
  if (is_failed(report, replica)) {
    inside = failed_replica(report, replica, all_well);
  } else if (is_skipped(report, replica, all_well)) {
    inside = skipped(final_state(report, replica));
  }
  const std::string seconds = cat(int_at(replica, "/seconds").value_or(0));
  return test_case(suite, text_at(replica, "/name"), seconds, inside);
}

// "loss" and "loss.best", as the last element before the test cases.
std::string metric_properties(const Json& report) {
  std::string xml;
  const auto property = [&xml](const std::string& name, const std::string& value) {
    if (value.empty()) return;
    xml += cat("      <property", attribute("name", name), attribute("value", value), "/>\n");
  };
  const auto number = [](const Json& series, const char* place) {
    const Json* const value = find(series, place);
    return value == nullptr ? std::string() : dump(*value);
  };
  for (const Json& series : array_at(report, "/metrics/series")) {
    const std::string name = text_at(series, "/name");
    // JSON has no NaN, so that the last value is the last that was a number.
    const std::string lost = text_at(series, "/notFinite");
    property(name, lost.empty() ? number(series, "/last/value") : lost);
    property(name + ".best", number(series, "/best/value"));
  }
  return xml.empty() ? "" : cat("    <properties>\n", xml, "    </properties>\n");
}

std::string test_suite(const Json& report) {
  const std::string suite = cat(text_at(report, "/namespace"), '.', title_name(report));
  const std::string seconds = cat(int_at(report, "/followed/seconds").value_or(0));
  const auto status = int_at(report, "/verdict/exitStatus").value_or(0);
  const bool is_fine = status == 0 || is_retried(report);
  const bool failed = !is_fine && status == static_cast<int>(Code::job_failed);
  const Json& replicas = array_at(report, "/replicas");
  const auto failed_replicas = std::ranges::count_if(
      replicas, [&report](const Json& replica) { return is_failed(report, replica); });
  const auto skipped_replicas = std::ranges::count_if(
      replicas, [&](const Json& replica) { return is_skipped(report, replica, is_fine); });
  const auto skips = skipped_replicas + (is_retried(report) ? 1 : 0);
  const auto failures = is_fine ? 0 : failed_replicas + (failed ? 1 : 0);

  std::string verdict;
  if (is_retried(report)) {
    verdict = skipped(cat(text_at(report, "/verdict/message"), k_tried_again));
  } else if (!is_fine) {
    verdict = trouble(failed ? "failure" : "error", text_at(report, "/verdict/message"),
                      last_lines(report));
  }
  std::string xml = cat(
      "  <testsuite", attribute("name", suite), attribute("tests", cat(replicas.size() + 1)),
      attribute("failures", cat(failures)), attribute("errors", !is_fine && !failed ? "1" : "0"),
      attribute("skipped", cat(skips)), attribute("time", seconds),
      attribute("timestamp", text_at(report, "/followed/began")), ">\n");
  xml += metric_properties(report);
  xml += test_case(suite, "verdict", seconds, verdict);
  for (const Json& replica : replicas) xml += replica_case(suite, report, replica, is_fine);
  return xml + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(std::span<const Json> reports) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Json& report : reports) xml += test_suite(report);
  return xml + "</testsuites>\n";
}

namespace {

// One table cell or line of text: nothing in it is markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : printable_line(text)) {
    if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// A fence longer than any run of backticks inside.
std::string fence_for(const Json& lines) {
  std::size_t longest = 2;
  for (const Json& line : lines) {
    std::size_t run = 0;
    for (const char c : line.get_ref<const std::string&>()) {
      run = c == '`' ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  return std::string(longest + 1, '`');
}

std::string restarts(const Json& replica) {
  const auto count = int_at(replica, "/restarts");
  return count ? cat(*count) : "";
}

std::string row(const Json& report, const Json& replica) {
  const auto exit_code = int_at(replica, "/exitCode");
  return cat("| ", plain(text_at(replica, "/name")), " | ", plain(final_state(report, replica)),
             " | ", exit_code ? exit_code_words(*exit_code) : "", " | ", restarts(replica), " | ",
             plain(text_at(replica, "/reason")), " |\n");
}

std::string table(const Json& report) {
  const Json& replicas = array_at(report, "/replicas");
  if (replicas.empty()) return "";
  std::string text = "| replica | state | exit code | restarts | reason |\n|---|---|---|---|---|\n";
  for (const Json& replica : replicas) text += row(report, replica);
  return text;
}

std::string digest(const Json& report) {
  const Json& lines = array_at(report, "/digest/lastLines");
  if (lines.empty()) return "";
  const std::string fence = fence_for(lines);
  std::string text =
      cat("\n<details><summary>Last lines of ", plain(text_at(report, "/digest/replica")),
          "</summary>\n\n", fence, "text\n");
  for (const Json& line : lines) {
    text += printable_line(line.get_ref<const std::string&>()) + '\n';
  }
  return cat(text, fence, "\n\n</details>\n");
}

// The main metric as a chart, which GitHub draws; its numbers in words for everything else.
std::string curve(const Json& report) {
  const Json& series = array_at(report, "/metrics/series");
  if (series.empty()) return "";
  std::string text =
      plain(metric_words(series[0], step_unit(object_at(report, "/metrics")))) + "\n\n";
  const Json& values = array_at(report, "/metrics/curve/values");
  if (values.empty()) return text;
  std::string title = text_at(series[0], "/name");
  std::ranges::replace_if(
      title, [](char c) { return !is_letter_or_digit(c) && c != '_'; }, ' ');
  const Json& range = object_at(report, "/metrics/curve");
  return cat(text, "```mermaid\nxychart-beta\n    x-axis \"step\" ",
             dump(range.value("from", Json(0))), " --> ", dump(range.value("to", Json(1))),
             "\n    y-axis \"", title, "\"\n    line ", dump(values), "\n```\n\n");
}

}  // namespace

std::string markdown_summary(const Json& report) {
  const std::string result = text_at(report, "/verdict/result");
  const std::string message = text_at(report, "/verdict/message");
  const bool retried = is_retried(report);
  const bool has_failed_as_awaited =
      result == exit_word(Code::ok) && text_at(report, "/phase") == phase_name(Phase::failed);
  std::string text = cat(retried                 ? "### 🔁 "
                         : result == "succeeded" ? "### ✅ "
                                                 : "### ❌ ",
                         plain(text_at(report, "/jobKind", "job")), ' ',
                         plain(text_at(report, "/namespace")), '/', plain(title_name(report)), ": ",
                         has_failed_as_awaited ? "failed, as was awaited" : plain(result),
                         retried ? ", and tried again" : "", "\n\n");
  if (!message.empty()) text += plain(message) + "\n\n";
  text += curve(report);
  return text + table(report) + digest(report) + '\n';
}

}  // namespace trainctl::job
