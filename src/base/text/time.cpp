// Parses RFC 3339 by hand, because a log stream needs it for every line.
#include "base/text/time.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "base/text/text.h"

namespace trainctl {
namespace {

using namespace std::chrono;

// Removes exactly `count` digits from the front; -1 when they are missing.
int take_number(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int number = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take_char(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Reads ".123" as nanoseconds, dropping digits beyond nine; nullopt when no digit follows the
// point.
std::optional<nanoseconds> take_fraction(std::string_view& text) {
  if (!take_char(text, ".,")) return nanoseconds{0};
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  std::int64_t sum = 0;
  for (std::int64_t unit = 100'000'000; !text.empty() && text[0] >= '0' && text[0] <= '9';
       unit /= 10) {
    sum += unit * (text[0] - '0');
    text.remove_prefix(1);
  }
  return nanoseconds{sum};
}

std::optional<minutes> take_offset(std::string_view& text) {
  if (take_char(text, "Zz")) return minutes{0};
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const int hour = take_number(text, 2);
  const bool colon = take_char(text, ":");
  const int minute = take_number(text, 2);
  if (!colon || hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
  return minutes{sign * (hour * 60 + minute)};
}

std::optional<sys_days> take_date(std::string_view& text) {
  const int year_number = take_number(text, 4);
  if (!take_char(text, "-")) return std::nullopt;
  const int month_number = take_number(text, 2);
  if (!take_char(text, "-")) return std::nullopt;
  const int day_number = take_number(text, 2);
  // 64 bits of nanoseconds hold the difference between any two of these years; Go's zero time (year
  // 1) lies outside and means "never".
  if (year_number < 1900 || year_number > 2150 || month_number < 0 || day_number < 0) {
    return std::nullopt;
  }
  const year_month_day date{year{year_number}, month{static_cast<unsigned>(month_number)},
                            day{static_cast<unsigned>(day_number)}};
  if (!date.ok()) return std::nullopt;
  return sys_days{date};
}

std::optional<seconds> take_clock(std::string_view& text) {
  const int hour = take_number(text, 2);
  if (!take_char(text, ":")) return std::nullopt;
  const int minute = take_number(text, 2);
  if (!take_char(text, ":")) return std::nullopt;
  const int second = take_number(text, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) {
    return std::nullopt;
  }
  return hours{hour} + minutes{minute} + seconds{second};
}

}  // namespace

std::optional<Time> parse_time(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take_char(text, "Tt ")) return std::nullopt;
  const auto clock = take_clock(text);
  if (!clock) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return Time{*date} + *clock + *fraction - *offset;
}

std::string format_time(Time time, bool with_fraction) {
  const auto date_start = floor<days>(time);
  const year_month_day date{date_start};
  const hh_mm_ss clock{time - date_start};
  std::array<char, 64> buffer{};
  const auto print = [&buffer](const char* format, auto... numbers) {
    std::snprintf(buffer.data(), buffer.size(), format, numbers...);
  };
  const auto hour = static_cast<int>(clock.hours().count());
  const auto minute = static_cast<int>(clock.minutes().count());
  const auto second = static_cast<int>(clock.seconds().count());
  const int y = static_cast<int>(date.year());
  const auto m = static_cast<unsigned>(date.month());
  const auto d = static_cast<unsigned>(date.day());
  if (with_fraction) {
    const auto fraction = static_cast<long>(clock.subseconds().count());
    print("%04d-%02u-%02uT%02d:%02d:%02d.%09ldZ", y, m, d, hour, minute, second, fraction);
  } else {
    print("%04d-%02u-%02uT%02d:%02d:%02dZ", y, m, d, hour, minute, second);
  }
  return buffer.data();
}

namespace {

using namespace std::chrono;

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

// Adds the term to sum, which stays at 292 years at most; false when the term is invalid.
bool add(std::int64_t& sum, const Term& term) {
  const std::int64_t unit = unit_nanoseconds(term.unit);
  if (unit == 0 || (term.whole.empty() && term.fraction.empty())) return false;
  bool is_too_long = false;
  std::int64_t number = 0;
  for (const char c : term.whole) {
    is_too_long |= __builtin_mul_overflow(number, std::int64_t{10}, &number);
    is_too_long |= __builtin_add_overflow(number, std::int64_t{c - '0'}, &number);
  }
  is_too_long |= __builtin_mul_overflow(number, unit, &number);
  is_too_long |= __builtin_add_overflow(sum, number, &sum);
  std::int64_t part = 0;
  std::int64_t place = unit;
  for (const char c : term.fraction) {
    place /= 10;
    part += place * (c - '0');
  }
  is_too_long |= __builtin_add_overflow(sum, part, &sum);
  if (is_too_long) sum = std::numeric_limits<std::int64_t>::max();
  return true;
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
