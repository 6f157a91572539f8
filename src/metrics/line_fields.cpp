// Finds numbers from left to right, and reads backward from each what names it.
#include "metrics/line_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

constexpr std::size_t k_most_fields = 200;
constexpr std::string_view k_field_blanks = " \t";

// Looked up for each character of each line.
class CharSet {
 public:
  explicit constexpr CharSet(std::string_view chars) {
    for (const char c : chars) has_[static_cast<unsigned char>(c)] = true;
  }
  constexpr bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> has_{};
};

constexpr CharSet k_blanks{k_field_blanks};
constexpr CharSet k_before_numbers{" \t:=[('\"|#,{~>"};
constexpr CharSet k_behind_units{" \t,;|()[]{}\"'\r"};
constexpr CharSet k_behind_dates{" \t,;|()[]{}\"'="};
constexpr CharSet k_before_names{",|\t{};[]\"'(:"};
constexpr CharSet k_brackets{"[("};
constexpr CharSet k_marks{"\"'#"};
constexpr CharSet k_signs{":="};

bool is_word_char(char c) {
  return is_letter(c) || c == '_';
}

std::optional<double> take_plain_number(std::string_view& text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc()) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  // "nano" begins as a number, too.
  if (!std::isfinite(number) && !rest.empty() && is_word_char(rest.front())) return std::nullopt;
  text = rest;
  return number;
}

// The length of a unit behind a number ("48.67ms", "1.2it/s"); nullopt = what follows shows that it
// is part of something else.
std::optional<std::size_t> unit_length(std::string_view rest) {
  constexpr std::size_t k_longest_unit = 6;
  std::size_t unit = 0;
  while (unit < rest.size() && (is_letter(rest[unit]) || rest[unit] == '%' || rest[unit] == '/')) {
    ++unit;
  }
  if (rest.size() > 1 && rest[0] == '/' && is_letter(rest[1])) return 0;  // "epoch=0/micro_step=4"
  if (unit > k_longest_unit || (unit > 0 && rest[unit - 1] == '/')) return std::nullopt;
  if (unit == rest.size()) return unit;
  const char next = rest[unit];
  const bool more_follows = unit + 1 < rest.size() && !k_blanks.has(rest[unit + 1]);
  // xgboost.cv: "0.97+0.01".
  if (next == '+')
    return more_follows && is_digit(rest[unit + 1]) ? std::optional(unit) : std::nullopt;
  if (next == '.' || next == ':') return more_follows ? std::nullopt : std::optional(unit);
  return k_behind_units.has(next) ? std::optional(unit) : std::nullopt;
}

// "step 12k". Megabytes, "max_mem: 2671M", stay as they are printed.
double multiple_of(std::string_view unit) {
  return unit == "k" || unit == "K" ? 1e3 : 1;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(k_field_blanks), text.size()));
}

// The rest of a fraction, "/  500000" or " of 12", behind its first number.
double take_whole(double part, std::string_view& text) {
  constexpr double k_largest_count = 1e15;
  std::string_view rest = text;
  skip_blanks(rest);
  const std::string_view between = rest.starts_with("of ") ? "of " : "/";
  if (!rest.starts_with(between)) return 0;
  rest.remove_prefix(between.size());
  skip_blanks(rest);
  const auto whole = take_number(rest);
  const bool counts = whole && part >= 0 && *whole >= part && *whole > 0 &&
                      *whole < k_largest_count && part == std::floor(part) &&
                      *whole == std::floor(*whole) && unit_length(rest);
  if (!counts) return 0;
  text = rest;
  return *whole;
}

bool is_name(std::string_view name) {
  constexpr std::size_t k_longest_name = 60;
  constexpr std::array<std::string_view, 6> k_no_metrics = {"v_num", "rank", "pid",
                                                            "seed",  "port", "eta"};
  return !name.empty() && name.size() <= k_longest_name && is_letter(name.front()) &&
         name.find(" -") == std::string_view::npos &&  // "train.py --lr"
         std::ranges::find(k_no_metrics, lower(name)) == k_no_metrics.end();
}

// The place of the bracket that the last character closes; npos = none. "D(G(z))" has two.
std::size_t opening_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.size(); at > 0; --at) {
    if (text[at - 1] == ')') ++depth;
    if (text[at - 1] == '(' && --depth == 0) return at - 1;
  }
  return std::string_view::npos;
}

// The beginning of the name at the end of `text`: behind a separator, a closed value, two blanks.
std::size_t name_begin(std::string_view text) {
  std::size_t at = text.size();
  for (; at > 0; --at) {
    const char c = text[at - 1];
    if (c == ')') {  // "elapsed time (ms)"
      const auto open = opening_bracket(text.substr(0, at));
      if (open == std::string_view::npos) return at;
      at = open + 1;
    } else if (c == '\'' && text.substr(at).starts_with("s ")) {  // "valid_1's auc"
      continue;
    } else if (c == '=') {  // a value in words stands between: "dtype=bf16 loss=0.3"
      const auto blank = text.rfind(' ');
      return blank == std::string_view::npos ? at : std::max(at, blank + 1);
    } else if (k_before_names.has(c)) {
      return at;
    } else if (c == ' ' && at > 1 && text[at - 2] == ' ') {
      return at;
    } else if (c == '-' && text.substr(at).starts_with(' ') && (at == 1 || text[at - 2] == ' ')) {
      return at;
    }
  }
  return at;
}

std::string_view name_at_end(std::string_view text) {
  text = trim(text);
  if (text.empty()) return text;
  if (const char quote = text.back(); quote == '"' || quote == '\'') {
    text.remove_suffix(1);
    const auto open = text.rfind(quote);
    text = open == std::string_view::npos ? "" : text.substr(open + 1);
  } else {
    text = trim(text.substr(name_begin(text)));
    if (text.starts_with('/')) text.remove_prefix(1);  // "micro_step=40/global_step"
  }
  return is_name(text) ? text : "";
}

// Removes the type of a number from the end: "loss=tensor(0.5, device='cuda:0')".
bool take_type(std::string_view& before) {
  constexpr std::array<std::string_view, 4> k_types = {"tensor(", "Array(", "np.float64(",
                                                       "np.float32("};
  for (const std::string_view type : k_types) {
    if (!before.ends_with(type)) continue;
    before.remove_suffix(type.size());
    return true;
  }
  return false;
}

// Reads from the number backward: "'loss': '", "Epoch: [", "lr = ".
void read_name(std::string_view before, Field& field) {
  const auto take_back = [&before](const CharSet& chars) {
    if (before.empty() || !chars.has(before.back())) return '\0';
    const char taken = before.back();
    before.remove_suffix(1);
    return taken;
  };
  while (take_back(k_blanks) != 0) continue;
  field.open = take_back(k_brackets);
  if (field.open == 0) take_back(k_marks);
  while (take_back(k_blanks) != 0) continue;
  field.sign = take_back(k_signs);
  field.name = name_at_end(before);
}

bool begins_number(std::string_view text) {
  const char first = text.front();
  if (is_digit(first)) return true;
  const char next = text.size() > 1 ? text[1] : '\0';
  if (first == '-' || first == '+' || first == '.')
    return is_digit(next) || next == '.' || next == 'i';
  const char small = static_cast<char>(first | 0x20);
  const char small_next = static_cast<char>(next | 0x20);
  return (small == 'n' && small_next == 'a') || (small == 'i' && small_next == 'n');
}

// A number and what belongs to it; nullopt when it is part of something else.
std::optional<Field> field_at(std::string_view line, std::size_t from, std::size_t at) {
  if (at > 0 && !k_before_numbers.has(line[at - 1])) return std::nullopt;
  std::string_view rest = line.substr(at);
  const auto number = take_number(rest);
  if (!number) return std::nullopt;
  Field field{.value = *number, .begin = at};
  field.whole = take_whole(*number, rest);
  const auto unit = unit_length(rest);
  if (!unit) return std::nullopt;
  field.unit = rest.substr(0, *unit);
  field.value *= multiple_of(field.unit);
  rest.remove_prefix(*unit);
  field.end = line.size() - rest.size();
  std::string_view before = line.substr(from, at - from);
  if (take_type(before)) field.end = std::min(line.find(')', field.end), line.size() - 1) + 1;
  read_name(before, field);
  return field;
}

}  // namespace

std::optional<double> take_number(std::string_view& text) {
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  const auto digits_at = [&rest](std::size_t at) {
    std::size_t end = at;
    while (end < rest.size() && is_digit(rest[end])) ++end;
    return end - at;
  };
  std::string plain;  // without thousands separators
  std::size_t end = digits_at(0);
  if (end > 0 && end <= 3) {
    while (end < rest.size() && rest[end] == ',' && digits_at(end + 1) == 3) {
      plain += plain.empty() ? rest.substr(0, end) : "";
      plain += rest.substr(end + 1, 3);
      end += 4;
    }
  }
  if (!plain.empty()) {
    if (end < rest.size() && rest[end] == '.') {
      plain += rest.substr(end, digits_at(end + 1) + 1);
      end += digits_at(end + 1) + 1;
    }
    rest.remove_prefix(end);
  }
  std::string_view digits = plain.empty() ? rest : plain;
  const auto number = take_plain_number(digits);
  if (number) text = plain.empty() ? digits : rest;
  return number;
}

void read_fields(std::string_view line, std::vector<Field>& fields) {
  fields.clear();
  std::size_t from = 0;  // where the next name may begin
  for (std::size_t at = 0; at < line.size() && fields.size() < k_most_fields;) {
    if (begins_number(line.substr(at))) {
      if (const auto field = field_at(line, from, at)) {
        fields.push_back(*field);
        from = at = field->end;
        continue;
      }
    }
    const bool is_date = is_digit(line[at]);
    const bool is_word = is_word_char(line[at]);
    const bool is_part = at > 0 && !k_before_numbers.has(line[at - 1]);  // "Acc@1"
    ++at;
    const auto goes_on = [&](char c) {
      return is_date ? !k_behind_dates.has(c) : is_word && (is_word_char(c) || is_digit(c));
    };
    while (at < line.size() && goes_on(line[at])) ++at;
    if (is_date && !is_part) from = at;
  }
}

}  // namespace trainctl::job
