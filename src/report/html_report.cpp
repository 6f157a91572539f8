// The parts of a page in the order in which a reader asks: how it ended, why, what it was.
#include "report/html_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "metrics/metric_words.h"
#include "metrics/svg_chart.h"
#include "report/html.h"

namespace trainctl::view {
namespace {

// The shares of k_largest_page. The rest is for charts, lanes and styles, whose size is bounded.
constexpr std::size_t k_kib = 1024;
constexpr std::size_t k_share_of_log = 32 * k_kib;
constexpr std::size_t k_share_of_manifest = 20 * k_kib;
constexpr std::size_t k_share_of_facts = 10 * k_kib;
constexpr std::size_t k_share_of_events = 10 * k_kib;
constexpr std::size_t k_share_of_values = 10 * k_kib;
constexpr std::size_t k_share_of_differences = 7 * k_kib;
constexpr std::size_t k_share_of_members = 90 * k_kib;

constexpr int k_longest_text = 300;  // columns, of a cause or a value
constexpr int k_longest_cell = 240;
constexpr int k_longest_name = 60;  // of a metric
constexpr std::size_t k_most_events = 30;

// With more points a chart is larger, but not clearer.
constexpr std::size_t k_points_of_large = 600;
constexpr std::size_t k_points_of_small = 120;

Html words(std::string_view text, int columns = k_longest_text) {
  return Html::text(shortened(printable_line(text), columns));
}

Html left_out_note(std::size_t count, std::string_view what) {
  if (count == 0) return {};
  return element("p", "soft", Html::text(cat(plural(static_cast<long>(count), what), " left out")));
}

std::string_view class_of_tone(Tone tone) {
  return tone == Tone::good ? "good" : tone == Tone::bad ? "bad" : "busy";  // amber
}

// A command line, which breaks between words only.
Html command_html(std::string_view line) {
  Html all;
  for (const std::string& word : split(shortened(printable_line(line), k_longest_text), ' ')) {
    all += element("span", "", Html::text(word));
  }
  return element("code", "", all);
}

// Text in which commands are, as advice has them: "its whole log: trainctl logs ddp/master-0".
Html advice(const std::string& text) {
  const auto at = text.find("trainctl ");
  if (at == std::string::npos) return words(text);
  return words(text.substr(0, at)) + command_html(text.substr(at));
}

Html verdict_html(const PageVerdict& verdict) {
  Html html = element("b", "", words(verdict.words));
  html += element("p", "", words(verdict.cause));
  constexpr std::size_t k_most_details = 4;
  for (std::size_t at = 0; at < std::min(verdict.details.size(), k_most_details); ++at) {
    html += element("p", "", words(verdict.details[at]));
  }
  for (const std::string& next : split(verdict.next, '\n')) {
    if (!next.empty()) html += element("p", "soft", advice(next));
  }
  return element("div", cat("verdict ", class_of_tone(verdict.tone)), html);
}

Html facts_html(const std::vector<PageFact>& facts) {
  std::vector<Html> parts;
  for (const PageFact& fact : facts) {
    if (fact.value.empty()) continue;
    parts.push_back(
        element("dt", "", Html::text(fact.name)) +
        element("dd", "", fact.is_typed ? command_html(fact.value) : words(fact.value)));
  }
  return element("dl", "", first_that_fit(parts, k_share_of_facts).all);
}

// The highest and the lowest of small groups of neighbours stay. No group goes across a break.
void thin_out(std::vector<ChartPoint>& points, std::size_t most) {
  if (points.size() <= most) return;
  const std::size_t size = (2 * points.size() + most - 1) / most;
  std::vector<ChartPoint> kept;
  for (auto begin = points.begin(); begin != points.end();) {
    auto end = begin + 1;
    while (end != points.end() && end->joined && static_cast<std::size_t>(end - begin) < size)
      ++end;
    auto [low, high] = std::minmax_element(
        begin, end, [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; });
    if (low > high) std::swap(low, high);
    kept.push_back(*low);
    kept.back().joined = begin->joined;
    if (low != high) kept.push_back({high->x, high->y, true});
    begin = end;
  }
  const std::size_t step = kept.size() / (2 * most) + 1;  // more than 1 where all is breaks
  std::size_t at = 0;
  std::erase_if(kept, [&at, step](const ChartPoint&) { return at++ % step != 0; });
  points = std::move(kept);
}

ChartCurve page_curve(std::string_view name, const job::MetricRecord& metrics,
                      const job::MetricSeries& series, ChartX x = ChartX::step) {
  ChartCurve curve =
      curve_of(shortened(printable_line(name), k_longest_name), series, metrics, {.x = x});
  constexpr std::size_t k_most_restarts = 100;
  curve.restarts.resize(std::min(curve.restarts.size(), k_most_restarts));
  return curve;
}

Html chart(ChartInput input, SvgSize size, std::size_t points) {
  for (ChartCurve& curve : input.curves) thin_out(curve.points, points);
  return Html::markup(svg_chart(input, size));
}

// The same curves for a desk and for a telephone, of which the page shows one.
Html main_chart(const ChartInput& input, std::size_t points_of_wide) {
  constexpr SvgSize k_wide{1060, 330};
  constexpr SvgSize k_narrow{370, 240};
  return element("div", "wide", chart(input, k_wide, points_of_wide)) +
         element("div", "narrow", chart(input, k_narrow, k_points_of_small));
}

std::string value_text(const job::MetricPoint& point) {
  return cat(job::metric_text(point.value), " @", job::step_text(point.step));
}

std::string not_finite_text(const job::MetricSeries& series, job::StepUnit unit) {
  if (!series.not_finite_since) return "";
  return cat(series.not_finite, " since ", job::unit_name(unit), ' ',
             job::step_text(*series.not_finite_since));
}

std::string last_text(const job::MetricSeries& series) {
  return series.points().empty() ? "" : value_text(series.points().back());
}

Html values_html(const job::MetricRecord& metrics) {
  std::vector<Html> rows;
  for (const job::MetricSeries& series : metrics.series) {
    const std::string not_finite = not_finite_text(series, metrics.unit);
    if (series.points().empty() && not_finite.empty()) continue;
    const job::MetricPoint* best = series.best();
    rows.push_back(element("tr", "",
                           cell(shortened(series.name(), k_longest_name)) +
                               cell(not_finite.empty() ? last_text(series) : "", "num") +
                               cell(best == nullptr ? "" : value_text(*best), "num") +
                               cell(not_finite, "warn")));
  }
  const FittingParts fitting = first_that_fit(rows, k_share_of_values);
  return html_table({"metric", "last", "best", ""}, fitting.all) +
         left_out_note(fitting.left_out, "metric");
}

Html small_charts(const job::MetricRecord& metrics) {
  constexpr std::size_t k_most = 6;
  constexpr SvgSize k_small{320, 170};
  std::size_t count = 0;
  Html all;
  for (const job::MetricSeries& series : metrics.series) {
    if (&series == metrics.main() || series.points().size() < 2 || ++count > k_most) continue;
    all += element("div", "",
                   chart({.curves = {page_curve(series.name(), metrics, series)}}, k_small,
                         k_points_of_small));
  }
  return element("div", "many", all);
}

Html training_html(const job::MetricRecord& metrics) {
  Html html;
  std::string position = job::position_text(metrics.position);
  if (const auto done = metrics.position.done()) {
    position += cat(" (", std::lround(*done * 100), " %)");
  }
  html += element("p", "", words(position));
  const job::MetricSeries* main = metrics.main();
  if (main != nullptr && main->points().size() > 1) {
    html += main_chart({.curves = {page_curve(main->name(), metrics, *main)}}, k_points_of_large);
  }
  html += small_charts(metrics);
  return html + values_html(metrics);
}

Html lines_html(const std::vector<std::string>& lines, std::size_t share, bool keeps_end,
                int columns) {
  std::vector<Html> parts;
  parts.reserve(lines.size());
  for (const std::string& line : lines) {
    parts.push_back(Html::text(shortened(printable_line(line), columns)) + Html::markup("\n"));
  }
  const FittingParts fitting =
      keeps_end ? last_that_fit(parts, share) : first_that_fit(parts, share);
  return element("pre", "", fitting.all) + left_out_note(fitting.left_out, "line");
}

Html log_html(const PageLog& log) {
  std::vector<std::string> lines = log.lines;
  if (lines.size() > PageLog::k_most_lines) {
    lines.erase(lines.begin(), lines.end() - PageLog::k_most_lines);
  }
  return lines_html(lines, k_share_of_log, true, PageLog::k_most_columns);
}

Html events_html(const std::vector<job::JobEvent>& events) {
  const std::size_t surplus = events.size() - std::min(events.size(), k_most_events);
  std::vector<Html> rows;
  for (const job::JobEvent& event : std::span(events).subspan(surplus)) {
    const std::string count = event.count > 1 ? cat(event.count, " ×") : "";
    rows.push_back(element(
        "tr", "",
        cell(event.last ? format_time(*event.last) : "", "num") +
            cell(shortened(event.subject, k_longest_cell), "name") +
            cell(shortened(event.reason, k_longest_cell), event.type == "Warning" ? "warn" : "") +
            cell(count, "num") +
            cell(shortened(printable_line(event.message), k_longest_cell), "long")));
  }
  const FittingParts fitting = last_that_fit(rows, k_share_of_events);
  return html_table({"time", "object", "reason", "", "message"}, fitting.all) +
         left_out_note(fitting.left_out + surplus, "earlier event");
}

Html differences_html(const PageDifferences& differences) {
  if (differences.before.empty()) return {};
  std::vector<Html> rows;
  for (const work::Difference& one : differences.found) {
    const auto value = [](const Json& json) {
      return cell(shortened(printable_line(work::value_words(json)), k_longest_cell), "long");
    };
    rows.push_back(element("tr", "",
                           cell(shortened(printable_line(one.path), k_longest_cell), "long") +
                               value(one.a) + value(one.b)));
  }
  if (rows.empty()) {
    return element("p", "", Html::text(cat("No difference to ", differences.before, '.')));
  }
  const FittingParts fitting = first_that_fit(rows, k_share_of_differences);
  return html_table({"field", differences.before, "this run"}, fitting.all) +
         left_out_note(fitting.left_out, "difference");
}

Html manifest_html(const std::string& manifest) {
  if (manifest.empty()) return {};
  const std::vector<std::string> lines = split(trim(manifest), '\n');
  return element("details", "",
                 element("summary", "", Html::text("Manifest")) +
                     lines_html(lines, k_share_of_manifest, false, k_longest_text));
}

Html foot(const std::string& made) {
  return element("footer", "", words(made));
}

}  // namespace

std::string run_html(const RunPage& page) {
  Html body = element("h1", "", words(page.title, k_longest_cell));
  body += verdict_html(page.verdict);
  body += facts_html(page.facts);
  body += section("Training", training_html(page.metrics));
  body += section("Replicas", timeline_html(page.timeline));
  body += section(cat("Last lines of ", page.log.replica), log_html(page.log));
  body += section("Events", events_html(page.events));
  body += manifest_html(page.manifest);
  body +=
      section(cat("Changed since ", page.differences.before), differences_html(page.differences));
  return html_page(shortened(page.title, k_longest_cell), body + foot(page.made));
}

namespace {

// The metric by which jobs are compared: the main one of the first job that printed some.
std::string main_metric(const std::vector<RunPage>& members) {
  for (const RunPage& member : members) {
    if (const auto* main = member.metrics.main()) return main->name();
  }
  return "";
}

void sort_members(std::vector<RunPage>& members, const std::string& metric) {
  const auto key = [&](const RunPage& member) {
    const job::MetricSeries* const series = member.metrics.find_spelled(metric);
    const double without = std::numeric_limits<double>::infinity();
    return std::pair(member.verdict.tone != Tone::bad,
                     series == nullptr ? without : series->cost());
  };
  std::ranges::stable_sort(members, [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

// The rows of a table without the columns in which no row has a text.
Html table_without_empty_columns(const std::vector<std::string_view>& header,
                                 const std::vector<std::vector<Html>>& cells,
                                 std::string_view what) {
  const auto is_used = [&](std::size_t column) {
    return std::ranges::any_of(cells, [&](const auto& row) { return !row[column].empty(); });
  };
  std::vector<std::string_view> names;
  for (std::size_t column = 0; column < header.size(); ++column) {
    if (is_used(column)) names.push_back(header[column]);
  }
  std::vector<Html> rows;
  for (const auto& row : cells) {
    Html all;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (is_used(column)) all += row[column].empty() ? cell("") : row[column];
    }
    rows.push_back(element("tr", "", all));
  }
  const FittingParts fitting = first_that_fit(rows, k_share_of_members);
  return html_table(names, fitting.all) + left_out_note(fitting.left_out, what);
}

// Empty where there is no text.
Html cell_or_nothing(std::string_view untrusted, std::string_view css_class = "") {
  return untrusted.empty() ? Html() : cell(untrusted, css_class);
}

// The cause in the row of a job. A job that ended well but learnt nothing has only that.
std::string cause_of(const PageVerdict& verdict) {
  if (verdict.tone == Tone::good) return "";
  if (verdict.details.empty()) return verdict.cause;
  if (verdict.tone == Tone::doubtful) return verdict.details.front();
  return cat(verdict.cause, "; ", verdict.details.front());
}

std::vector<Html> member_row(const RunPage& member, const std::string& metric) {
  const auto short_cell = [](std::string_view text, std::string_view css_class = "") {
    return cell_or_nothing(shortened(printable_line(text), k_longest_cell), css_class);
  };
  const job::MetricSeries* series = member.metrics.find_spelled(metric);
  const job::MetricPoint* best = series == nullptr ? nullptr : series->best();
  const std::string not_finite =
      series == nullptr ? "" : not_finite_text(*series, member.metrics.unit);
  return {short_cell(member.title, "name"),
          short_cell(member.values),
          cell_or_nothing(member.verdict.words, class_of_tone(member.verdict.tone)),
          cell_or_nothing(best == nullptr ? "" : value_text(*best), "num"),
          not_finite.empty() ? cell_or_nothing(series == nullptr ? "" : last_text(*series), "num")
                             : cell(not_finite, "warn"),
          cell_or_nothing(member.duration ? format_age(*member.duration) : "", "num"),
          short_cell(cause_of(member.verdict), "long")};
}

// All curves in one chart, and each in a small one with the same axes.
Html member_charts(const std::vector<RunPage>& members, const std::string& metric) {
  constexpr std::size_t k_most = 12;
  constexpr SvgSize k_small{320, 170};
  std::vector<const RunPage*> drawn;
  std::vector<CountedRun> runs;
  for (const RunPage& member : members) {
    const job::MetricSeries* series = member.metrics.find_spelled(metric);
    if (series == nullptr || series->points().size() < 2 || drawn.size() == k_most) continue;
    drawn.push_back(&member);
    runs.push_back({member.title, member.metrics.unit});
  }
  if (drawn.empty()) return {};
  const std::string apart = units_apart(runs);
  ChartInput all{.x = apart.empty() ? ChartX::step : ChartX::time};
  for (const RunPage* member : drawn) {
    const std::string name =
        member->values.empty() ? member->title : cat(member->title, ' ', member->values);
    all.curves.push_back(
        page_curve(name, member->metrics, *member->metrics.find_spelled(metric), all.x));
  }
  const std::vector<ChartPoint> corners = corners_of(all.curves);
  Html small;
  for (const ChartCurve& curve : all.curves) {
    small += element(
        "div", "",
        chart({.x = all.x, .curves = {curve}, .in_view = corners}, k_small, k_points_of_small));
  }
  if (all.curves.size() == 1) return element("div", "many", small);
  for (ChartCurve& curve : all.curves) curve.restarts.clear();  // the small charts have them
  const Html why = apart.empty() ? Html()
                                 : element("p", "soft",
                                           Html::text("Over time, since one axis cannot count " +
                                                      shortened(apart, k_longest_cell)));
  return why + main_chart(all, k_points_of_small) + element("div", "many", small);
}

Html summary_of(const std::vector<RunPage>& members) {
  const auto of_tone = [&](Tone tone) {
    return std::ranges::count_if(
        members, [tone](const RunPage& member) { return member.verdict.tone == tone; });
  };
  const long bad = of_tone(Tone::bad), busy = of_tone(Tone::busy);
  const long doubtful = of_tone(Tone::doubtful), good = of_tone(Tone::good) + doubtful;
  std::vector<std::string> parts = {
      cat(good, " of ", plural(std::ssize(members), "job"), " succeeded")};
  if (doubtful > 0) parts.push_back(cat(doubtful, " of them with a metric that is no number"));
  if (bad > 0) parts.push_back(cat(bad, " failed"));
  if (busy > 0) parts.push_back(cat(busy, " without a result"));
  const Tone tone = bad > 0        ? Tone::bad
                    : busy > 0     ? Tone::busy
                    : doubtful > 0 ? Tone::doubtful
                                   : Tone::good;
  return verdict_html({tone, join(parts, ", "), "", {}, ""});
}

}  // namespace

RunPage as_member(RunPage page) {
  page.facts.clear();
  page.timeline = {};
  page.log = {};
  page.events.clear();
  page.manifest.clear();
  page.differences = {};
  const std::string main = main_metric({page});
  std::erase_if(page.metrics.series, [&](const auto& series) { return series.name() != main; });
  return page;
}

std::string jobs_html(const std::string& title, std::vector<RunPage> members) {
  const std::string metric = main_metric(members);
  sort_members(members, metric);
  std::vector<std::vector<Html>> rows;
  for (const RunPage& member : members) rows.push_back(member_row(member, metric));
  const std::string best = shortened(cat("best ", metric), k_longest_cell);
  Html body = element("h1", "", words(title, k_longest_cell)) + summary_of(members);
  body += section(
      "Jobs", table_without_empty_columns(
                  {"job", "values", "verdict", best, "last", "duration", "cause"}, rows, "job"));
  body +=
      section(cat("Curves of ", shortened(metric, k_longest_cell)), member_charts(members, metric));
  return html_page(shortened(title, k_longest_cell),
                   body + foot(members.empty() ? "" : members.front().made));
}

}  // namespace trainctl::view
