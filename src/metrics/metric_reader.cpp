// Tells the shape of a line by its fields and by what stands between them.
#include "metrics/metric_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text/text.h"
#include "metrics/metric_names.h"

namespace trainctl::job {
namespace {

constexpr double k_largest_step = 1e15;
constexpr std::size_t k_most_values = 64;  // of a line

bool has_only(std::string_view text, std::string_view chars) {
  return text.find_first_not_of(chars) == std::string_view::npos;
}

bool is_possible_step(double value) {
  return value >= 0 && value <= k_largest_step;
}

bool has_name(const Reading& reading, std::string_view name) {
  return std::ranges::find(reading.values, name, &Metric::name) != reading.values.end();
}

void add_value(Reading& reading, std::string_view name, double value) {
  if (has_name(reading, name) || reading.values.size() == k_most_values) return;
  reading.values.push_back({std::string(name), value});
}

void add_named(const std::vector<Field>& fields, Reading& reading) {
  for (const Field& field : fields) {
    if (field.sign != 0 && !field.name.empty()) add_value(reading, field.name, field.value);
  }
}

// "Accuracy: 9844/10000" is a share.
double value_of(const Field& field) {
  const bool is_share = field.whole > 0 && known_metric(field.name) == Better::higher;
  return is_share ? field.value / field.whole : field.value;
}

bool has_value(const Reading& reading, bool (*is_it)(std::string_view name)) {
  return std::ranges::any_of(reading.values,
                             [is_it](const Metric& one) { return is_it(one.name); });
}

// The name of a number without a sign: the last word, and the data set in front of it. "" = none.
std::string_view bare_name(const Field& field) {
  const std::string_view text = field.open == 0 ? field.name : "";
  auto begin = text.rfind(' ') + 1;
  if (!needs_no_sign(text.substr(begin))) return "";
  if (begin == 0) return text;
  const auto before = text.rfind(' ', begin - 2) + 1;
  if (data_set_word(text.substr(before, begin - 1 - before))) begin = before;
  return text.substr(begin);
}

// The line without what decorates a heading: "=== Epoch 2/3 ===".
std::string_view undecorated(std::string_view line) {
  constexpr std::string_view k_decoration = " =-#*[]():\t\r";
  const auto begin = line.find_first_not_of(k_decoration);
  if (begin == std::string_view::npos) return "";
  return line.substr(begin, line.find_last_not_of(k_decoration) + 1 - begin);
}

// The data set that the values of a line are of.
struct NamedSet {
  std::string_view word = {};  // "" = the training's
  bool is_of_scores = false;   // only of them: a learning rate behind "val loss" is the training's
};

// Sets the data set that a text names, "" for the training's: "| valid |", "[Val]", "Test set:".
// Paths and other names may hold such words, too.
void find_data_set(std::string_view text, NamedSet& set) {
  constexpr std::string_view k_around = " []()|:\t,-'\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(k_around, at);
    if (begin == std::string_view::npos) return;
    at = std::min(text.find_first_of(k_around, begin), text.size());
    const auto found = data_set_word(text.substr(begin, at - begin));
    if (found) set = {*found == DataSet::training ? "" : text.substr(begin, at - begin)};
  }
}

// The data set in front of the first name of a line or of a part: "val Loss: 1.2 Acc: 0.6". Another
// name's only ends what held until then: "step 50: train loss 5.9, val loss 5.9, acc 0.5".
void find_set_in_name(std::string_view name, bool is_first, NamedSet& set) {
  const std::string_view word = name.substr(0, name.find(' '));
  const auto found = is_first && word != name ? data_set_word(word) : std::nullopt;
  if (found) {
    set = {*found == DataSet::training ? "" : word, true};
  } else if (set.is_of_scores && data_set_of(name)) {
    set = {};
  }
}

// "val Acc", for "Acc" behind "val Loss". No value is lost to another one of its name: "val loss:
// 0.4 | loss: 0.5".
std::string name_in_set(std::string_view name, const NamedSet& set, const Reading& reading) {
  const bool is_of_set = !set.is_of_scores || is_score(name);
  if (set.word.empty() || !is_of_set || data_set_of(name)) return std::string(name);
  std::string whole = cat(lower(set.word), ' ', name);
  return set.is_of_scores && has_name(reading, whole) ? std::string(name) : whole;
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

}  // namespace

// "description:  33%|███▉   | 307/938 [inside]", "description: |    | 120/? [inside]",
// "description: 120it [inside]".
struct MetricReader::Bar {
  std::string_view description, inside, behind;  // behind: what else the program printed there
  Field count;

  static std::optional<Bar> find(std::string_view line) {
    std::size_t begin = line.find("%|");  // of the count
    std::size_t open = std::string_view::npos;
    std::string_view description = line.substr(0, begin);
    if (begin != std::string_view::npos) {
      begin = line.find('|', begin + 2);
      open = line.find('[', begin);
      while (!description.empty() && is_digit(description.back())) description.remove_suffix(1);
    } else if (open = line.find("/? ["); open != std::string_view::npos) {
      begin = line.rfind('|', open);
      description = line.substr(0, line.find('|'));
    } else if (open = line.find("it ["); open != std::string_view::npos) {
      begin = line.rfind(' ', open);
      description = line.substr(0, begin + 1);
    }
    if (open == std::string_view::npos) return std::nullopt;
    std::vector<Field> fields;
    read_fields(line.substr(begin + 1, open - begin - 1), fields);
    if (fields.size() != 1) return std::nullopt;
    const std::string_view inside = line.substr(line.find('[', open) + 1);
    const auto end = inside.find(']');
    const bool is_closed = end != std::string_view::npos;
    return Bar{description, inside.substr(0, end), is_closed ? inside.substr(end + 1) : "",
               fields[0]};
  }
};

struct MetricReader::Shape {
  std::string_view example;
  std::optional<Reading> (MetricReader::*read)(std::string_view line);
};

constexpr std::array<MetricReader::Shape, 8> MetricReader::k_shapes = {{
    {"Epoch 3:  33%|███▉   | 307/938 [00:01<00:02, 289.04it/s, loss=0.1]", &MetricReader::of_bar},
    {"422/422 ━━━━━━ 47s 108ms/step - accuracy: 0.8659 - loss: 0.4917", &MetricReader::of_keras},
    {"[0]\tvalidation_0-logloss:0.65", &MetricReader::of_round},
    {"loss: 1.079998  [32064/60000]", &MetricReader::of_samples},
    {"[1,  2000] loss: 2.1", &MetricReader::of_batches},
    {" *   Acc@1 21.500 Acc@5 45.100", &MetricReader::of_summary},
    {"iteration 2/ 500 | lm loss: 11.7 | grad norm: 0.4", &MetricReader::of_position},
    {"accuracy=0.97 loss=0.1", &MetricReader::of_pairs},
}};

std::vector<std::string_view> MetricReader::examples() {
  std::vector<std::string_view> all;
  for (const Shape& shape : k_shapes) all.push_back(shape.example);
  return all;
}

std::optional<Reading> MetricReader::read(std::string_view line) {
  if (line.size() > k_longest_metric_line) return std::nullopt;
  if (record_) {
    if (auto reading = in_record(line)) return reading;
    record_.reset();
  }
  if (!has_known_word(line)) return std::nullopt;
  if (trim(line).starts_with("Epoch ") && line.find(" GPU_mem ") != std::string_view::npos) {
    columns_ = cells_of(line);
    return std::nullopt;
  }
  if (take_heading(line)) return std::nullopt;
  read_fields(line, fields_);
  if (fields_.empty()) return std::nullopt;
  for (const Shape& shape : k_shapes) {
    auto reading = (this->*shape.read)(line);
    if (!reading) continue;
    put_below_heading(*reading);
    return reading;
  }
  return std::nullopt;
}

// "Epoch 2/3", "=== Epoch 2 ===". "epoch: 30" may be a line of a configuration.
bool MetricReader::take_heading(std::string_view line) {
  constexpr std::size_t k_longest = 32;
  line = undecorated(line);
  if (line.size() > k_longest || (!line.starts_with("Epoch") && !line.starts_with("epoch"))) {
    return false;
  }
  read_fields(line, fields_);
  if (fields_.size() != 1) return false;
  const Field& field = fields_[0];
  const bool is_alone = field.name.size() == std::string_view("Epoch").size() &&
                        field.name_begin(line) == 0 && field.end == line.size();
  const bool is_whole = is_possible_step(field.value) && field.value == std::floor(field.value);
  if (!is_alone || !is_whole || (field.sign != 0 && field.whole == 0)) return false;
  below_heading_.clear();
  epoch_ = field.value;
  epochs_ = field.whole > 0 ? std::optional(field.whole) : std::nullopt;
  return true;
}

// Bars that do not name their epoch are counted; some are of other loops. A heading does not place
// a metric that comes more than once in an epoch.
void MetricReader::put_below_heading(Reading& reading) {
  if (!epoch_ || reading.epoch || reading.from_bar) return;
  for (const auto& value : reading.values) {
    const bool is_again = !below_heading_.insert(value.name).second;
    are_many_below_ = are_many_below_ || (is_again && !reading.step);
  }
  reading.counts_lines = are_many_below_ && !reading.step;
  if (reading.counts_lines) return;
  reading.epoch = epoch_;
  reading.epochs = epochs_;
}

// OLMo: "    train/CE loss=6.2341".
std::optional<Reading> MetricReader::in_record(std::string_view line) {
  if (!line.starts_with("    ")) return std::nullopt;
  Reading reading = *record_;
  read_fields(line, fields_);
  add_named(fields_, reading);
  return reading.values.empty() ? std::nullopt : std::optional(std::move(reading));
}

// YOLO's values stand in the description of its bar, below their names.
bool MetricReader::take_columns(std::string_view description, Reading& reading) const {
  const std::vector<std::string> cells = cells_of(description);
  if (columns_.empty() || cells.size() < columns_.size()) return false;
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    std::vector<Field> cell;
    read_fields(cells[at], cell);
    if (cell.size() != 1) continue;
    if (at > 0) {
      add_value(reading, columns_[at], cell[0].value);
    } else if (cell[0].whole > 0) {
      reading.epoch = cell[0].value;
      reading.epochs = cell[0].whole;
    }
  }
  return true;
}

std::optional<Reading> MetricReader::of_bar(std::string_view line) {
  const auto bar = Bar::find(line);
  if (!bar) return std::nullopt;
  Reading reading{.step = bar->count.value, .from_bar = true};
  if (bar->count.whole > 0) reading.total = bar->count.whole;
  const bool has_columns = take_columns(bar->description, reading);
  read_fields(bar->description, fields_);
  for (const Field& field : fields_) {
    const auto position = position_word(field.name);
    if (position == PositionIs::epoch && !reading.epoch && is_possible_step(field.value)) {
      reading.epoch = field.value;
      if (field.whole > 0) reading.epochs = field.whole;
    }
    const std::string_view name = field.sign == 0 ? bare_name(field) : field.name;
    if (!position && tells_training(name)) add_value(reading, name, field.value);
  }
  const bool is_other = is_other_bar(bar->description) && !reading.epoch && !has_columns;
  read_fields(bar->inside, fields_);
  for (const Field& field : fields_) {
    if (field.unit == "it/s" || field.unit == "s/it") {
      reading.rate = field.unit == "it/s" ? field.value : 1 / field.value;
    } else if (position_word(field.name)) {
      if (field.value == std::floor(field.value)) reading.run_step = field.value;
    } else if (field.sign != 0 && !field.name.empty()) {
      add_value(reading, field.name, field.value);
    }
  }
  const bool counts_steps = reading.rate || bar->inside.find("it/s") != std::string_view::npos;
  fields_.clear();  // no other shape
  if (is_other || (!counts_steps && !has_value(reading, tells_training) && !reading.epoch)) {
    return std::nullopt;
  }
  reading.per_epoch = reading.epoch.has_value();
  // A bar ends without a line feed, so that the next print() stands on its line.
  auto printed = trim(bar->behind).empty() ? std::nullopt : read(bar->behind);
  if (!printed || printed->step) return printed ? printed : reading;
  printed->step = reading.step;
  printed->total = reading.total;
  printed->per_epoch = reading.per_epoch;
  printed->from_bar = true;
  if (reading.per_epoch) printed->epoch = reading.epoch;
  return printed;
}

// Keras prints a bar or, with verbose=2, a line for each epoch ("100/100 - 2s - loss: 0.5"), below
// a line "Epoch 1/5".
std::optional<Reading> MetricReader::of_keras(std::string_view line) {
  if (fields_.empty() || fields_[0].whole == 0) return std::nullopt;
  const Field& steps = fields_[0];
  const std::string_view rest = trim(line.substr(steps.end));
  const bool is_bar = (rest.starts_with("━") || rest.starts_with('[')) &&
                      (line.find("/step") != std::string_view::npos ||
                       line.find("- ETA: ") != std::string_view::npos);
  const bool is_whole_epoch =
      rest.starts_with("- ") && fields_.size() > 1 && fields_[1].unit == "s";
  if (!has_only(line.substr(0, steps.begin), " \b\t") || (!is_bar && !is_whole_epoch)) {
    return std::nullopt;
  }
  Reading reading{.step = steps.value,
                  .total = steps.whole,
                  .epoch = epoch_,
                  .epochs = epochs_,
                  .per_epoch = true,
                  .from_bar = is_bar};
  add_named(fields_, reading);
  return reading;
}

// Boosting: "[0]\ttrain-error:0.04", and CatBoost's "0:\tlearn: 0.68\tbest: 0.67 (0)\ttotal: 5ms".
std::optional<Reading> MetricReader::of_round(std::string_view line) {
  const auto round = std::ranges::find_if(fields_, [&line](const Field& field) {
    const std::string_view rest = line.substr(field.end);
    const bool is_first = has_only(line.substr(0, field.begin), " ");
    return (field.open == '[' && field.whole == 0 && rest.starts_with("]\t")) ||
           (is_first && rest.starts_with(":\t"));
  });
  if (round == fields_.end() || !is_possible_step(round->value)) return std::nullopt;
  Reading reading{.step = round->value};
  for (auto field = round + 1; field != fields_.end(); ++field) {
    const bool is_time = field->unit.ends_with('s') || field->unit == "m" || field->unit == "h";
    if (field->sign == 0 || field->name.empty() || is_time || field->name == "best") continue;
    add_value(reading, field->name, field->value);
  }
  const bool is_boosting = has_value(reading, [](std::string_view name) {
    return known_metric(name).has_value() || data_set_of(name).has_value();
  });
  return is_boosting ? std::optional(std::move(reading)) : std::nullopt;
}

// PyTorch's first tutorial: samples behind the loss.
std::optional<Reading> MetricReader::of_samples(std::string_view line) {
  const bool is_it = fields_.size() > 1 && fields_.back().open == '[' && fields_.back().whole > 0 &&
                     line.substr(fields_.back().end) == "]" && are_pairs(line, fields_.size() - 1);
  if (!is_it) return std::nullopt;
  Reading reading{.step = fields_.back().value,
                  .total = fields_.back().whole,
                  .per_epoch = true,
                  .counts_samples = true};
  add_values(line, 0, reading);
  return reading;
}

// Epoch and batch in brackets: PyTorch's CIFAR tutorial, and its DCGAN,
// "[0/25][0/782]\tLoss_D: 1.6".
std::optional<Reading> MetricReader::of_batches(std::string_view line) {
  if (fields_.size() < 3 || fields_[0].open != '[' || !fields_[1].name.empty()) return std::nullopt;
  const std::string_view between = line.substr(fields_[0].end, fields_[1].begin - fields_[0].end);
  const bool has_totals = fields_[0].whole > 0 && fields_[1].whole > 0;
  const bool are_beside = has_totals ? between.starts_with("]") && has_only(between, "][ ")
                                     : between.starts_with(',') && has_only(between, ", ");
  const bool is_it = are_beside && line.substr(fields_[1].end).starts_with(']') &&
                     is_possible_step(fields_[1].value);
  if (!is_it || !has_only(line.substr(0, fields_[0].begin), " [")) return std::nullopt;
  Reading reading{.step = fields_[1].value, .epoch = fields_[0].value, .per_epoch = true};
  if (has_totals) {
    reading.total = fields_[1].whole;
    reading.epochs = fields_[0].whole;
  }
  add_values(line, 0, reading);
  return has_value(reading, is_score) ? std::optional(std::move(reading)) : std::nullopt;
}

// The end of a validation, as PyTorch's ImageNet example prints it.
std::optional<Reading> MetricReader::of_summary(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("* ")) return std::nullopt;
  std::vector<Field> fields;
  read_fields(line.substr(1), fields);
  Reading reading;
  for (const Field& field : fields) {
    if (field.name.empty() && field.open == '(') continue;  // timm: the error beside the accuracy
    const std::string_view name = bare_name(field);
    if (field.sign != 0 || !is_score(name)) return std::nullopt;
    add_value(reading, cat("test ", name), field.value);
  }
  return reading.values.empty() ? std::nullopt : std::optional(std::move(reading));
}

// Sets what the field at `at` says about the position, with the steps behind an epoch: "[2][
// 10/50]".
void MetricReader::take_position(std::string_view line, std::size_t at, Reading& reading) const {
  const Field& field = fields_[at];
  const PositionIs is = position_word(field.name).value_or(PositionIs::step);
  const bool is_whole = field.value == std::floor(field.value);
  if (is == PositionIs::run_step) {
    if (is_whole) reading.run_step = field.value;
  } else if (is == PositionIs::epoch || is == PositionIs::epoch_before_step) {
    if (reading.epoch) return;
    reading.epoch = field.value;
    if (field.whole > 0) reading.epochs = field.whole;
    if (at + 1 == fields_.size()) return;
    const Field& next = fields_[at + 1];
    const std::string_view between = line.substr(field.end, next.begin - field.end);
    if (!next.name.empty() || next.whole == 0 || !has_only(between, "]) ,:\t[(")) return;
    reading.step = next.value;
    reading.total = next.whole;
    reading.per_epoch = true;
    // pytorch/examples, mnist: "Train Epoch: 1 [640/60000 (1%)]". timm counts batches that way.
    reading.counts_samples =
        next.open == '[' && field.open == 0 && lower(field.name) == "train epoch";
  } else if (is_whole && !reading.step) {
    reading.step = field.value;
    if (field.whole > 0) reading.total = field.whole;
    reading.per_epoch = is == PositionIs::step_of_epoch;
  }
}

// Returns where the first position begins; npos = the line has none.
std::size_t MetricReader::take_positions(std::string_view line, Reading& reading) const {
  std::size_t first = std::string_view::npos;
  for (std::size_t at = 0; at < fields_.size(); ++at) {
    const Field& field = fields_[at];
    const auto is = position_word(field.name);
    if (!is || !is_possible_step(field.value)) continue;
    if (*is == PositionIs::step_of_epoch && field.whole == 0 && !reading.epoch) continue;
    const bool has_steps_behind =
        at + 1 < fields_.size() && fields_[at + 1].name.empty() && fields_[at + 1].whole > 0;
    if (*is == PositionIs::epoch_before_step && !has_steps_behind) continue;
    take_position(line, at, reading);
    first = std::min(first, field.name_begin(line));
  }
  if (reading.run_step && !reading.total) {
    reading.step = std::exchange(reading.run_step, std::nullopt);
  }
  if (reading.epochs && reading.total) reading.per_epoch = true;
  return first;
}

// In front of `position` only known names count, since time stamps and places in the source stand
// there.
void MetricReader::add_values(std::string_view line, std::size_t position, Reading& reading) const {
  const std::size_t begin = std::min(position, line.find('{'));
  NamedSet set;
  std::size_t end = 0;
  for (const Field& field : fields_) {
    const bool is_position = position_word(field.name).has_value();
    const std::size_t from = is_position ? field.begin : field.name_begin(line);
    const std::string_view between = line.substr(end, from - end);
    find_data_set(between, set);
    end = field.end;
    const std::string_view name = field.sign == 0 ? bare_name(field) : field.name;
    if (is_position || name.empty() || (from < begin && !tells_training(name))) continue;
    find_set_in_name(name, reading.values.empty() || trim(between).ends_with('|'), set);
    add_value(reading, name_in_set(name, set, reading), value_of(field));
  }
  // The steps of an evaluation are not the training's.
  if (!set.word.empty() && !set.is_of_scores && reading.total) {
    reading.step = reading.total = std::nullopt;
    reading.per_epoch = false;
  }
}

std::optional<Reading> MetricReader::of_position(std::string_view line) {
  Reading reading;
  const std::size_t position = take_positions(line, reading);
  if (position == std::string_view::npos) return std::nullopt;
  add_values(line, position, reading);
  const bool is_plural = std::ranges::any_of(
      fields_, [](const Field& field) { return position_word(field.name) == PositionIs::steps; });
  // A configuration has epochs and rates, too.
  const bool is_progress = has_value(reading, is_score) ||
                           (reading.step && !is_plural && has_value(reading, tells_training));
  if (is_progress) return reading;
  if (reading.epochs && !reading.step && reading.values.empty()) {
    epoch_ = reading.epoch;
    epochs_ = reading.epochs;
  } else if (position > 0 && line[position - 1] == '[' && line.ends_with(']')) {
    return record_ = std::move(reading);
  }
  return std::nullopt;
}

// True when the first fields are scores with signs and nothing else stands between them but "(98%)"
// behind a share, nor before them but a data set: "Test set: Average loss: 0.05, Accuracy: 9844/1".
bool MetricReader::are_pairs(std::string_view line, std::size_t count) const {
  std::size_t end = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const Field& field = fields_[at];
    std::string_view before = line.substr(end, field.name_begin(line) - end);
    end = field.end;
    const bool is_percent = field.name.empty() && field.open == '(' && at > 0;
    if (is_percent && has_only(before, " (")) continue;
    if (field.sign == 0 || !is_score(field.name)) return false;
    const bool has_set = at == 0 && trim(before).ends_with(':') &&
                         data_set_word(before.substr(0, before.find_first_of(" :")));
    if (!has_set && !has_only(before, " \t,;|-)")) return false;
  }
  const std::string_view rest = line.substr(end);
  return count < fields_.size() || has_only(rest, " \t%\r)");
}

// "accuracy=0.97 loss=0.1", as Katib reads it, and nothing else on the line; and tf.estimator's
// rate.
std::optional<Reading> MetricReader::of_pairs(std::string_view line) {
  Reading reading;
  const auto rate = std::ranges::find(fields_, "global_step/sec", &Field::name);
  if (rate != fields_.end()) {
    add_value(reading, rate->name, rate->value);
  } else if (are_pairs(line, fields_.size())) {
    add_values(line, 0, reading);
  }
  return reading.values.empty() ? std::nullopt : std::optional(std::move(reading));
}

}  // namespace trainctl::job
