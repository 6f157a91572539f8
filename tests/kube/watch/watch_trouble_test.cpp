// Watches in trouble: cut, refused, too old, too busy, given up.
#include "kube/watch/watched.h"

namespace watch_trouble_test {

TEST_CASE("WT-07: a version that is always too old does not become a storm of lists") {
  Exchange listed = list("10", {});
  listed.repeat = true;
  Exchange expired = watch("10", event("ERROR", failure(410, "Expired")));
  expired.repeat = true;
  Watched watched({listed, expired});
  watched.run(60s);
  CHECK(watched.requests("limit=") < 15);
}

TEST_CASE("WT-10: a missing permission or a missing kind stops it at once") {
  Watched forbidden({list("10", {}), refused_watch("10", 403, "Forbidden")});
  forbidden.run(10s);
  REQUIRE(forbidden.stopped);
  Exchange none = list("", {});
  none.status = 404;
  none.chunks = {{{}, "404 page not found\n"}};
  Watched missing({none});
  missing.run(10s);
  REQUIRE(missing.stopped);
  CHECK(missing.stopped->code == Code::not_found);
  CHECK(missing.requests("/pods") == 1);
}

TEST_CASE("a server that has just started and knows no rights yet does not end a watch") {
  Exchange denied = refused_watch("11", 403, "Forbidden");
  denied.repeat = true;
  Exchange stranger = refused_watch("11", 401, "Unauthorized");
  const Exchange begun = watch("10", event("ADDED", pod("a", "1", "11")));
  Watched soon({list("10", {}), begun, refused_watch("11", 403, "Forbidden"), stranger,
                watch("11", event("ADDED", pod("b", "2", "12")))});
  soon.run(60s);
  CHECK(soon.reported == Lines{"listed", "+a/1@11", "+b/2@12"});
  CHECK_FALSE(soon.stopped);

  Watched never({list("10", {}), begun, denied});
  never.run(50s);
  CHECK_FALSE(never.stopped);
  never.run(60s);
  REQUIRE(never.stopped);
}

TEST_CASE("a watch over a connection that has died goes on over another") {
  Exchange silent = watch("10", event("ADDED", pod("a", "1", "11")));
  silent.ending = "never";
  Watched watched({list("10", {}), silent, watch("11", event("ADDED", pod("b", "2", "12")))});
  watched.run(170s);
  CHECK(watched.reported == Lines{"listed", "+a/1@11"});
  watched.run(20s);
  CHECK(watched.reported == Lines{"listed", "+a/1@11", "+b/2@12"});
  CHECK(watched.troubles.empty());
}

TEST_CASE("a watch that the server does not answer is asked again") {
  Exchange mute = watch("10", "");
  mute.ending = "unanswered";
  Watched watched({list("10", {}), mute, watch("10", event("ADDED", pod("a", "1", "11")))});
  watched.run(40s);
  CHECK(watched.reported == Lines{"listed", "+a/1@11"});
}

TEST_CASE("a server that reports ever new objects does not fill the memory") {
  std::string flood;
  for (const char* name : {"a", "b", "c", "d"}) flood += event("ADDED", pod(name, name, "11"));
  Watched watched({list("10", {}), watch("10", flood)}, 5min, 3);
  watched.run(10s);
  CHECK(watched.reported == Lines{"listed", "+a/a@11", "+b/b@11", "+c/c@11"});
  REQUIRE(watched.stopped);
  CHECK(watched.stopped->message == "the server reports more than 3 objects");
}

TEST_CASE("WT-13: a watch that always ends at once is not asked in a hot loop") {
  Exchange empty = watch("10", "");
  empty.ends_after = {};
  empty.repeat = true;
  Exchange listed = list("10", {});
  listed.repeat = true;
  Watched watched({listed, empty});
  watched.run(2min);
  CHECK(watched.requests("watch=true") < 25);
  CHECK(watched.requests("watch=true") > 10);
  CHECK_FALSE(watched.stopped);
}

TEST_CASE("a watch that always ends at once with a new version is not asked in a hot loop") {
  std::vector<Exchange> exchanges{list("10", {})};
  for (int version = 10; version < 200; ++version) {
    Exchange brief = watch(cat(version), bookmark(cat(version + 1)));
    brief.ends_after = {};
    exchanges.push_back(std::move(brief));
  }
  Watched watched(std::move(exchanges));
  watched.run(2min);
  CHECK(watched.requests("watch=true") < 25);
  CHECK(watched.requests("watch=true") > 10);
  CHECK(watched.troubles.empty());
  CHECK_FALSE(watched.stopped);
}

TEST_CASE("a watch that ended at once with an event is resumed without a pause") {
  Exchange brief = watch("10", bookmark("11"));
  brief.ends_after = {};
  Watched watched({list("10", {}), brief, watch("11", bookmark("12"))});
  watched.run(1ms);
  CHECK(watched.requests("watch=true") == 2);
}

TEST_CASE("WT-14: trouble is reported with its wait, and ends with patience") {
  Exchange refused = list("10", {});
  refused.ending = "refused";
  refused.repeat = true;
  Watched watched({refused}, 30s);
  const Time start = watched.cluster.loop.now();
  watched.cluster.loop.run_until([&] { return watched.stopped.has_value(); });
  CHECK(watched.stopped->code == Code::unreachable);
  CHECK(watched.cluster.loop.now() - start <= Duration(30s));
  CHECK(watched.cluster.loop.now() - start > Duration(15s));
  REQUIRE(watched.troubles.size() > 3);
  CHECK(watched.troubles[0].find("connection refused") != std::string::npos);
  CHECK(watched.troubles[0].ends_with("; trying again in 0.5 s"));
}

TEST_CASE(
    "waiting for a server that is down is reported by the watch alone, not below it as well") {
  Exchange refused = list("10", {});
  refused.ending = "refused";
  Watched watched({refused, list("10", {}), watch("10", "")});
  watched.run(2s);
  for (const net::Request& request : watched.cluster.transport->seen) {
    CHECK((request.owner_retries || request.timeout == Duration::zero()));
  }
  CHECK(watched.troubles.size() == 2);
}

TEST_CASE("a first contact that fails for good is not repeated for minutes") {
  Exchange portal = list("10", {});
  portal.chunks = {{{}, "<html>please log in"}};
  Watched watched({portal});
  watched.run(10s);
  REQUIRE(watched.stopped);
  CHECK(watched.stopped->code == Code::unreachable);
}

TEST_CASE("a cut connection is resumed where it was; one cut is not worth a notice") {
  Exchange cut = watch("10", event("ADDED", pod("a", "1", "11")) + "{\"type\":\"MODI");
  cut.ending = "reset";
  Watched watched({list("10", {}), cut, watch("11", event("MODIFIED", pod("a", "1", "12")))});
  watched.run(4s);
  CHECK(watched.reported == Lines{"listed", "+a/1@11", "+a/1@12"});
  CHECK(watched.troubles.empty());
}

TEST_CASE("a watch goes on at once when the connection shows that its server is back") {
  Exchange cut = watch("10", "");
  cut.ending = "reset";
  cut.ends_after = {};
  cut.pause = Duration{};
  Watched watched({list("10", {}), cut, cut, cut, cut, cut, cut,
                   watch("10", event("ADDED", pod("a", "1", "11")))});
  watched.run(100ms);
  CHECK(watched.reported == Lines{"listed", "+a/1@11"});
}

TEST_CASE("WT-16: a name that comes back with a new uid is gone first") {
  Watched watched(
      {list("10", {pod("a", "1", "8")}),
       watch("10", event("ADDED", pod("a", "2", "12")) + event("DELETED", pod("a", "1", "13")))});
  watched.run(1s);
  CHECK(watched.reported == Lines{"+a/1@8", "listed", "-a/1@8", "+a/2@12"});
}

TEST_CASE("WT-17: the same state of an object is reported once, over events and lists") {
  Watched watched(
      {list("10", {pod("a", "1", "8")}),
       watch("10", event("ADDED", pod("a", "1", "8")) + event("MODIFIED", pod("a", "1", "11")) +
                       event("MODIFIED", pod("a", "1", "11")) +
                       event("ERROR", failure(410, "Expired"))),
       list("20", {pod("a", "1", "11")})});
  watched.run(1s);
  CHECK(watched.reported == Lines{"+a/1@8", "listed", "+a/1@11", "listed"});
}

TEST_CASE("a list of several pages is one state; a missing item of a later page is not gone") {
  Exchange first = list("10", {pod("a", "1", "8")});
  first.chunks[0].data = dump(Json{{"kind", "PodList"},
                                   {"metadata", {{"resourceVersion", "10"}, {"continue", "t"}}},
                                   {"items", Json::array({pod("a", "1", "8")})}});
  Exchange second = list("12", {pod("b", "2", "9")});
  second.query.emplace_back("continue", "t");
  Watched watched({second, first, watch("10", "")});
  watched.run(1s);
  CHECK(watched.reported == Lines{"+a/1@8", "+b/2@9", "listed"});
  CHECK(watched.complaints().empty());
}

TEST_CASE("an answer that is no list does not make everything vanish") {
  Exchange odd = list("10", {});
  odd.chunks = {{{}, "{}"}};
  Watched watched({list("10", {pod("a", "1", "8")}),
                   watch("10", event("ERROR", failure(410, "Expired"))), odd,
                   list("20", {pod("a", "1", "8")})});
  watched.run(10s);
  CHECK(watched.reported == Lines{"+a/1@8", "listed", "listed"});
}

TEST_CASE("an owner that lets go in any callback hears nothing more") {
  for (const std::string last : {"+a/1@8", "listed", "+a/1@11", "-a/1@12"}) {
    CAPTURE(last);
    FakeCluster cluster(
        {list("10", {pod("a", "1", "8")}), watch("10", event("MODIFIED", pod("a", "1", "11")) +
                                                           event("DELETED", pod("a", "1", "12")) +
                                                           event("ADDED", pod("b", "2", "13")))});
    HandlePtr handle;
    Lines reported;
    const auto report = [&](std::string line) {
      reported.push_back(line);
      if (line == last) handle.reset();
    };
    WatchHandlers handlers;
    handlers.on_change = [&](const Json& object) { report("+" + Watched::name_of(object)); };
    handlers.on_gone = [&](const Json& object) { report("-" + Watched::name_of(object)); };
    handlers.on_listed = [&] { report("listed"); };
    handle = start_watch(*cluster.client, {k_pods, "team", {}}, handlers);
    bool over = false;
    const HandlePtr timer = cluster.loop.after(10s, [&] { over = true; });
    cluster.loop.run_until([&] { return over; });
    REQUIRE_FALSE(reported.empty());
    CHECK(reported.back() == last);
  }
}

}  // namespace watch_trouble_test
