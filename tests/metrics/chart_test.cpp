// A chart in a terminal keeps to its size, and its dots are where the values are.
#include "metrics/chart.h"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fakes.h"

namespace trainctl::testing {
namespace chart_test {

using namespace view;

ChartInput input_of(std::size_t curves, const std::string& name) {
  ChartInput input;
  input.title = name;
  for (std::size_t number = 0; number < curves; ++number) {
    job::MetricRecord record;
    record.series.emplace_back(name);
    for (int step = 0; step < 200; ++step) {
      const double value = static_cast<double>(number + 1) * std::exp(-step / 50.0) + 0.1;
      record.series[0].add({step * 10.0, Time(std::chrono::seconds(step)), value});
    }
    record.restarts = {500};
    input.curves.push_back(curve_of(cat(name, number), record.series[0], record, {}));
  }
  return input;
}

TEST_CASE("a chart fits into the terminal, whatever its size and names") {
  BufferConsole console;
  for (const Console::Size size : {Console::Size{60, 15}, {80, 24}, {200, 50}, {30, 8}}) {
    for (const std::size_t curves : {1, 3, 60}) {
      for (const std::string& name : {std::string("loss"), std::string(300, 'x')}) {
        CAPTURE(size.width);
        CAPTURE(curves);
        const std::string text = chart_text(input_of(curves, name), size, console);
        const auto lines = split(text, '\n');
        CHECK(static_cast<int>(lines.size()) <= size.height + 1);
        for (const std::string& line : lines) CHECK(display_width(line) <= size.width);
      }
    }
  }
  CHECK(split(chart_text(input_of(1, "loss"), {29, 24}, console), '\n').size() == 2);
  CHECK(chart_text({}, {80, 24}, console) == "no values to draw\n");
}

TEST_CASE("a legend does not show the last number of a metric that is none any more") {
  job::MetricRecord record;
  job::MetricSeries& loss = record.series.emplace_back("loss");
  loss.add({50, Time{}, 0.5});
  loss.not_finite_since = 51;
  loss.not_finite = "nan";
  CHECK(legend_facts(curve_of("loss", loss, record, {})) ==
        std::vector<std::string>{"nan since 51", "best 0.5 @50"});
}

TEST_CASE("several curves are told apart without colours") {
  BufferConsole console;
  const std::string text = chart_text(input_of(3, "loss"), {80, 24}, console);
  for (const char* entry : {"\nA loss0  last", "\nB loss1  last", "\nC loss2  last"}) {
    CHECK(text.find(entry) != std::string::npos);
  }
  const std::string drawn = text.substr(0, text.find("step"));
  for (const char letter : {'A', 'B', 'C'}) CHECK(drawn.find(letter) != std::string::npos);
}

TEST_CASE("each curve that is drawn has its entry, however many there are") {
  BufferConsole console;
  ChartInput input = input_of(20, "a-sweep-with-a-long-name-");
  for (std::size_t number = 0; number < input.curves.size(); ++number) {
    input.curves[number].short_name = cat("lr=1e-", number);
  }
  const std::string text = chart_text(input, {80, 24}, console);
  for (const char* entry : {"\nA lr=1e-0", "J lr=1e-9", "T lr=1e-19"}) {
    CHECK(text.find(entry) != std::string::npos);
  }
  const std::string few = chart_text(input_of(60, std::string(60, 'x')), {80, 24}, console);
  CHECK(few.find(" more curves are not drawn") != std::string::npos);
  CHECK(few.find("\nA x") != std::string::npos);
}

TEST_CASE("each dot of a cell has its place") {
  struct Row {
    int x, y;
    const char* cell;
  };
  for (const Row& row : {Row{0, 0, "⠁"}, Row{1, 0, "⠈"}, Row{0, 1, "⠂"}, Row{1, 2, "⠠"},
                         Row{0, 3, "⡀"}, Row{1, 3, "⢀"}}) {
    DotCanvas canvas(1, 1);
    canvas.draw({row.x, row.y}, 0);
    CHECK(canvas.cell(0, 0) == row.cell);
  }
  DotCanvas canvas(2, 1);
  CHECK(canvas.cell(0, 0) == " ");
  canvas.draw_line({0, 3}, {3, 0}, 1);
  CHECK(canvas.cell(0, 0) == "⡠");
  CHECK(canvas.cell(1, 0) == "⠊");
  CHECK(canvas.owner(1, 0) == 1);
  canvas.draw({-1, 0}, 0);
  canvas.draw({4, 0}, 0);
  canvas.draw({0, 4}, 0);
  CHECK(canvas.cell(0, 0) == "⡠");
}

}  // namespace chart_test
}  // namespace trainctl::testing
