// What the replicas of a job print about its training, as one picture: progress, curves, and the
// replica that lags.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/time.h"
#include "job/kind/replica.h"
#include "job/metrics/metric_reader.h"
#include "job/metrics/metric_record.h"

namespace trainctl::job {

struct PrintedLine {
  ReplicaId replica;
  std::optional<int> rank;
  int attempt = 1;  // 1 = the first run of the replica's container
  Time printed;     // by the server's stamp
  std::string_view text;
};

struct Lag {
  ReplicaId replica;
  double steps = 0;  // behind the replica that is furthest
};

class JobMetrics {
 public:
  struct Taken {
    bool is_metric = false;
    std::string news;  // for the user, at once: "loss is NaN since step 1200"; "" = none
  };
  // `now` is the time of reading. Of the lines that come faster than about 20,000 a second, some
  // are left out.
  Taken take(const PrintedLine& line, Time now);

  const MetricRecord& record() const { return record_; }
  // Steps a second over the last minute, and the time until the last step.
  std::optional<double> rate() const;
  std::optional<Duration> left() const;
  // The replica that is furthest behind, by more than the steps between two of its lines.
  std::optional<Lag> lag() const;

 private:
  struct Replica {
    MetricReader reader;
    int attempt = 1;
    bool has_steps = false;
    double epochs_counted = 0;  // where a program does not number them
    double step_of_epoch = 0;
    double step = 0;           // of the whole run
    double between_lines = 0;  // steps
  };

  bool has_time(Time now);
  double place(const Reading& reading, Replica& replica) const;
  bool is_of_another_loop(const Reading& reading, const Replica& replica) const;
  bool counts(const PrintedLine& line);
  void move(const Reading& reading, const Replica& replica, const PrintedLine& line);
  std::string add_values(const Reading& reading, double step, Time printed);

  MetricRecord record_;
  std::map<ReplicaId, Replica> replicas_;
  std::optional<ReplicaId> source_;  // the replica whose values are kept
  bool is_of_rank_0_ = false;
  std::deque<std::pair<Time, double>> pace_;  // times and steps of the last minute
  bool told_of_names_ = false;
  Time window_{};  // in which lines are counted
  std::size_t lines_in_window_ = 0;
};

}  // namespace trainctl::job
