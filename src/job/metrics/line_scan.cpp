// Reads numbers as std::from_chars does, but for thousands separators.
#include "job/metrics/line_scan.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace trainctl::job {
namespace {

constexpr double k_largest_count = 1e15;
constexpr std::size_t k_longest_name = 60;

// The length of "4,376" with thousands separators; 0 = there are none.
std::size_t grouped_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == 0 || end > 3) return 0;
  std::size_t groups = 0;
  const auto has_group = [&text](std::size_t at) {
    return at + 4 <= text.size() && text[at] == ',' && is_digit(text[at + 1]) &&
           is_digit(text[at + 2]) && is_digit(text[at + 3]) &&
           (at + 4 == text.size() || !is_digit(text[at + 4]));
  };
  for (; has_group(end); end += 4) ++groups;
  return groups == 0 ? 0 : end;
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

std::string_view text_at_end(std::string_view text) {
  text = trim(text);
  if (text.empty()) return text;
  if (const char quote = text.back(); quote == '"' || quote == '\'') {
    text.remove_suffix(1);
    const auto open = text.rfind(quote);
    return open == std::string_view::npos ? "" : text.substr(open + 1);
  }
  if (const auto cut = text.find_last_of(",|\t{};:=[]\"'"); cut != std::string_view::npos) {
    // A value in words stands between: "dtype=bf16 loss=0.3".
    const bool is_word = text[cut] == '=';
    text.remove_prefix(cut + 1);
    if (const auto blank = text.rfind(' '); is_word && blank != std::string_view::npos) {
      text.remove_prefix(blank + 1);
    }
  }
  for (const std::string_view mark : {"  ", " - "}) {
    if (const auto cut = text.rfind(mark); cut != std::string_view::npos) {
      text.remove_prefix(cut + mark.size());
    }
  }
  text = trim(text);
  while (text.starts_with("- ")) text.remove_prefix(2);
  return trim(text);
}

// "step 1/60 loss 2.75 grad_norm" ends in one name, behind the last number.
std::string_view behind_numbers(std::string_view text) {
  for (auto blank = text.rfind(' '); blank != std::string_view::npos && blank > 0;
       blank = text.rfind(' ', blank - 1)) {
    const auto word = text.rfind(' ', blank - 1);
    const char first = text[word == std::string_view::npos ? 0 : word + 1];
    if (is_digit(first) || first == '-' || first == '+') return text.substr(blank + 1);
  }
  return text;
}

bool is_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> k_no_metrics = {"v_num", "rank", "pid",
                                                            "seed",  "port", "eta"};
  return !name.empty() && name.size() <= k_longest_name && is_letter(name.front()) &&
         std::ranges::find(k_no_metrics, lower(name)) == k_no_metrics.end();
}

}  // namespace

bool is_same_word(std::string_view word, std::string_view small_letters) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return word.size() == small_letters.size() && small(word.front()) == small_letters.front() &&
         std::ranges::equal(word, small_letters, {}, small);
}

void skip(std::string_view& text, std::string_view chars) {
  text.remove_prefix(std::min(text.find_first_not_of(chars), text.size()));
}

bool take(std::string_view& text, std::string_view chars) {
  if (text.empty() || chars.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> take_number(std::string_view& text) {
  std::string_view rest = text;
  take(rest, "+");
  if (const std::size_t length = grouped_length(rest); length != 0) {
    std::string plain(rest.substr(0, length));
    std::erase(plain, ',');
    rest.remove_prefix(length);
    while (!rest.empty() &&
           (is_digit(rest.front()) || (rest.front() == '.' && plain.back() != '.'))) {
      plain += rest.front();
      rest.remove_prefix(1);
    }
    std::string_view digits = plain;
    const auto number = take_plain_number(digits);
    if (number) text = rest;
    return number;
  }
  const auto number = take_plain_number(rest);
  if (number) text = rest;
  return number;
}

bool ends_number(std::string_view rest) {
  constexpr std::size_t k_longest_unit = 6;
  std::size_t unit = 0;
  while (unit < rest.size() && (is_letter(rest[unit]) || rest[unit] == '%' || rest[unit] == '/')) {
    ++unit;
  }
  if (unit > k_longest_unit || (unit > 0 && rest[unit - 1] == '/')) return false;
  rest.remove_prefix(unit);
  if (rest.empty()) return true;
  const bool more_follows =
      rest.size() > 1 && std::string_view(" \t").find(rest[1]) == std::string_view::npos;
  if (rest.front() == '.' || rest.front() == ':') return !more_follows;
  return std::string_view(" \t,;|()[]{}\"'\r").find(rest.front()) != std::string_view::npos;
}

std::optional<Fraction> take_fraction(std::string_view& text) {
  std::string_view rest = text;
  const auto part = take_number(rest);
  if (!part) return std::nullopt;
  skip(rest, " ");
  if (!take(rest, "/")) return std::nullopt;
  skip(rest, " ");
  const auto whole = take_number(rest);
  const bool counts = whole && *part >= 0 && *whole >= *part && *whole > 0 &&
                      *whole < k_largest_count && *part == std::floor(*part) &&
                      *whole == std::floor(*whole) && ends_number(rest);
  if (!counts) return std::nullopt;
  text = rest;
  return Fraction{*part, *whole};
}

std::string_view name_at_end(std::string_view text) {
  const std::string_view name = behind_numbers(text_at_end(text));
  return is_name(name) ? name : "";
}

}  // namespace trainctl::job
