// The numbers of a log line, each with what names it: the tokens that all shapes of lines are made
// of.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace trainctl::job {

inline constexpr std::size_t k_longest_metric_line = 4096;  // longer lines are data

// "lm loss: 1.2E+01", "'epoch': 2.83", "Epoch: [2", "10/5005]", "lr=[0.001", "10.84it/s".
struct Field {
  std::string_view name = {};  // as printed, without quotes; "" = none
  char sign = 0;               // between them, ':' or '='; 0 = "loss 6.2"
  char open = 0;               // the bracket in front of the number
  double value = 0;            // may be infinite or not a number
  double whole = 0;            // of the fraction "2/  500000", of whole numbers; 0 = it is none
  std::string_view unit = {};
  std::size_t begin = 0, end = 0;  // of the number and its unit

  // The field's begin, its name included.
  std::size_t name_begin(std::string_view line) const {
    return name.empty() ? begin : static_cast<std::size_t>(name.data() - line.data());
  }
};

// Numbers of times, dates, versions and addresses are none, since other signs follow them.
void read_fields(std::string_view line, std::vector<Field>& fields);

// Takes "1.2", "2e+3", "4,376", "nan", "-inf" from the front. Only what can be a double; "nano" is
// no number.
std::optional<double> take_number(std::string_view& text);

}  // namespace trainctl::job
