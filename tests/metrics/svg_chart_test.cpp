// A chart as SVG is well-formed, whatever is in it, and shows the facts of its curves.
#include "metrics/svg_chart.h"

#include <string>

#include <doctest/doctest.h>

#include "base/text/text.h"

using namespace trainctl;
using namespace trainctl::view;

namespace {
namespace svg_chart_test {

job::MetricRecord record_of(const std::string& name, const std::vector<double>& values) {
  job::MetricRecord record;
  record.series.emplace_back(name);
  double step = 0;
  for (const double value : values) {
    step += 10;
    record.series[0].add({step, Time(std::chrono::seconds(long(step))), value});
  }
  return record;
}

ChartInput input_of(const job::MetricRecord& record, ChartOptions options = {}) {
  ChartInput input;
  input.log_y = options.log_y;
  input.x = options.x;
  for (const job::MetricSeries& series : record.series) {
    input.curves.push_back(curve_of(series.name(), series, record, options));
  }
  return input;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace svg_chart_test
}  // namespace
using namespace svg_chart_test;

TEST_CASE("a picture of a run shows its last and best value and its restarts") {
  auto record = record_of("loss", {2, 1, 0.5, 0.75});
  record.restarts = {20};
  const std::string svg = svg_chart(input_of(record));
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(holds(svg, "loss: last 0.75, best 0.5 @30"));
  CHECK(holds(svg, "class=\"restart c0\""));
  CHECK(holds(svg, "prefers-color-scheme: dark"));
  CHECK_FALSE(holds(svg, "nan"));
  CHECK_FALSE(holds(svg, "inf"));
}

TEST_CASE("a hostile name in a picture stays text") {
  auto record = record_of("</text><script>alert('1')</script>\x1b[31m\xff\"&", {1, 2});
  ChartInput input = input_of(record);
  input.title = "</title><script>";
  const std::string svg = svg_chart(input);
  CHECK_FALSE(holds(svg, "<script"));
  CHECK_FALSE(holds(svg, "\x1b"));
  CHECK_FALSE(holds(svg, "\xff"));
  CHECK(holds(svg, "&lt;script&gt;"));
  CHECK(xml_escaped("a\xEF\xBF\xBE\xEF\xBF\xBF") == "a??");
}

TEST_CASE("pictures of one point, of equal and of extreme values have finite coordinates") {
  for (const auto& values : std::vector<std::vector<double>>{
           {1}, {3, 3, 3}, {0, 0}, {-1.7e308, 1.7e308}, {5e-324, 1e-320}, {}}) {
    for (const bool log_y : {false, true}) {
      const std::string svg =
          svg_chart(input_of(record_of("loss", values), {ChartX::step, 1, log_y}));
      CHECK_FALSE(holds(svg, "nan"));
      CHECK_FALSE(holds(svg, "inf"));
      CHECK(svg.ends_with("</svg>\n"));
    }
  }
  CHECK(holds(svg_chart(ChartInput{}), "no values to draw"));
}

TEST_CASE("runs that count in different units are named, since no axis of steps fits them all") {
  using job::StepUnit;
  const std::vector<CountedRun> alike = {{"a", StepUnit::epoch}, {"b", StepUnit::epoch}};
  CHECK(units_apart({}).empty());
  CHECK(units_apart(alike).empty());
  CHECK(units_apart({{"hf", StepUnit::epoch},
                     {"ep", StepUnit::step},
                     {"raw", StepUnit::line},
                     {"ep", StepUnit::step},
                     {"hf2", StepUnit::epoch}}) ==
        "steps of ep and epochs of hf, hf2 and lines of raw");
}

TEST_CASE("a mean starts anew where steps go back, and no line leads there") {
  auto record = record_of("loss", {4, 2});
  record.series[0].add({15, Time(std::chrono::seconds(40)), 8});
  record.series[0].add({25, Time(std::chrono::seconds(50)), 6});
  const auto curve = curve_of("loss", record.series[0], record, {ChartX::time, 2, false});
  REQUIRE(curve.points.size() == 4);
  CHECK(curve.points[1].y == 3);
  CHECK(curve.points[2].y == 8);
  CHECK_FALSE(curve.points[2].joined);
  CHECK(curve.points[3].y == 7);
  CHECK(curve.points[3].joined);
  CHECK(curve.restarts == std::vector<double>{30});
  CHECK(curve.last->value == 6);
}
