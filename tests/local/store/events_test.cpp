// Events: repetitions, their two forms, and their end.
#include <doctest/doctest.h>

#include "local/folder.h"
#include "local/objects.h"
#include "local/store/store.h"

namespace events_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;
using namespace trainctl::testing::local_objects;
using namespace std::chrono_literals;

TEST_CASE("an event that comes again counts up instead of piling up") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const Json object = good(store->create(served("pods"), pod("a")));
  record_event(*store, object, "Warning", "BackOff", "again", "kubelet", "spec.containers{c}");
  pass(loop, 7s);
  record_event(*store, object, "Warning", "BackOff", "again", "kubelet", "spec.containers{c}");
  record_event(*store, object, "Warning", "BackOff", "other", "kubelet", "spec.containers{c}");
  const auto events = store->list(served("events"), "default");
  REQUIRE(events.size() == 2);
  const Json& event = *events[0];
  CHECK(int_at(event, "/count") == 2);
  CHECK(text_at(event, "/firstTimestamp") == "2026-01-02T03:04:05Z");
  CHECK(text_at(event, "/lastTimestamp") == "2026-01-02T03:04:12Z");
  CHECK(text_at(event, "/source/host") == "here");
  CHECK(text_at(event, "/involvedObject/uid") == text_at(object, "/metadata/uid"));
  CHECK(text_at(event, "/involvedObject/fieldPath") == "spec.containers{c}");
  CHECK(find(event, "/eventTime")->is_null());
}

TEST_CASE("events of the scheduler have the fields of the newer API") {
  FakeLoop loop;
  const auto store = open_store(loop);
  const Json object = good(store->create(served("pods"), pod("a")));
  record_event(*store, object, "Warning", "FailedScheduling", "no GPU", "default-scheduler");
  record_event(*store, object, "Warning", "FailedScheduling", "no GPU", "default-scheduler");
  const auto events = store->list(served("events"), "");
  REQUIRE(events.size() == 1);
  CHECK(text_at(*events[0], "/eventTime") == "2026-01-02T03:04:05.000000Z");
  CHECK(text_at(*events[0], "/action") == "Scheduling");
  CHECK(int_at(*events[0], "/series/count") == 2);
  CHECK(find(*events[0], "/count") == nullptr);
  CHECK(find(*events[0], "/lastTimestamp")->is_null());
}

TEST_CASE("events go an hour after they were written last") {
  FakeLoop loop;
  const Folder folder;
  auto store = open_store(loop, folder.file("cluster.db"));
  const Json object = good(store->create(served("pods"), pod("a")));
  record_event(*store, object, "Normal", "Started", "old", "kubelet");
  record_event(*store, object, "Normal", "Started", "renewed", "kubelet");
  pass(loop, 50min);
  record_event(*store, object, "Normal", "Started", "renewed", "kubelet");
  pass(loop, 15min);
  REQUIRE(store->list(served("events"), "").size() == 1);
  store = nullptr;
  pass(loop, 50min);
  store = open_store(loop, folder.file("cluster.db"));
  CHECK(store->list(served("events"), "").empty());
}

}  // namespace events_test
