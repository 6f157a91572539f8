// The times at which a silent connection is asked, spared and given up.
#include "net/curl_lane.h"

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace curl_lane_test {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

struct Lane {
  Lane()
      : heartbeat(loop, {30s, 15s},
                  {[this] { ++asked; }, [this] { return has_room; },
                   [this] {
                     given_up = loop.now() - began;
                     heartbeat.end();
                   }}) {
    heartbeat.begin();
  }
  void pass(Duration time) {
    bool over = false;
    const HandlePtr timer = loop.after(time, [&over] { over = true; });
    loop.run_until([&over] { return over; });
  }
  FakeLoop loop;
  Time began = loop.now();
  int asked = 0;
  bool has_room = true;
  std::optional<Duration> given_up;
  net::LaneHeartbeat heartbeat;
};

TEST_CASE("a connection that stays silent is asked after 30 s and given up after 45 s") {
  Lane lane;
  lane.pass(29s);
  CHECK(lane.asked == 0);
  lane.pass(2s);
  CHECK(lane.asked == 1);
  lane.pass(1min);
  REQUIRE(lane.given_up);
  CHECK(*lane.given_up >= 45s);
  CHECK(*lane.given_up < 46s);
  CHECK(lane.asked == 1);
}

TEST_CASE("a connection on which something comes now and then is never asked") {
  Lane lane;
  for (int i = 0; i < 100; ++i) {
    lane.pass(20s);
    lane.heartbeat.heard();
  }
  CHECK(lane.asked == 0);
}

TEST_CASE("a connection that answers is kept for as long as it does") {
  Lane lane;
  for (int i = 0; i < 100; ++i) {
    const int before = lane.asked;
    lane.loop.run_until([&] { return lane.asked > before; });
    lane.pass(14s);
    lane.heartbeat.heard();
  }
  CHECK_FALSE(lane.given_up);
  lane.pass(46s);
  CHECK(lane.given_up);
}

TEST_CASE("a question that found no place on the connection is no proof of death") {
  Lane lane;
  lane.has_room = false;
  lane.pass(10min);
  CHECK(lane.asked > 5);
  CHECK_FALSE(lane.given_up);
  lane.has_room = true;
  lane.pass(2min);
  CHECK(lane.given_up);
}

TEST_CASE("a connection without requests is left alone") {
  Lane lane;
  lane.pass(31s);
  lane.heartbeat.end();
  lane.pass(10min);
  CHECK(lane.asked == 1);
  CHECK_FALSE(lane.given_up);
}

}  // namespace curl_lane_test
