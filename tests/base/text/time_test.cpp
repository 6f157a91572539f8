// Time stamps of the API and of logs, durations of users, ages for people.
#include "base/text/time.h"

#include <doctest/doctest.h>

namespace time_test {

using namespace trainctl;
using namespace std::chrono_literals;

std::string again(std::string_view text) {
  const auto time = parse_time(text);
  return time ? format_time(*time, true) : "none";
}

TEST_CASE("a log line's stamp survives to the nanosecond, so no line is lost or printed twice") {
  CHECK(again("2026-11-21T09:31:58.123456789Z") == "2026-11-21T09:31:58.123456789Z");
  CHECK(again("2026-11-21T09:31:58.1Z") == "2026-11-21T09:31:58.100000000Z");
  CHECK(again("2026-11-21T09:31:58.1234567891Z") == "2026-11-21T09:31:58.123456789Z");
  CHECK(again("2026-11-21T09:31:58Z") == "2026-11-21T09:31:58.000000000Z");
  CHECK(again("1969-12-31T23:59:59.5Z") == "1969-12-31T23:59:59.500000000Z");
}

TEST_CASE("a node in another time zone writes the same moment") {
  CHECK(again("2026-11-21T11:01:58+01:30") == "2026-11-21T09:31:58.000000000Z");
  CHECK(again("2026-12-31T23:30:00-01:00") == "2027-01-01T00:30:00.000000000Z");
  CHECK(again("2024-02-29t00:00:00z") == "2024-02-29T00:00:00.000000000Z");
}

TEST_CASE("text that is no time stamp stays part of the log line") {
  for (const char* text :
       {"", "2026", "2026-11-21", "2026-11-21T09:31:58", "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z",
        "2026-11-21T09:31:58.Z", "2026-11-21T09:31:58Zx", "2026-11-21T09:31:58+1:00",
        "2026-11-21T09:31:58+0100", "2026-1-21T09:31:58Z", "-026-11-21T09:31:58Z",
        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_time(text));
  }
}

TEST_CASE("times are printed as the API writes them") {
  CHECK(format_time(*parse_time("2026-01-02T03:04:05.9Z")) == "2026-01-02T03:04:05Z");
}

TEST_CASE("a timeout means what the user typed") {
  const auto duration = [](std::string_view text) { return *parse_duration(text); };
  CHECK(duration("90s") == 90s);
  CHECK(duration("2h30m") == 150min);
  CHECK(duration("1.5h") == 90min);
  CHECK(duration("7d") == 168h);
  CHECK(duration("2w") == 336h);
  CHECK(duration("250ms") == 250ms);
  CHECK(duration("1us2ns") == 1002ns);
  CHECK(duration(".5s") == 500ms);
  CHECK(duration("30") == 30s);
  CHECK(duration("0") == 0s);
  CHECK(duration("0.1s") == 100ms);
}

TEST_CASE("no duration or time stamp is so far away that reckoning with it overflows") {
  const Time now = *parse_time("2026-01-02T03:04:05Z");
  CHECK(parse_duration("36500d"));
  CHECK_FALSE(parse_duration("36500d1s"));
  CHECK_FALSE(parse_duration("106751d"));
  CHECK_FALSE(parse_duration("9223372036"));
  for (const char* text : {"9999999999999h", "99999999999999999999", "99999999999s", "1s106752d"}) {
    CAPTURE(text);
    const auto duration = parse_duration(text);
    REQUIRE_FALSE(duration);
    CHECK(duration.error().message.find("more than a hundred years") != std::string::npos);
  }
  CHECK(now + *parse_duration("36500d") > now);
  CHECK_FALSE(parse_time("1678-01-01T00:00:00Z"));
  CHECK_FALSE(parse_time("2261-12-31T23:59:59Z"));
  const Time first = *parse_time("1900-01-01T00:00:00Z");
  const Time last = *parse_time("2150-12-31T23:59:59Z");
  CHECK(last - first > Duration::zero());
  CHECK(last + *parse_duration("36500d") > last);
}

TEST_CASE("a timeout that cannot be meant is refused, with an example of what to type") {
  for (const char* text :
       {"", "-5s", "5x", "s", "1.5", "1h30", "5 s", "5S", ".s", "1.2.3s", "abc", "\x1b[2J"}) {
    CAPTURE(text);
    const auto duration = parse_duration(text);
    REQUIRE_FALSE(duration);
    CHECK(duration.error().code == Code::usage);
    CHECK(duration.error().hint.find("1h30m") != std::string::npos);
    CHECK(duration.error().message.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("ages read as kubectl's") {
  CHECK(format_age(-5s) == "0s");
  CHECK(format_age(0s) == "0s");
  CHECK(format_age(119s) == "119s");
  CHECK(format_age(120s) == "2m");
  CHECK(format_age(200s) == "3m20s");
  CHECK(format_age(599s) == "9m59s");
  CHECK(format_age(10min + 5s) == "10m");
  CHECK(format_age(179min) == "179m");
  CHECK(format_age(3h) == "3h");
  CHECK(format_age(5h + 12min) == "5h12m");
  CHECK(format_age(8h + 12min) == "8h");
  CHECK(format_age(47h) == "47h");
  CHECK(format_age(51h) == "2d3h");
  CHECK(format_age(48h) == "2d");
  CHECK(format_age(12 * 24h + 5h) == "12d");
  CHECK(format_age(729 * 24h) == "729d");
  CHECK(format_age(730 * 24h) == "2y");
  CHECK(format_age(735 * 24h) == "2y5d");
  CHECK(format_age(8 * 365 * 24h + 24h) == "8y");
}

}  // namespace time_test
