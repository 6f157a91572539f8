// One spelling for the file and for scripts, so that nothing is lost between them.
#include "work/history/run_report.h"

#include <algorithm>
#include <cstdint>

#include "job/manifest/code.h"

namespace trainctl::work {
namespace {

void put_text(Json& facts, const char* key, const std::string& value) {
  if (!value.empty()) facts[key] = value;
}

void put_time(Json& facts, const char* key, const std::optional<Time>& time) {
  if (time) facts[key] = format_time(*time);
}

void collect_images(const Json& value, std::vector<std::string>& images) {
  if (!value.is_structured()) return;
  const std::string image = value.is_object() ? text_at(value, "/image") : "";
  const bool is_new = !image.empty() && std::ranges::find(images, image) == images.end();
  if (is_new) images.push_back(image);
  for (const Json& inner : value) collect_images(inner, images);
}

}  // namespace

std::optional<Duration> duration_of(const PastRun& run) {
  const auto began = run.started ? run.started : run.submitted;
  const bool is_known = began && run.ended && *run.ended >= *began;
  return is_known ? std::optional<Duration>(*run.ended - *began) : std::nullopt;
}

Json run_facts(const PastRun& run) {
  Json facts = Json::object();
  put_text(facts, "name", run.name);
  put_text(facts, "namespace", run.ns);
  put_text(facts, "jobKind", run.kind);
  put_text(facts, "uid", run.uid);
  put_text(facts, "cluster", run.cluster);
  put_time(facts, "submitted", run.submitted);
  put_time(facts, "started", run.started);
  put_time(facts, "ended", run.ended);
  if (const auto duration = duration_of(run)) {
    facts["seconds"] = std::int64_t{*duration / std::chrono::seconds(1)};
  }
  if (!run.verdict.empty()) {
    facts["verdict"] = {{"result", run.verdict}};
    if (run.exit_status) facts["verdict"]["exitStatus"] = *run.exit_status;
    put_text(facts["verdict"], "message", run.message);
  }
  put_text(facts, "savedLogs", run.saved_logs);
  if (run.origin.elsewhere) facts["submittedElsewhere"] = true;
  put_text(facts, "line", run.origin.line);
  return facts;
}

PastRun read_run_facts(const Json& facts) {
  PastRun run;
  run.name = text_at(facts, "/name");
  run.ns = text_at(facts, "/namespace");
  run.kind = text_at(facts, "/jobKind");
  run.uid = text_at(facts, "/uid");
  run.cluster = text_at(facts, "/cluster");
  run.submitted = parse_time(text_at(facts, "/submitted"));
  run.started = parse_time(text_at(facts, "/started"));
  run.ended = parse_time(text_at(facts, "/ended"));
  run.verdict = text_at(facts, "/verdict/result");
  if (const auto status = int_at(facts, "/verdict/exitStatus")) {
    run.exit_status = static_cast<int>(*status);
  }
  run.message = text_at(facts, "/verdict/message");
  run.saved_logs = text_at(facts, "/savedLogs");
  run.origin.elsewhere = true_at(facts, "/submittedElsewhere");
  run.origin.line = text_at(facts, "/line");
  return run;
}

void add_later_runs(Json& report, const std::vector<PastRun>& later) {
  for (const PastRun& run : later) {
    Json entry = {{"run", run.number}, {"name", run.name}};
    put_text(entry, "result", run.verdict);
    report["laterRuns"].push_back(std::move(entry));
  }
}

Json run_report(const PastRun& run) {
  Json report = {{"apiVersion", "trainctl/v1"}, {"kind", "RunReport"}, {"run", run.number}};
  report.update(run_facts(run));
  if (run.manifest.is_null()) return report;
  report["images"] = images_in(run.manifest);
  if (Json code = job::code_of(run.manifest); !code.is_null()) report["code"] = std::move(code);
  report["manifest"] = run.manifest;
  return report;
}

Json run_report_list(const std::vector<PastRun>& runs) {
  Json items = Json::array();
  for (const PastRun& run : runs) items.push_back(run_report(run));
  return {{"apiVersion", "trainctl/v1"}, {"kind", "RunReportList"}, {"items", std::move(items)}};
}

std::vector<std::string> images_in(const Json& manifest) {
  std::vector<std::string> images;
  collect_images(manifest, images);
  return images;
}

}  // namespace trainctl::work
