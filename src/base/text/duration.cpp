// Parses durations as users type them, and prints ages as kubectl does.
#include <algorithm>

#include "base/text/text.h"
#include "base/text/time.h"

namespace trainctl {

namespace {

using namespace std::chrono;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::int64_t unit_nanoseconds(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "\u00B5s" || unit == "\u03BCs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return nanoseconds{seconds{1}}.count();
  if (unit == "m") return nanoseconds{minutes{1}}.count();
  if (unit == "h") return nanoseconds{hours{1}}.count();
  if (unit == "d") return nanoseconds{days{1}}.count();
  if (unit == "w") return nanoseconds{weeks{1}}.count();
  return 0;
}

struct Term {
  std::string_view whole, fraction, unit;
};

std::string_view take_while(std::string_view& text, bool digits) {
  std::size_t length = 0;
  while (length < text.size() && text[length] != '.' && is_digit(text[length]) == digits) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

Term take_term(std::string_view& text) {
  Term term;
  term.whole = take_while(text, true);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    term.fraction = take_while(text, true);
  }
  term.unit = take_while(text, false);
  return term;
}

// Adds the term to sum; false when it is invalid or the sum exceeds 292 years.
bool add(std::int64_t& sum, const Term& term) {
  const std::int64_t unit = unit_nanoseconds(term.unit);
  if (unit == 0 || (term.whole.empty() && term.fraction.empty())) return false;
  std::int64_t number = 0;
  for (const char c : term.whole) {
    if (__builtin_mul_overflow(number, std::int64_t{10}, &number)) return false;
    if (__builtin_add_overflow(number, std::int64_t{c - '0'}, &number)) return false;
  }
  if (__builtin_mul_overflow(number, unit, &number)) return false;
  if (__builtin_add_overflow(sum, number, &sum)) return false;
  std::int64_t part = 0;
  std::int64_t place = unit;
  for (const char c : term.fraction) {
    place /= 10;
    part += place * (c - '0');
  }
  return !__builtin_add_overflow(sum, part, &sum);
}

Error no_duration(std::string_view text) {
  return {Code::usage, cat('"', printable_line(text), "\" is not a duration"),
          "write a number and a unit: 90s, 30m, 1h30m, 7d"};
}

// Added to today's date, the limit still gives a valid Time.
constexpr std::int64_t k_longest_days = 36'500;

Result<Duration> checked(std::int64_t nanoseconds, std::string_view typed) {
  if (Duration{nanoseconds} <= days{k_longest_days}) return Duration{nanoseconds};
  return Error{Code::usage, cat('"', printable_line(typed), "\" is more than a hundred years"),
               "36500d is the longest duration allowed"};
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const std::string_view typed = text;
  if (text.empty()) return no_duration(typed);
  std::int64_t sum = 0;
  if (text.find_first_not_of("0123456789") == std::string_view::npos) {
    if (!add(sum, {text, "", "s"})) return no_duration(typed);
    return checked(sum, typed);
  }
  while (!text.empty()) {
    if (!add(sum, take_term(text))) return no_duration(typed);
  }
  return checked(sum, typed);
}

std::string format_age(Duration age) {
  const auto all_seconds = std::max<std::int64_t>(0, duration_cast<seconds>(age).count());
  const std::int64_t all_minutes = all_seconds / 60;
  const std::int64_t all_hours = all_minutes / 60;
  const std::int64_t all_days = all_hours / 24;
  const auto two = [](std::int64_t big, char unit, std::int64_t small, char small_unit) {
    return small == 0 ? cat(big, unit) : cat(big, unit, small, small_unit);
  };
  if (all_seconds < 120) return cat(all_seconds, 's');
  if (all_minutes < 10) return two(all_minutes, 'm', all_seconds % 60, 's');
  if (all_minutes < 180) return cat(all_minutes, 'm');
  if (all_hours < 8) return two(all_hours, 'h', all_minutes % 60, 'm');
  if (all_hours < 48) return cat(all_hours, 'h');
  if (all_days < 8) return two(all_days, 'd', all_hours % 24, 'h');
  if (all_days < 2 * 365) return cat(all_days, 'd');
  if (all_days < 8 * 365) return two(all_days / 365, 'y', all_days % 365, 'd');
  return cat(all_days / 365, 'y');
}

}  // namespace trainctl
