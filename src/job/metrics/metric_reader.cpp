// Finds positions by the words in front of a number, and values by the sign between a name and a
// number.
#include "job/metrics/metric_reader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "job/metrics/line_scan.h"
#include "job/metrics/metric_names.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_blanks = " \t";
constexpr double k_largest_step = 1e15;
constexpr std::size_t k_most_values = 64;  // of a line

enum class PositionIs { step, better_step, epoch, epoch_before_step };

struct PositionWord {
  std::string_view word;
  PositionIs is;
};

constexpr std::array k_position_words = {
    PositionWord{"step", PositionIs::step},
    PositionWord{"iter", PositionIs::step},
    PositionWord{"iteration", PositionIs::step},
    PositionWord{"global_step", PositionIs::better_step},
    PositionWord{"num_updates", PositionIs::better_step},
    PositionWord{"epoch", PositionIs::epoch},
    PositionWord{"train", PositionIs::epoch_before_step},  // timm: "Train: 3 [ 50/1251"
};

const PositionWord* position_word(std::string_view word) {
  const auto* const found = std::ranges::find_if(
      k_position_words, [word](const auto& one) { return is_same_word(word, one.word); });
  return found == k_position_words.end() ? nullptr : found;
}

// Between a word and its number: "step: 20", "'epoch': 2.83", "Epoch: [0]", "Epoch(train) [1]".
void skip_to_number(std::string_view& text) {
  if (text.starts_with("(train)")) text.remove_prefix(7);
  take(text, "\"'");
  skip(text, k_blanks);
  take(text, ":=#");
  skip(text, k_blanks);
  take(text, ":");  // NeMo: "Epoch 0: :"
  skip(text, k_blanks);
  take(text, "\"'[(");
  skip(text, " ");
}

// Sets what `rest`, the text behind a position's word, says; false when no number follows.
bool take_position(PositionIs is, std::string_view& rest, Reading& reading) {
  std::string_view text = rest;
  skip_to_number(text);
  const std::string_view number_text = text;
  const auto number = take_number(text);
  if (!number || !(*number >= 0) || *number > k_largest_step) return false;
  std::string_view fraction_text = number_text;
  const auto fraction = take_fraction(fraction_text);
  const bool ends = ends_number(text) || (text.size() > 1 && text[0] == '/' && is_letter(text[1]));
  if (!fraction && !ends) return false;  // DeepSpeed: "epoch=0/micro_step=40"
  if (fraction) text = fraction_text;
  const bool is_whole = *number == std::floor(*number);
  if (is == PositionIs::step || is == PositionIs::better_step) {
    if (!is_whole || (reading.step && is == PositionIs::step)) return false;
    reading.step = number;
    if (fraction) reading.total = fraction->whole;
    rest = text;
    return true;
  }
  std::string_view behind = text;  // "] [10/25]", " [0/60000 (0%)]", " 176/7281"
  skip(behind, "])");
  skip(behind, ",: \t");
  take(behind, "[(");
  skip(behind, " ");
  const auto steps = take_fraction(behind);
  if (is == PositionIs::epoch_before_step && !steps) return false;
  if (reading.epoch) return false;
  reading.epoch = number;
  if (fraction) reading.epochs = fraction->whole;
  if (steps) {
    reading.step = steps->part;
    reading.total = steps->whole;
    reading.per_epoch = true;
  }
  rest = steps ? behind : text;
  return true;
}

// Returns the beginning of a line's first position; npos = it has none. Names such as "sec/step"
// hold the words, too, but no position.
std::size_t read_positions(std::string_view line, Reading& reading) {
  std::size_t first = std::string_view::npos;
  for (std::size_t at = 0; at < line.size();) {
    if (!is_word_char(line[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < line.size() && is_word_char(line[at])) ++at;
    const PositionWord* const word = position_word(line.substr(begin, at - begin));
    if (word == nullptr) continue;
    const bool is_part = begin > 1 && line[begin - 1] == '/' && is_letter(line[begin - 2]);
    std::string_view rest = line.substr(at);
    if (is_part || !take_position(word->is, rest, reading)) continue;
    first = std::min(first, begin);
    at = line.size() - rest.size();
  }
  if (reading.epochs && reading.total) reading.per_epoch = true;
  return first;
}

// Finds numbers behind the few words that need no sign: "train loss 10.92".
template <typename Sink>
void for_each_bare(std::string_view text, const Sink& sink) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_char(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() &&
           (is_word_char(text[at]) || is_digit(text[at]) || text[at] == '@' || text[at] == '/')) {
      ++at;
    }
    if (at == text.size() || text[at] != ' ') continue;
    const std::string_view word = text.substr(begin, at - begin);
    if (!needs_no_sign(word)) continue;
    std::string_view rest = text.substr(at);
    skip(rest, k_blanks);
    const auto number = take_number(rest);
    if (!number || !ends_number(rest)) continue;
    std::string_view before = text.substr(0, begin);
    std::size_t name_begin = begin;
    for (const std::string_view part : {"train ", "val ", "valid ", "test ", "eval "}) {
      if (before.ends_with(part)) name_begin = begin - part.size();
    }
    sink(text.substr(name_begin, at - name_begin), *number);
    at = text.size() - rest.size();
  }
}

void add_value(Reading& reading, std::string_view name, double value) {
  const bool is_there =
      std::ranges::any_of(reading.values, [name](const Metric& one) { return one.name == name; });
  if (is_there || reading.values.size() == k_most_values) return;
  reading.values.push_back({std::string(name), value});
}

bool is_position_name(std::string_view name) {
  return position_word(name) != nullptr || lower(name).ends_with(" step");
}

// Adds the values of a line. In front of `position` only known names count, since time stamps and
// places in the source stand there.
void read_values(std::string_view line, std::size_t position, Reading& reading) {
  const std::size_t brace = line.find('{');
  const std::size_t begin = std::min(position, brace);
  for_each_pair(line, [&](std::string_view name, double value, std::size_t at) {
    if (is_position_name(name)) return;
    const bool is_before =
        static_cast<std::size_t>(name.data() - line.data()) < begin && at < begin;
    if (is_before && !known_metric(name)) return;
    add_value(reading, name, value);
  });
  for_each_bare(line,
                [&](std::string_view name, double value) { add_value(reading, name, value); });
}

bool has_known_value(const Reading& reading) {
  return std::ranges::any_of(reading.values,
                             [](const Metric& one) { return known_metric(one.name).has_value(); });
}

// "accuracy=0.97 loss=0.1", as Katib reads it, and nothing else on the line.
bool is_only_pairs(std::string_view line) {
  const auto sign = line.find_first_of(":=");
  if (sign == std::string_view::npos || !is_score(trim(line.substr(0, sign)))) return false;
  bool is_only = true;
  std::size_t end = 0;
  for_each_pair(line, [&](std::string_view name, double, std::size_t at) {
    const auto name_at = static_cast<std::size_t>(name.data() - line.data());
    const std::string_view before = line.substr(at, name_at - at);
    const bool is_next = before.find_first_not_of(" \t,;|-") == std::string_view::npos;
    if (!is_next || !is_score(name)) is_only = false;
    end = name_at + name.size();
  });
  if (!is_only || end == 0) return false;
  std::string_view rest = line.substr(end);
  skip(rest, " \t:=");
  return take_number(rest) && rest.find_first_not_of(" \t%\r") == std::string_view::npos;
}

// Bars that show something else than training.
bool is_other_bar(std::string_view description) {
  constexpr std::array<std::string_view, 14> k_other = {
      "load", "download", "fetch",  "map",  "filter",  "tokeniz", "generat",
      "sav",  "valid",    "evalua", "test", "predict", "sanity",  "extract"};
  const std::string words = lower(description);
  return std::ranges::any_of(k_other, [&words](std::string_view word) {
    const auto at = words.find(word);
    return at != std::string::npos && (at == 0 || !is_letter(words[at - 1]));
  });
}

std::vector<std::string> cells_of(std::string_view text) {
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return words;
}

// The bar that stood there until something else was written over it, as tqdm.write and transformers
// do it: bar, CR, blanks, CR, text. "" = none.
std::string_view overwritten_bar(std::string_view line, std::string_view shown) {
  std::string_view before = line.substr(0, static_cast<std::size_t>(shown.data() - line.data()));
  while (!before.empty() && (before.back() == '\r' || before.back() == ' '))
    before.remove_suffix(1);
  const std::string_view bar = last_shown(before);
  return bar.find("%|") == std::string_view::npos ? "" : bar;
}

// PyTorch's first tutorial: "loss: 1.079998  [32064/60000]".
std::optional<Reading> values_before_steps(std::string_view line) {
  const auto open = line.find('[');
  if (open == std::string_view::npos || !line.ends_with("]")) return std::nullopt;
  std::string_view steps = line.substr(open + 1);
  skip(steps, " ");
  const auto fraction = take_fraction(steps);
  if (!fraction || !is_only_pairs(trim(line.substr(0, open)))) return std::nullopt;
  Reading reading;
  read_values(line.substr(0, open), 0, reading);
  reading.step = fraction->part;
  reading.total = fraction->whole;
  reading.per_epoch = true;
  return reading;
}

// A line whose words name no position.
std::optional<Reading> without_position(std::string_view line) {
  constexpr std::string_view k_rate = "global_step/sec: ";  // tf.estimator
  Reading reading;
  if (const auto rate = line.find(k_rate); rate != std::string_view::npos) {
    std::string_view rest = line.substr(rate + k_rate.size());
    if (const auto value = take_number(rest)) add_value(reading, "global_step/sec", *value);
  } else if (is_only_pairs(line)) {
    read_values(line, 0, reading);
  }
  if (!reading.values.empty()) return reading;
  return values_before_steps(line);
}

// XGBoost: "[0]\tvalidation_0-logloss:0.65". Returns where it begins; npos = it does not.
std::size_t read_round(std::string_view line, Reading& reading) {
  const auto mark = line.find("]\t");
  if (mark == std::string_view::npos) return mark;
  const auto open = line.rfind('[', mark);
  if (open == std::string_view::npos) return open;
  std::string_view number = line.substr(open + 1, mark - open - 1);
  const auto step = take_number(number);
  if (!step || !number.empty() || !(*step >= 0)) return std::string_view::npos;
  reading.step = step;
  return open;
}

}  // namespace

// Pairs of letters that each line with metrics has, and few others: stEP, EPoch, loSS, aCCuracy.
// The loop has a fixed length and no branch, so that compilers look at many bytes at once.
bool may_have_metrics(std::string_view line) {
  constexpr std::size_t k_block = 32;
  const auto hits = [](const char* text) {
    unsigned char found = 0;
    for (std::size_t at = 0; at < k_block; ++at) {
      const auto one = static_cast<unsigned char>(text[at]);
      const auto next = static_cast<unsigned char>(text[at + 1]);
      const auto small = static_cast<unsigned char>(one | 0x20U);
      const auto small_next = static_cast<unsigned char>(next | 0x20U);
      const auto digit = static_cast<unsigned char>(next - '0');
      found |= static_cast<unsigned char>(
          ((small == 'e') & (small_next == 'p')) | ((small == 's') & (small_next == 's')) |
          ((small == 'c') & (small_next == 'c')) | ((one == '%') & (next == '|')) |
          ((one == ']') & (next == '\t')) | ((one == '=') & (digit <= 9)));
    }
    return found != 0;
  };
  std::size_t at = 0;
  for (; at + k_block < line.size(); at += k_block) {
    if (hits(line.data() + at)) return true;
  }
  std::array<char, k_block + 1> rest{};
  std::ranges::copy(line.substr(at), rest.begin());
  return hits(rest.data());
}

std::optional<Reading> MetricReader::read(std::string_view line) {
  if (record_) {
    if (auto reading = in_record(line)) return reading;
    record_.reset();
  }
  if (!may_have_metrics(line)) return std::nullopt;
  std::string_view shown = last_shown(line);
  const std::string_view bar = overwritten_bar(line, shown);
  if (trim(shown).empty()) shown = bar;
  auto reading = read_shown(shown);
  if (!reading || reading->step || bar.empty()) return reading;
  if (const auto position = read_shown(bar)) {
    reading->step = position->step;
    reading->total = position->total;
    reading->per_epoch = position->per_epoch;
  }
  return reading;
}

std::optional<Reading> MetricReader::read_shown(std::string_view line) {
  if (line.size() > k_longest_metric_line) return std::nullopt;
  if (line.find('\x1b') == std::string_view::npos) return read_plain(line);
  return read_plain(without_colour(line));
}

std::optional<Reading> MetricReader::read_plain(std::string_view line) {
  if (const auto bar = line.find("%|"); bar != std::string_view::npos) return of_bar(line, bar);
  if (auto reading = of_keras(line)) return reading;
  return of_line(line);
}

// OLMo: "    train/CE loss=6.2341".
std::optional<Reading> MetricReader::in_record(std::string_view line) {
  if (!line.starts_with("    ")) return std::nullopt;
  Reading reading = *record_;
  for_each_pair(line, [&reading](std::string_view name, double value, std::size_t) {
    add_value(reading, name, value);
  });
  return reading.values.empty() ? std::nullopt : std::optional(std::move(reading));
}

// tqdm and what is built on it: "Epoch 3:  33%|███▉   | 307/938 [00:01<00:02, 289.04it/s,
// loss=0.1]".
std::optional<Reading> MetricReader::of_bar(std::string_view line, std::size_t mark) {
  std::string_view description = line.substr(0, mark);
  std::string_view rest = line.substr(mark + 2);
  rest.remove_prefix(std::min(rest.find('|'), rest.size()));
  if (!take(rest, "|")) return std::nullopt;
  skip(rest, " ");
  const auto steps = take_fraction(rest);
  skip(rest, " ");
  if (!steps || !take(rest, "[")) return std::nullopt;
  rest = rest.substr(0, rest.find(']'));
  Reading reading;
  reading.from_bar = true;
  const bool has_epoch = read_positions(description, reading) != std::string_view::npos;
  const std::vector<std::string> cells = cells_of(description);
  const bool has_columns = !columns_.empty() && cells.size() >= columns_.size();
  if (!has_epoch && !has_columns && is_other_bar(description)) return std::nullopt;
  for (std::size_t at = 0; has_columns && at < columns_.size(); ++at) {
    std::string_view cell = cells[at];
    if (auto epoch = take_fraction(cell); at == 0 && epoch) {
      reading.epoch = epoch->part;
      reading.epochs = epoch->whole;
    } else if (const auto value = take_number(cell); value && at > 0 && ends_number(cell)) {
      add_value(reading, columns_[at], *value);
    }
  }
  for_each_pair(description, [&reading](std::string_view name, double value, std::size_t) {
    if (known_metric(name)) add_value(reading, name, value);
  });
  Reading inside;
  read_positions(rest, inside);
  read_values(rest, 0, inside);
  for (const Metric& value : inside.values) add_value(reading, value.name, value.value);
  const bool counts_steps =
      rest.find("it/s") != std::string_view::npos || rest.find("s/it") != std::string_view::npos;
  if (!counts_steps && !has_known_value(reading) && !reading.epoch) return std::nullopt;
  reading.per_epoch = reading.epoch.has_value() && !inside.step;
  reading.step = inside.step ? *inside.step : steps->part;
  reading.total = steps->whole;
  return reading;
}

// "422/422 ━━━━━━ 47s 108ms/step - accuracy: 0.8659 - loss: 0.4917", below a line "Epoch 1/5".
std::optional<Reading> MetricReader::of_keras(std::string_view line) {
  const auto per_step = line.find("/step");
  std::string_view rest = line;
  skip(rest, " \b\t");
  const auto steps = per_step == std::string_view::npos ? std::nullopt : take_fraction(rest);
  if (!steps) return std::nullopt;
  skip(rest, " ");
  if (!rest.starts_with("━") && !rest.starts_with("[")) return std::nullopt;
  Reading reading{.step = steps->part,
                  .total = steps->whole,
                  .epoch = epoch_,
                  .epochs = epochs_,
                  .per_epoch = true,
                  .from_bar = true,
                  .values = {}};
  for_each_pair(line.substr(per_step),
                [&reading](std::string_view name, double value, std::size_t) {
                  add_value(reading, name, value);
                });
  return reading;
}

std::optional<Reading> MetricReader::of_line(std::string_view line) {
  if (trim(line).starts_with("Epoch ") && line.find(" GPU_mem ") != std::string_view::npos) {
    columns_ = cells_of(line);
    return std::nullopt;
  }
  Reading reading;
  std::size_t position = read_positions(line, reading);
  if (position == std::string_view::npos) position = read_round(line, reading);
  if (position == std::string_view::npos) return without_position(line);
  read_values(line, position, reading);
  if (has_known_value(reading)) return reading;
  if (reading.epochs && !reading.step && reading.values.empty()) {
    epoch_ = reading.epoch;
    epochs_ = reading.epochs;
  } else if (position > 0 && line[position - 1] == '[' && line.ends_with(']')) {
    return record_ = std::move(reading);
  }
  return std::nullopt;
}

}  // namespace trainctl::job
