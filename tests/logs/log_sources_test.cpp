// How often a reader of stderr hears of the same trouble.
#include "logs/log_sources.h"

#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fakes.h"
#include "support/tail_reading.h"

namespace trainctl::job {

namespace log_sources_test {

using namespace trainctl::testing;
using namespace std::chrono_literals;

const Error k_refused{Code::unreachable, "connection refused", "is it up?"};
const Error k_timed_out{Code::unreachable, "no answer", "is it up?"};

struct Reported {
  FakeLoop loop;
  TailReading heard;
  RetryNotices troubles{loop, heard};

  std::vector<std::string> after(Duration delay) {
    bool over = false;
    const HandlePtr timer = loop.after(delay, [&] { over = true; });
    loop.run_until([&] { return over; });
    return std::exchange(heard.notices, {});
  }
};

using Notices = std::vector<std::string>;

TEST_CASE("a trouble of one log is reported once, with what to do when it stays") {
  Reported reported;
  reported.troubles.add("p-0", k_refused, 500ms);
  CHECK(reported.after(1s) ==
        Notices{"log of p-0 interrupted (connection refused); resuming in 0.5 s"});
  reported.troubles.add("p-0", k_refused, 1s);
  CHECK(reported.after(1s) == Notices{"hint: is it up?"});
  reported.troubles.add("p-0", k_refused, 2s);
  CHECK(reported.after(1h).empty());
}

TEST_CASE("a trouble that is another, or comes again, is reported anew") {
  Reported reported;
  reported.troubles.add("p-0", k_refused, 500ms);
  reported.troubles.add("p-0", k_timed_out, {});
  reported.troubles.remove("p-0");
  reported.troubles.add("p-0", k_timed_out, 500ms);
  CHECK(reported.after(1h) ==
        Notices{"log of p-0 interrupted (connection refused); resuming in 0.5 s",
                "log of p-0 interrupted (no answer); resuming",
                "log of p-0 interrupted (no answer); resuming in 0.5 s"});
}

TEST_CASE("a trouble of a thousand logs is two lines, also when most have got over it meanwhile") {
  Reported reported;
  for (int i = 0; i < 1000; ++i) reported.troubles.add(cat("p-", i), k_refused, 500ms);
  for (int i = 0; i < 1000; ++i) reported.troubles.remove(cat("p-", i));
  CHECK(reported.after(1h) ==
        Notices{"log of p-0 interrupted (connection refused); resuming in 0.5 s",
                "also interrupted: the logs of 999 other pods"});
  reported.troubles.add("p-7", k_refused, 500ms);
  reported.troubles.add("p-8", k_refused, 500ms);
  CHECK(reported.after(1h) ==
        Notices{"log of p-7 interrupted (connection refused); resuming in 0.5 s",
                "also interrupted: the log of p-8"});
}

}  // namespace log_sources_test

}  // namespace trainctl::job
