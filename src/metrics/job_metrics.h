// Joins the lines that the replicas of a job print about its training to one picture: progress,
// curves, and the replica that lags.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/time.h"
#include "manifest/kind/replica.h"
#include "metrics/collective_network.h"
#include "metrics/metric_pattern.h"
#include "metrics/metric_reader.h"
#include "metrics/metric_record.h"

namespace trainctl::job {

struct PrintedLine {
  ReplicaId replica;
  std::optional<int> rank;
  int attempt = 1;  // 1 = the first run of the replica's container
  Time printed;     // by the server's stamp; Time{} = unknown
  std::string_view text;
  bool is_under_way = false;  // new states of a line being rewritten, which follows as a whole
};

class JobMetrics {
  static constexpr Duration k_between_refills = std::chrono::milliseconds(100);
  static constexpr std::size_t k_lines_between_refills = 400;

 public:
  struct Taken {
    bool is_metric = false;
    std::string news;         // for the user, at once: "loss is NaN since step 1200"; "" = none
    bool is_network = false;  // network() has learned something
  };
  // `own`: the user's patterns. The first one that finds values names the main metric.
  explicit JobMetrics(MetricPatterns own = {});
  // False: the line need not be taken, since more come than are worth their time. The first 20,000
  // always are, so that a log that is followed late is read, and then 4,000 a second.
  bool has_room(Time now) {
    if (room_ == 0 && now - refilled_ >= k_between_refills) {
      refilled_ = now;
      room_ = k_lines_between_refills;
    }
    return room_ > 0 && room_-- > 0;
  }
  Taken take(const PrintedLine& line);

  const MetricRecord& record() const { return record_; }
  const CollectiveNetwork& network() const { return network_; }
  // When the latest line was printed, metric or not; nullopt when no line says so.
  std::optional<Time> last_line() const { return last_line_; }
  // Steps a second, as a bar says or over the last minute, and the time until the last step. Both
  // are unknown of a program that has printed none for long.
  std::optional<double> rate(Time now) const;
  std::optional<Duration> left(Time now) const;
  // How far the replica's run has come; nullopt when no line of this run says so. 1 = the first
  // run.
  std::optional<double> step_of(const ReplicaId& replica, int attempt) const;
  // The replica that is furthest behind, by more than the steps between two of its lines.
  std::optional<MetricLag> lag() const { return lag_beyond(0); }
  // The same where only the ends of logs were read, one a moment after the other: a lag that may
  // come of that alone is none.
  std::optional<MetricLag> lag_of_ends(Time now) const;

 private:
  std::optional<MetricLag> lag_beyond(double steps) const;

  // Bars and lines count steps each in their own way: a bar anew for each epoch, lines beside it on
  // through the run.
  struct Counter {
    // Whether steps begin anew with each epoch, as far as they have shown it.
    std::optional<bool> begins_anew;
    bool per_epoch = false;     // as it was last read
    double epochs_counted = 0;  // where a program does not number them
    double epochs_done = 0;     // before the one of `step`
    double step = 0, longest_epoch = 0;
    std::optional<double> epoch, total;
  };
  struct Replica {
    MetricReader reader;
    int attempt = 1;
    bool has_position = false, has_steps = false;
    Counter bars, lines;
    std::optional<StepUnit> unit;           // of the run, once several lines have shown it
    std::optional<double> epoch_alone;      // since the last line with a step
    std::optional<double> least_epoch;      // of those that were printed with a number
    std::optional<double> total_of_values;  // of the bar that shows some
    double step = 0;                        // of the whole run
    double between_lines = 0;               // steps
    std::string state;                      // the last one of a line under way that was read
  };

  Taken take_state(const PrintedLine& line, Replica& replica);
  static void settle_unit(const Reading& reading, Replica& replica);
  static void count(Reading& reading, Replica& replica);
  static double place(Reading& reading, Replica& replica);
  static double place_beside_bar(Reading& reading, const Replica& replica);
  bool is_of_another_loop(const Reading& reading, const Replica& replica) const;
  bool counts(const PrintedLine& line, const Reading& reading);
  void turn_to_epochs(double epoch);
  void move(const Reading& reading, const Replica& replica, const PrintedLine& line);
  std::string add_values(const Reading& reading, double step, Time printed);

  MetricPatterns own_;
  MetricRecord record_;
  CollectiveNetwork network_;
  std::optional<Time> last_line_;
  std::map<ReplicaId, Replica> replicas_;
  std::optional<ReplicaId> source_;  // the replica whose values are kept
  bool is_of_rank_0_ = false;
  std::deque<std::pair<Time, double>> pace_;  // times and steps of the last minute
  std::optional<double> bar_rate_;
  bool told_of_names_ = false;
  std::set<std::string> told_not_finite_;
  std::size_t room_ = 20'000;  // lines
  Time refilled_{};
};

}  // namespace trainctl::job
