// Servers that cannot resume a watch, as after a restored etcd, without saying that its version is
// too old.
#include <algorithm>

#include "kube/watch/watched.h"

namespace watch_lost_version_test {

TEST_CASE("a version that the server has not reached is listed again") {
  Json too_large = failure(504, "Timeout");
  too_large["details"]["retryAfterSeconds"] = 1;
  too_large["details"]["causes"] = Json::array({Json{{"reason", "ResourceVersionTooLarge"}}});
  Json of_old_servers = failure(504, "Timeout");
  of_old_servers["message"] = "Timeout: Too large resource version: 900, current: 12";
  Exchange in_header = refused_watch("900", 504, "Timeout");
  in_header.chunks = {{{}, dump(too_large)}};
  for (const Exchange& lost : {watch("900", event("ERROR", too_large)), in_header,
                               watch("900", event("ERROR", of_old_servers))}) {
    Watched watched({list("900", {pod("a", "1", "900")}), lost, list("11", {pod("a", "1", "11")})});
    watched.run(1s);
    CHECK(watched.reported == Lines{"+a/1@900", "listed", "+a/1@11", "listed"});
    CHECK(watched.troubles.empty());
  }
}

TEST_CASE("two watches in a row that end at once and empty are followed by a list") {
  Exchange empty = watch("900", "");
  empty.ends_after = {};
  Watched watched({list("900", {}), empty, empty, list("11", {pod("a", "1", "11")})});
  watched.run(5s);
  CHECK(watched.reported == Lines{"listed", "+a/1@11", "listed"});
}

TEST_CASE("a watch that brings nothing for minutes is followed by a list, however it ends") {
  Exchange cut = watch("900", "");
  cut.ends_after = 1min;
  cut.ending = "reset";
  cut.chunks = {{{}, "\n"}};
  cut.repeat = true;
  Exchange dead = watch("900", "");
  dead.ending = "never";
  for (const Exchange& silent : {cut, dead}) {
    Watched watched({list("900", {}), silent, list("11", {pod("a", "1", "11")})});
    watched.run(11min);
    CHECK(watched.reported == Lines{"listed", "+a/1@11", "listed"});
  }
}

TEST_CASE("a bookmark a minute shows that the watch is alive") {
  Exchange quiet = watch("10", "");
  for (int minute = 0; minute < 9; ++minute) quiet.chunks.push_back({1min, bookmark("10")});
  Watched watched({list("10", {}), quiet, watch("10", event("ADDED", pod("a", "1", "11")))});
  watched.run(11min);
  CHECK(watched.reported == Lines{"listed", "+a/1@11"});
}

TEST_CASE("a stream that opens and fails every second is reported once") {
  Json busy = failure(500, "InternalError");
  busy["details"]["retryAfterSeconds"] = 1;
  Exchange failing = watch("10", event("ERROR", busy));
  failing.repeat = true;
  Watched watched({list("10", {}), failing});
  watched.run(2min);
  CHECK(watched.requests("watch=true") > 60);
  CHECK(std::ranges::count(watched.troubles, "") == 1);
  CHECK(watched.troubles.size() == 2);
}

}  // namespace watch_lost_version_test
