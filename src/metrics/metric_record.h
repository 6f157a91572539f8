// The metrics of one run: a curve for each name, in bounded memory, and how far the training is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "metrics/metric_names.h"

namespace trainctl::job {

struct MetricPoint {
  double step = 0;   // steps of the whole run where they are known, else epochs, else lines
  Time time;         // when it was printed
  double value = 0;  // finite
};

// One metric over the run, in the order of printing. Steps go back where a run began anew.
class MetricSeries {
 public:
  // When there are more points, pairs of neighbours are thinned out; the first, the last and all
  // extremes of their surroundings stay.
  static constexpr std::size_t k_most_points = 500;

  explicit MetricSeries(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void add(const MetricPoint& point);  // it is a number again
  const std::vector<MetricPoint>& points() const { return points_; }
  void put_at(double step);  // all of it, which was at one step until now
  // The point with the best value; nullptr for metrics of which no value is better than another.
  const MetricPoint* best() const;
  // The cost_of() the best value, by which runs are compared; infinite without a best value, and
  // for a metric that ended as no number.
  double cost() const;
  // The change of the value for each step over the later half of the points; nullopt for less than
  // four points.
  std::optional<double> slope() const;

  // The step since which all its values have been NaN or infinite. A metric that was so once, as
  // the norm of the gradients is while a scaler finds its scale, is not remembered for it.
  std::optional<double> not_finite_since;
  // "nan" or "inf", as it began then. Records of older versions do not say which.
  std::string not_finite = "not finite";

 private:
  std::string name_;
  std::vector<MetricPoint> points_;
};

// How far the training is, as it counts itself.
struct TrainingPosition {
  std::optional<double> step, total;  // of the whole run, or of its epoch (per_epoch)
  std::optional<double> epoch, epochs;
  bool per_epoch = false;

  // The share of the run that is done, 0 to 1; nullopt when its length is unknown.
  std::optional<double> done() const;
};

// The replica that is furthest behind, by more than the steps between two of its lines.
struct MetricLag {
  std::string replica;
  double steps = 0;  // behind the replica that is furthest
};

// The unit of the points' steps: steps of the program, or its epochs, or its lines where it prints
// neither.
enum class StepUnit { step, epoch, line };
std::string_view unit_name(StepUnit unit);

struct MetricRecord {
  static constexpr std::size_t k_most_series = 64;

  std::vector<MetricSeries> series;
  std::vector<double> restarts;  // the steps at which the program began anew
  TrainingPosition position;
  StepUnit unit = StepUnit::step;
  std::optional<MetricLag> lag = {};
  std::optional<Duration> silence = {};  // of all replicas of a running job, if it is remarkable
  std::string network = {};              // CollectiveNetwork's faults; "" = none
  std::string chosen = {};               // the name of the user's own metric; "" = none

  bool empty() const { return series.empty() && !position.step && !position.epoch; }
  // False also for one of which only the last values are known.
  bool has_points() const;
  MetricSeries* find(std::string_view name);
  const MetricSeries* find(std::string_view name) const;
  // The series of the metric as this program spells it: spelling_among() the names.
  const MetricSeries* find_spelled(std::string_view metric) const;
  std::vector<std::string> names() const;
  // The chosen series, or the one that says most about the run: the training's loss, else another
  // loss, else a score; nullptr when there is none.
  const MetricSeries* main() const;
  // The series for which the run is no good, since it ended as NaN or infinite: main(), else one of
  // which one value is better than another. The norm of the gradients may end so in a good run.
  const MetricSeries* not_finite() const;
};

// A whole number that an integer holds exactly.
bool is_count(double value);

}  // namespace trainctl::job
