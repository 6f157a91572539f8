// Parses RFC 3339 by hand, because a log stream needs it for every line.
#include "base/text/time.h"

#include <array>
#include <cstdio>

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

}  // namespace trainctl
