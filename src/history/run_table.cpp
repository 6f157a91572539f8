// The history outlives the cluster, so these words need nothing but the records.
#include "history/run_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/text/table.h"
#include "base/text/text.h"
#include "history/run_report.h"
#include "manifest/code.h"
#include "metrics/metric_json.h"
#include "metrics/metric_words.h"

namespace trainctl::view {
namespace {

Colour verdict_colour(const work::PastRun& run) {
  if (run.verdict.empty()) return Colour::none;
  if (run.verdict == "succeeded") return Colour::green;
  return run.ended ? Colour::red : Colour::yellow;
}

std::string place_of(const work::PastRun& run) {
  return printable_line(run.cluster.empty() ? run.ns : cat(run.cluster, '/', run.ns));
}

std::string length_of(const work::PastRun& run) {
  const auto duration = work::duration_of(run);
  return duration ? format_age(*duration) : "";
}

std::string moment(const std::optional<Time>& time, Time now) {
  return time ? cat(format_time(*time), " (", format_age(now - *time), " ago)") : "";
}

std::string verdict_words(const work::PastRun& run) {
  if (run.verdict.empty()) return "unknown: no command has seen its end";
  std::string words = printable_line(run.verdict);
  if (run.exit_status && *run.exit_status != 0) words += cat(" (exit ", *run.exit_status, ')');
  if (!run.message.empty()) words += cat(": ", printable_line(run.message));
  return words;
}

// Behind values that were not the run's last; "" behind others.
std::string_view early_words(const work::PastRun& run) {
  return run.metrics_end_early() ? ", when last read" : "";
}

std::string words_of_metric(const work::PastRun& run, const Json& series) {
  return job::metric_words(series, job::step_unit(run.metrics));
}

// "loss 0.3557 (best 0.3541 at 1190)" of the metric that says most, or of all; "" = there are none.
std::string main_metric(const work::PastRun& run) {
  const Json& all = array_at(run.metrics, "/series");
  const std::string not_finite = text_at(run.metrics, "/notFinite");
  for (const Json& series : all) {
    if (!not_finite.empty() && text_at(series, "/name") == not_finite)
      return cat(words_of_metric(run, series), early_words(run));
  }
  return all.empty() ? "" : cat(words_of_metric(run, all[0]), early_words(run));
}

std::string all_metrics(const work::PastRun& run) {
  constexpr std::size_t k_most = 6;
  const Json& all = array_at(run.metrics, "/series");
  std::vector<std::string> words;
  for (const Json& series : all) {
    if (words.size() < k_most) words.push_back(words_of_metric(run, series));
  }
  if (all.size() > k_most) words.push_back(cat(all.size() - k_most, " more"));
  return words.empty() ? "" : cat(join(words, ", "), early_words(run));
}

std::vector<std::string> metrics_in(const work::PastRun& run) {
  std::vector<std::string> names;
  for (const Json& series : array_at(run.metrics, "/series")) {
    names.push_back(text_at(series, "/name"));
  }
  return names;
}

// Those of `a`, and those of `b` that none of them is another spelling of.
std::vector<std::string> metric_names(const work::PastRun& a, const work::PastRun& b) {
  std::vector<std::string> names = metrics_in(a);
  const std::vector<std::string> of_b = metrics_in(b);
  std::vector<std::string> compared;
  for (const std::string& name : names) compared.push_back(job::spelling_among(of_b, name));
  for (const std::string& name : of_b) {
    if (std::ranges::find(compared, name) == compared.end()) names.push_back(name);
  }
  return names;
}

// "0.3557 (best 0.3541 at 1190)"; "" = the run has no such metric.
std::string metric_in(const work::PastRun& run, const std::string& metric) {
  const std::string name = job::spelling_among(metrics_in(run), metric);
  for (const Json& series : array_at(run.metrics, "/series")) {
    if (text_at(series, "/name") != name) continue;
    return cat(words_of_metric(run, series).substr(printable_line(name).size() + 1),
               early_words(run));
  }
  return "";
}

// "run 4, ddp-x7k2p: succeeded; run 5, ddp-m3w9c".
std::string later_words(const std::vector<work::PastRun>& later) {
  std::vector<std::string> parts;
  for (const work::PastRun& run : later) {
    parts.push_back(cat("run ", run.number, ", ", printable_line(run.name),
                        run.verdict.empty() ? "" : cat(": ", printable_line(run.verdict))));
  }
  return join(parts, "; ");
}

// "12.5"
std::string hours_words(double hours) {
  constexpr std::int64_t k_ten = 10;
  const auto tenths = static_cast<std::int64_t>(std::llround(hours * k_ten));
  return cat(tenths / k_ten, '.', tenths % k_ten);
}

}  // namespace

std::string run_table(const std::vector<work::PastRun>& runs, Time now, const Console& console,
                      bool with_header) {
  const bool has_metrics =
      std::ranges::any_of(runs, [](const work::PastRun& run) { return !main_metric(run).empty(); });
  const bool has_values =
      console.out_is_tty && std::ranges::any_of(runs, [](const work::PastRun& run) {
        return !run.origin.array_values.empty();
      });
  std::vector<std::string> header = {"RUN",       "NAME",     "KIND",   "CLUSTER/NAMESPACE",
                                     "SUBMITTED", "DURATION", "VERDICT"};
  if (has_values) header.insert(header.begin() + 2, "VALUES");
  if (has_metrics) header.emplace_back("METRIC");
  Table table(std::move(header));
  for (const work::PastRun& run : runs) {
    std::vector<Cell> cells = {{std::to_string(run.number)},
                               {printable_line(run.name)},
                               {printable_line(run.kind)},
                               {place_of(run)},
                               {run.submitted ? format_age(now - *run.submitted) + " ago" : ""},
                               {length_of(run)},
                               {printable_line(run.verdict), verdict_colour(run)}};
    if (has_values) cells.insert(cells.begin() + 2, Cell{run.origin.array_values});
    if (has_metrics) cells.push_back({main_metric(run)});
    table.add(std::move(cells));
  }
  table.fit(console);
  table.may_drop({"KIND", "CLUSTER/NAMESPACE", "DURATION", "SUBMITTED"}, {"VALUES"});
  return table.text(console, with_header);
}

std::string gpu_hours_table(const work::GpuHours& hours, const std::string& group,
                            const Console& console, bool with_header) {
  std::vector<std::string> header = {"RUNS", "GPU-HOURS"};
  if (!group.empty()) header.insert(header.begin(), group);
  Table table(std::move(header));
  const auto add = [&](const std::string& name, const work::GpuHoursGroup& one) {
    std::vector<Cell> cells = {{std::to_string(one.runs)}, {hours_words(one.hours)}};
    if (!group.empty()) cells.insert(cells.begin(), Cell{printable_line(name)});
    table.add(std::move(cells));
  };
  for (const work::GpuHoursGroup& one : hours.groups) add(one.name, one);
  if (hours.groups.size() != 1) add("total", hours.total);
  table.fit(console);
  return table.text(console, with_header);
}

std::string run_description(const work::PastRun& run, const OtherRuns& others, Time now,
                            const Console& console) {
  std::string text;
  const auto fact = [&text](std::string_view name, const std::string& value) {
    constexpr std::size_t k_width = 12;
    if (value.empty()) return;
    std::string line = cat(name, ":");
    line.resize(k_width, ' ');
    text += cat(line, value, '\n');
  };
  fact("Run", cat(run.number, ", ", printable_line(run.kind), ' ', printable_line(run.name)));
  fact("Values", printable_line(run.origin.array_values));
  fact("Place", place_of(run));
  fact("Submitted", moment(run.submitted, now));
  fact("Ended", moment(run.ended, now));
  fact("Duration", length_of(run));
  fact("Verdict", console.painted(verdict_words(run), verdict_colour(run)));
  fact("Metrics", all_metrics(run));
  fact("Images", printable_line(join(work::images_of(run.cluster, run.manifest), ", ")));
  fact("Code", printable_line(job::code_words(run.manifest)));
  fact("Logs", printable_line(run.saved_logs));
  fact("Line", printable_line(run.origin.line));
  fact("Earlier", join(others.earlier, ", "));
  fact("Run again", later_words(others.later));
  return text;
}

std::vector<work::Difference> run_differences(const work::PastRun& a, const work::PastRun& b) {
  std::vector<work::Difference> found;
  const auto compare = [&](const std::string& what, const std::string& of_a,
                           const std::string& of_b) {
    if (of_a == of_b) return;
    found.push_back({what, of_a.empty() ? Json() : Json(of_a), of_b.empty() ? Json() : Json(of_b)});
  };
  compare("verdict", a.verdict, b.verdict);
  compare("duration", length_of(a), length_of(b));
  compare("kind", a.kind, b.kind);
  compare("cluster", a.cluster, b.cluster);
  compare("namespace", a.ns, b.ns);
  for (const std::string& name : metric_names(a, b)) {
    compare(cat("metrics.", printable_line(name)), metric_in(a, name), metric_in(b, name));
  }
  compare("code", job::code_words(a.manifest), job::code_words(b.manifest));
  if (a.manifest.is_null() || b.manifest.is_null()) return found;
  // --local copies the variable of the shell, which each terminal may have another way.
  const bool are_local =
      a.cluster == work::k_embedded_cluster && b.cluster == work::k_embedded_cluster;
  for (work::Difference& one : work::differences(a.manifest, b.manifest)) {
    const bool is_of_shell = are_local && one.path.ends_with(".env[PATH].value");
    if (!is_of_shell) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace trainctl::view
