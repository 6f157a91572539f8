// Numbers, fractions and named numbers in a log line, each taken from the front of a text.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text/text.h"

namespace trainctl::job {

inline bool is_word_char(char c) {
  return is_letter(c) || c == '_';
}

// True when the words differ in capital letters at most; `small_letters` has none and is not empty.
bool is_same_word(std::string_view word, std::string_view small_letters);

// Removes leading characters that are in `chars`: all of them, or one (true: it was there).
void skip(std::string_view& text, std::string_view chars);
bool take(std::string_view& text, std::string_view chars);

inline constexpr std::size_t k_longest_metric_line = 4096;  // longer lines are data

// "1.2", "2e+3", "4,376", "nan", "-inf". Only what can be a double; "nano" is no number.
std::optional<double> take_number(std::string_view& text);
// True when a number in front of `rest` ends there, perhaps with a unit ("48.67ms", "1.2it/s"): in
// times, dates, versions and addresses other signs follow.
bool ends_number(std::string_view rest);

struct Fraction {
  double part = 0, whole = 0;
};
// "2/  500000": whole numbers, the first no larger than the second.
std::optional<Fraction> take_fraction(std::string_view& text);

// The name at the end of the text in front of a sign: "…| lm loss" gives "lm loss", "'grad_norm'"
// grad_norm. "" = what stands there is no name.
std::string_view name_at_end(std::string_view text);

// Calls sink(name, number, begin of the name's text) for each number with a name and a sign
// between: "loss: 1.2", "'loss': 0.3", "lr=[0.001]".
template <typename Sink>
void for_each_pair(std::string_view text, const Sink& sink) {
  std::size_t name_begin = 0;
  for (auto sign = text.find_first_of(":="); sign != std::string_view::npos;
       sign = text.find_first_of(":=", sign + 1)) {
    std::string_view rest = text.substr(sign + 1);
    skip(rest, " \t");
    take(rest, "\"'[");
    const auto number = take_number(rest);
    if (!number || !ends_number(rest)) continue;
    const std::string_view name = name_at_end(text.substr(name_begin, sign - name_begin));
    if (!name.empty()) sink(name, *number, name_begin);
    name_begin = text.size() - rest.size();
    sign = name_begin - 1;
  }
}

}  // namespace trainctl::job
