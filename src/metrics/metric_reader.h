// Reads what a training program prints about its progress: step, epoch and values such as the loss.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/line_fields.h"

namespace trainctl::job {

struct Metric {
  std::string name;  // as printed, without quotes: "lm loss"; "val loss" in a line about that data
  double value = 0;  // may be infinite or not a number
};

// The facts of one line. Steps and epochs are whole numbers but for "epoch": 2.83.
struct Reading {
  std::optional<double> step = {}, total = {};    // of the run, or of its epoch (per_epoch)
  std::optional<double> run_step = {};            // of the run, where the epoch's stands beside it
  std::optional<double> epoch = {}, epochs = {};  // counted as the program counts, from 0 or from 1
  std::optional<double> rate = {};                // steps a second, by a bar's own clock
  bool per_epoch = false;                         // step and total begin anew with each epoch
  bool from_bar = false;        // read from a progress bar, which is printed often
  bool counts_samples = false;  // instead of steps
  bool counts_lines = false;    // no position is printed with it; the lines of the log count
  std::vector<Metric> values = {};
};

// Reads the log of one replica, line by line. A line is a row of fields (line_fields.h) in one of a
// few shapes; the table of words (metric_names.h) says which fields are positions and which lines
// are a trainer's. All numbers with a name count then.
class MetricReader {
 public:
  // `line` is one state of a line, without control sequences. It may have prefixes (a rank, a time
  // stamp, a log level). nullopt: it says nothing about training. Keeps what the next line needs:
  // YOLO prints names above values, OLMo a position above values, Keras and PyTorch's tutorials
  // epochs above them.
  std::optional<Reading> read(std::string_view line);

  // A line of each shape, in the order in which they are tried.
  static std::vector<std::string_view> examples();

 private:
  struct Bar;
  struct Shape;

  bool take_heading(std::string_view line);
  void put_below_heading(Reading& reading);
  std::optional<Reading> in_record(std::string_view line);
  std::optional<Reading> of_bar(std::string_view line);
  std::optional<Reading> of_keras(std::string_view line);
  std::optional<Reading> of_round(std::string_view line);
  std::optional<Reading> of_samples(std::string_view line);
  std::optional<Reading> of_batches(std::string_view line);
  std::optional<Reading> of_summary(std::string_view line);
  std::optional<Reading> of_position(std::string_view line);
  std::optional<Reading> of_pairs(std::string_view line);
  bool take_columns(std::string_view description, Reading& reading) const;
  std::size_t take_positions(std::string_view line, Reading& reading) const;
  void take_position(std::string_view line, std::size_t at, Reading& reading) const;
  void add_values(std::string_view line, std::size_t position, Reading& reading) const;
  bool are_pairs(std::string_view line, std::size_t count) const;

  static const std::array<Shape, 8> k_shapes;

  std::vector<Field> fields_;             // of the line that is read
  std::vector<std::string> columns_;      // YOLO's header
  std::optional<Reading> record_;         // OLMo's position, whose values stand in the next lines
  std::optional<double> epoch_, epochs_;  // of the last line "Epoch 1/5"
  std::set<std::string> below_heading_;   // the metrics that came since
  bool are_many_below_ = false;           // one came twice
};

}  // namespace trainctl::job
