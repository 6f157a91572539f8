// Reads what a training program prints about its progress: step, epoch and values such as the loss.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl::job {

struct Metric {
  std::string name;  // as printed, without quotes: "lm loss"
  double value = 0;  // may be infinite or not a number
};

// What one line says. Steps and epochs are whole numbers but for "epoch": 2.83.
struct Reading {
  std::optional<double> step, total;    // of the run, or of its epoch (per_epoch)
  std::optional<double> epoch, epochs;  // counted as the program counts, from 0 or from 1
  bool per_epoch = false;               // step and total begin anew with each epoch
  bool from_bar = false;                // read from a progress bar, which is printed often
  std::vector<Metric> values;
};

// Reads the log of one replica, line by line. Frameworks differ in few things: how they spell the
// position, and what stands between a name and its value. So tables of words decide, not a parser
// for each framework: a line counts when it has a position ("iteration 2/ 500", "Epoch 3", a bar)
// and beside it a name that is known_metric(). All numbers with a name count then.
class MetricReader {
 public:
  // `line` may have prefixes (a rank, a time stamp, a log level), colours, and earlier states of a
  // bar in front of a carriage return. nullopt: it says nothing about training. Keeps what the next
  // line needs: YOLO prints names above values, OLMo a position above values, Keras epochs above
  // bars.
  std::optional<Reading> read(std::string_view line);

 private:
  std::optional<Reading> read_shown(std::string_view line);
  std::optional<Reading> read_plain(std::string_view line);
  std::optional<Reading> in_record(std::string_view line);
  std::optional<Reading> of_bar(std::string_view line, std::size_t mark);
  std::optional<Reading> of_keras(std::string_view line);
  std::optional<Reading> of_line(std::string_view line);

  std::vector<std::string> columns_;      // YOLO's header
  std::optional<Reading> record_;         // OLMo's position, whose values stand in the next lines
  std::optional<double> epoch_, epochs_;  // of Keras's line "Epoch 1/5"
};

// False for most lines that are none: a glance at each byte, far cheaper than read().
bool may_have_metrics(std::string_view line);

}  // namespace trainctl::job
