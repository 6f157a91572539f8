// Types plain scalars as kubectl's reader does, except `yes` and the like, which stay strings.
#include "base/value/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace trainctl {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 5> k_null = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> k_true = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> k_false = {"false", "False", "FALSE"};
constexpr std::array<std::string_view, 6> k_not_finite = {".inf", ".Inf", ".INF",
                                                          ".nan", ".NaN", ".NAN"};
constexpr std::string_view k_decimal_digits = "0123456789";

bool only(std::string_view text, std::string_view alphabet) {
  return !text.empty() && text.find_first_not_of(alphabet) == std::string_view::npos;
}

struct Digits {
  std::string_view text;
  int base = 0;  // 0 = not an integer
};

Digits integer_digits(std::string_view text) {
  const std::string_view rest = text.substr(std::min<std::size_t>(2, text.size()));
  if (text.substr(0, 2) == "0x" && only(rest, "0123456789abcdefABCDEF")) return {rest, 16};
  if (text.substr(0, 2) == "0o" && only(rest, "01234567")) return {rest, 8};
  if (text.size() > 1 && text[0] == '0' && only(text, "01234567")) return {text, 8};
  if (only(text, k_decimal_digits)) return {text, 10};
  return {};
}

// The integer; nullopt when 64 bits cannot hold it.
std::optional<Json> integer(const Digits& digits, bool negative) {
  std::uint64_t magnitude = 0;
  const char* end = digits.text.data() + digits.text.size();
  if (std::from_chars(digits.text.data(), end, magnitude, digits.base).ec != std::errc{}) {
    return std::nullopt;
  }
  constexpr std::uint64_t k_half = std::uint64_t{1} << 63U;
  if (!negative)
    return magnitude < k_half ? Json(static_cast<std::int64_t>(magnitude)) : Json(magnitude);
  if (magnitude > k_half) return std::nullopt;
  return Json(static_cast<std::int64_t>(0 - magnitude));
}

// True for digits with at most one point, and an optional exponent.
bool is_decimal(std::string_view text) {
  const auto exponent_at = text.find_first_of("eE");
  std::string mantissa(text.substr(0, exponent_at));
  if (const auto point = mantissa.find('.'); point != std::string::npos) mantissa.erase(point, 1);
  if (!only(mantissa, k_decimal_digits)) return false;
  if (exponent_at == std::string_view::npos) return true;
  std::string_view exponent = text.substr(exponent_at + 1);
  if (!exponent.empty() && (exponent[0] == '+' || exponent[0] == '-')) exponent.remove_prefix(1);
  return only(exponent, k_decimal_digits);
}

std::optional<Json> real(std::string_view text, bool negative) {
  double magnitude = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), magnitude).ec != std::errc{}) {
    return std::nullopt;
  }
  return Json(negative ? -magnitude : magnitude);
}

}  // namespace

std::optional<Json> plain_scalar(const std::string& text) {
  if (is_one_of(text, k_null)) return Json(nullptr);
  if (is_one_of(text, k_true)) return Json(true);
  if (is_one_of(text, k_false)) return Json(false);
  const bool negative = text[0] == '-';
  std::string_view unsigned_text = text;
  if (text[0] == '-' || text[0] == '+') unsigned_text.remove_prefix(1);
  if (is_one_of(unsigned_text, k_not_finite)) return std::nullopt;
  const Digits digits = integer_digits(unsigned_text);
  if (digits.base != 0) {
    auto value = integer(digits, negative);
    if (value || digits.base != 10) return value;
  }
  if (is_decimal(unsigned_text)) return real(unsigned_text, negative);
  return Json(text);
}

}  // namespace trainctl
