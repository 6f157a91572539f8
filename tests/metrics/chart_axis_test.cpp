// Ticks of charts are round, few, and inside the axis, whatever values a program printed.
#include "metrics/chart_axis.h"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace trainctl;
using namespace trainctl::view;

namespace {
namespace chart_axis_test {

using AxisOf = Axis (*)(double, double, std::size_t);

std::string ticks_of(AxisOf make, double low, double high, std::size_t most) {
  std::string all;
  for (const Tick& tick : make(low, high, most).ticks) all += (all.empty() ? "" : " ") + tick.text;
  return all;
}

}  // namespace chart_axis_test
}  // namespace
using namespace chart_axis_test;

TEST_CASE("ticks of a chart are round numbers") {
  struct Row {
    AxisOf make;
    double low, high;
    std::size_t most;
    const char* ticks;
  };
  const std::vector<Row> rows = {
      {number_axis, 0, 10, 6, "0 2 4 6 8 10"},
      {number_axis, 0.13, 2.31, 5, "0.5 1.0 1.5 2.0"},
      {number_axis, -1, 1, 5, "-1.0 -0.5 0 0.5 1.0"},
      {number_axis, 12, 12, 3, "11.5 12.0 12.5"},
      {number_axis, 0, 0, 3, "-1 0 1"},
      {number_axis, 0.00001, 0.00003, 4, "1e-05 1.5e-05 2e-05 2.5e-05 3e-05"},
      {number_axis, 0, 50000, 5, "0 10k 20k 30k 40k 50k"},
      {number_axis, 1000000, 3500000, 5, "1.0M 1.5M 2.0M 2.5M 3.0M 3.5M"},
      {number_axis, 0, 1e20, 2, "0 5e+19 1e+20"},
      {number_axis, 100000.25, 100000.75, 3, "100000.4 100000.6"},
      {step_axis, 0, 3, 10, "0 1 2 3"},
      {step_axis, 1, 1, 4, "1 2"},
      {step_axis, 0.5, 1.5, 4, "0.5 1.0 1.5"},
      {step_axis, 0, 2000, 8, "0 500 1000 1500 2000"},
      {time_axis, 0, 100, 6, "0 30s 1m 1m30s"},
      {time_axis, 0, 9000, 5, "0 30m 1h 1h30m 2h 2h30m"},
      {time_axis, 0, 900000, 6, "0 2d 4d 6d 8d 10d"},
      {time_axis, 0, 0.4, 4, "0 0.1s 0.2s 0.3s 0.4s"},
      {log_axis, 0.001, 1000, 7, "0.001 0.01 0.1 1 10 100 1000"},
      {log_axis, 1e-30, 1e30, 6, "1e-30 1e-20 1e-10 1 1e+10 1e+20 1e+30"},
      {log_axis, 0.15, 2.5, 6, "0.2 0.5 1 2"},
      {log_axis, 3.1, 3.9, 4, "3.2 3.4 3.6 3.8"},
      {number_axis, 0, 1, 0, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.low);
    CAPTURE(row.high);
    CHECK(ticks_of(row.make, row.low, row.high, row.most) == row.ticks);
  }
}

TEST_CASE("an axis of extreme values ends, and places them inside") {
  const std::vector<double> ends = {-1e300, -1e15, -1, -1e-300, 0, 5e-324, 1e-10, 1, 1e15, 1e300};
  for (const double low : ends) {
    for (const double high : ends) {
      if (high < low) continue;
      CAPTURE(low);
      CAPTURE(high);
      for (const AxisOf make : {number_axis, step_axis, time_axis}) {
        const Axis axis = make(low, high, 6);
        CHECK(axis.ticks.size() <= 7);
        CHECK(axis.place(low) >= -1e-9);
        CHECK(axis.place(high) <= 1 + 1e-9);
      }
      if (low <= 0) continue;
      const Axis axis = log_axis(low, high, 6);
      CHECK(axis.ticks.size() <= 7);
      CHECK(std::isfinite(axis.place(high)));
    }
  }
}

TEST_CASE("numbers of steps in a legend are short") {
  CHECK(short_number(1200) == "1200");
  CHECK(short_number(123456) == "123456");
  CHECK(short_number(1500000) == "1.5M");
  CHECK(short_number(2.83) == "2.83");
  CHECK(short_number(-7) == "-7");
  CHECK(short_number(1e300) == "1e+300");
}
