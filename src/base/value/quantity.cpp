// Computes quantities in exact decimal arithmetic: no floats, and no rounding but up to a
// thousandth.
#include "base/value/quantity.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <optional>

#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr std::int64_t k_largest = std::numeric_limits<std::int64_t>::max();
// An exponent beyond this saturates (or vanishes) for any digits that fit on a command line.
constexpr int k_huge_exponent = 100'000'000;

struct Parts {
  std::string digits;  // digits without the decimal point
  int exponent = 0;    // power of ten that digits are multiplied by
  int kibis = 0;       // power of 1024
};

std::string_view take_digits(std::string_view& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

std::optional<int> exponent_value(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text) value = std::min(k_huge_exponent, value * 10 + (c - '0'));
  return negative ? -value : value;
}

// Applies the suffix's factor; false when there is no such suffix.
bool apply_suffix(std::string_view suffix, Parts& parts) {
  constexpr std::string_view k_binary = "KMGTPE";
  constexpr std::string_view k_decimal = "num kMGTPE";
  if (suffix.empty()) return true;
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const auto power = k_binary.find(suffix[0]);
    parts.kibis = static_cast<int>(power) + 1;
    return power != std::string_view::npos;
  }
  if (suffix.size() == 1 && suffix[0] != ' ') {
    const auto place = k_decimal.find(suffix[0]);
    parts.exponent += 3 * (static_cast<int>(place) - 3);
    return place != std::string_view::npos;
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return false;
  const auto exponent = exponent_value(suffix.substr(1));
  parts.exponent += exponent.value_or(0);
  return exponent.has_value();
}

std::optional<Parts> parse(std::string_view text) {
  Parts parts;
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  parts.digits = take_digits(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::string_view fraction = take_digits(text);
    parts.digits += fraction;
    parts.exponent = -static_cast<int>(fraction.size());
  }
  if (parts.digits.empty() || !apply_suffix(text, parts)) return std::nullopt;
  return parts;
}

// Multiplies a decimal number in place.
void multiply(std::string& digits, unsigned factor) {
  unsigned carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += static_cast<unsigned>(*digit - '0') * factor;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  if (carry > 0) digits.insert(0, std::to_string(carry));
}

// digits × 10^exponent, rounded up, at most k_largest.
std::int64_t rounded_up(std::string digits, int exponent) {
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return 0;
  if (exponent > 19) return k_largest;
  if (exponent > 0) digits.append(static_cast<std::size_t>(exponent), '0');
  const std::size_t dropped = exponent < 0 ? static_cast<std::size_t>(-exponent) : 0;
  if (dropped >= digits.size()) return 1;
  const auto point = digits.end() - static_cast<std::ptrdiff_t>(dropped);
  std::int64_t value = std::any_of(point, digits.end(), [](char c) { return c != '0'; }) ? 1 : 0;
  std::int64_t whole = 0;
  for (auto digit = digits.begin(); digit != point; ++digit) {
    if (__builtin_mul_overflow(whole, std::int64_t{10}, &whole)) return k_largest;
    if (__builtin_add_overflow(whole, std::int64_t{*digit - '0'}, &whole)) return k_largest;
  }
  return __builtin_add_overflow(whole, value, &value) ? k_largest : value;
}

// In thousandths: digits × 10^exponent.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

std::optional<Decimal> parse_milli(std::string_view text) {
  std::optional<Parts> parts = parse(text);
  if (!parts) return std::nullopt;
  for (int i = 0; i < parts->kibis; ++i) multiply(parts->digits, 1024);
  return Decimal{std::move(parts->digits), parts->exponent + 3};
}

// False when the value has a part below a thousandth, or is none.
bool is_whole_in_milli(std::string_view text) {
  const std::optional<Decimal> value = parse_milli(text);
  if (!value) return false;
  const int finer = -value->exponent;
  if (finer <= 0) return true;
  const std::string& digits = value->digits;
  const std::size_t from = digits.size() > static_cast<std::size_t>(finer)
                               ? digits.size() - static_cast<std::size_t>(finer)
                               : 0;
  return digits.find_first_not_of('0', from) == std::string::npos;
}

}  // namespace

Result<std::string> checked_quantity(std::string_view text) {
  if (parse(text)) return std::string(text);
  const std::string shown = cat('"', printable_line(text), '"');
  if (!text.empty() && text[0] == '-' && parse(text.substr(1))) {
    return Error{Code::usage, cat("the quantity ", shown, " is negative"), ""};
  }
  return Error{Code::usage, cat(shown, " is not a Kubernetes quantity"),
               "write a number and a suffix without a space: 500m, 2, 16Gi, 1.5T"};
}

namespace {

constexpr std::int64_t k_mebi_in_milli = (std::int64_t{1} << 20) * k_milli_per_unit;

// "512m", "512mb" and "512MB" are meant as 512Mi, and 16 as megabytes or gigabytes; "" = unclear.
std::string meant_sizes(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  const auto end = std::min(rest.find_first_not_of("0123456789."), rest.size());
  const std::string_view number = rest.substr(0, end);
  const std::string suffix = lower(rest.substr(end));
  if (number.empty() || !parse(number)) return "";
  if (suffix.empty() || suffix == "b") return cat(number, "Gi or ", number, "Mi");
  const std::string unit(1, static_cast<char>(std::toupper(suffix.front())));
  const std::string tail = suffix.substr(1);
  const bool is_unit = unit.find_first_of("KMGTPE") == 0 &&
                       (tail == "" || tail == "b" || tail == "i" || tail == "ib");
  return is_unit ? cat(number, unit, 'i') : "";
}

}  // namespace

Result<std::string> checked_size(std::string_view text) {
  auto checked = checked_quantity(text);
  const std::string meant = meant_sizes(text);
  const std::string hint = meant.empty()
                               ? "write a number and a suffix without a space: 16Gi, 512Mi, 1.5T"
                               : cat("write ", meant);
  if (!checked) {
    Error error = std::move(checked).error();
    if (!error.hint.empty()) error.hint = hint;
    return error;
  }
  const std::int64_t milli = quantity_milli(text);
  if (milli >= k_mebi_in_milli || milli % k_milli_per_unit == 0) return checked;
  const bool is_milli = text.ends_with('m');
  return Error{Code::usage,
               cat('\'', printable_line(text), "' is a fraction of a byte",
                   is_milli ? ": m means thousandths" : ""),
               hint};
}

std::string small_size(std::string_view text) {
  const std::int64_t milli = quantity_milli(text);
  if (milli == 0 || milli >= k_mebi_in_milli) return "";
  const std::string meant = meant_sizes(text);
  return cat("is ", plural(milli / k_milli_per_unit, "byte"),
             meant.empty() ? "" : cat("; did you mean ", meant, '?'));
}

std::string canonical_quantity(std::string_view text) {
  constexpr std::int64_t k_thousand = 1000, k_kibi = 1024;
  constexpr std::string_view k_decimal[] = {"m", "", "k", "M", "G", "T", "P", "E"};
  constexpr std::string_view k_binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const bool is_exact = text.find_first_of("nueE") == std::string_view::npos ||
                        text.ends_with('i') || text.ends_with('E');
  std::int64_t value = quantity_milli(text);
  if (!is_exact || value == k_largest || !is_whole_in_milli(text)) return std::string(text);
  if (value == 0) return "0";
  std::size_t power = 0;
  // Below 1024 and in fractions a binary quantity is printed as a decimal one.
  if (text.ends_with('i') && value % k_thousand == 0 && value / k_thousand >= k_kibi) {
    value /= k_thousand;
    for (; value % k_kibi == 0 && power + 1 < std::size(k_binary); ++power) value /= k_kibi;
    return cat(value, k_binary[power]);
  }
  for (; value % k_thousand == 0 && power + 1 < std::size(k_decimal); ++power) value /= k_thousand;
  return cat(value, k_decimal[power]);
}

std::int64_t quantity_milli(std::string_view text) {
  std::optional<Decimal> value = parse_milli(text);
  return value ? rounded_up(std::move(value->digits), value->exponent) : 0;
}

}  // namespace trainctl
