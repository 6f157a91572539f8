// Events that are read and merged: what a user would miss.
#include "status/events.h"

#include <doctest/doctest.h>

#include "support/objects.h"

namespace events_test {

using namespace trainctl;
using namespace trainctl::job;
using namespace trainctl::testing;

Json event_of(std::string_view kind, std::string_view name, std::string_view uid,
              std::string_view time, std::string_view rest = "") {
  return yaml(cat("{metadata: {name: ", name,
                  ".18870000000000aa, uid: e1}, involvedObject: {kind: ", kind, ", name: ", name,
                  ", uid: ", uid, "}, lastTimestamp: \"", time, "\"", rest.empty() ? "" : ", ",
                  rest, "}"));
}

constexpr std::string_view k_before = "2026-01-02T02:59:00Z";  // the job was made at 03:00

TEST_CASE("events of the job and of its pods are shown under the names the user knows") {
  const std::vector<Json> pods = {pod("worker", 0, "{phase: Running}")};
  const Json job = pytorch_job(1);
  const JobEvents events(*find_kind("pytorch"), job, pods);
  const auto read = events.read(event_of("Pod", "ddp-worker-0", "pod-worker-0", k_before));
  REQUIRE(read);
  CHECK(read->subject == "worker-0");
  CHECK_FALSE(events.read(event_of("Pod", "ddp-worker-9", "another", k_before)));
}

TEST_CASE("the same event reported twice is one line with both counted, where it happened last") {
  JobEvent first;
  first.subject = "worker-0";
  first.reason = "BackOff";
  first.count = 3;
  first.first = first.last = Time{} + std::chrono::seconds(1);
  JobEvent other = first;
  other.reason = "Pulled";
  other.first = other.last = Time{} + std::chrono::seconds(2);
  JobEvent again = first;
  again.count = 2;
  again.first = again.last = Time{} + std::chrono::seconds(3);
  const auto events = merged({again, other, first});
  REQUIRE(events.size() == 2);
  CHECK(events[0].reason == "Pulled");
  CHECK(events[1].count == 5);
  CHECK(events[1].first == first.first);
}

TEST_CASE("events of one second stand in the order they were recorded in") {
  // The scheduler writes microseconds, the kubelet whole seconds.
  JobEvent scheduled, pulled;
  scheduled.reason = "Scheduled";
  scheduled.last = Time{} + std::chrono::milliseconds(900);
  scheduled.recorded = "18870000000000aa";
  pulled.reason = "Pulled";
  pulled.last = Time{};
  pulled.recorded = "18870000000000ab";
  CHECK(merged({pulled, scheduled}).front().reason == "Scheduled");
  // So do those that a judgement reads.
  const auto recorded = [](std::string_view stamp, std::string_view time) {
    return yaml(cat("{metadata: {name: \"ddp.", stamp, "\"}, lastTimestamp: \"", time, "\"}"));
  };
  const Json second = recorded("18870000000000ab", "2026-01-02T03:01:00Z");
  const Json first = recorded("18870000000000aa", "2026-01-02T03:01:00.9Z");
  const Json before = recorded("18870000000000ac", "2026-01-02T03:00:59Z");
  std::vector<const Json*> events = {&second, &first, &before};
  sort_by_time(events);
  CHECK(events == std::vector<const Json*>{&before, &first, &second});
}

TEST_CASE("the scheduler's own form of repeated events is read as well") {
  const Json event = event_of("Pod", "ddp-worker-0", "pod-worker-0", k_before,
                              "eventTime: \"2026-01-02T03:01:00.5Z\", series: {count: 4, "
                              "lastObservedTime: \"2026-01-02T03:06:00.5Z\"}");
  const std::vector<Json> pods = {pod("worker", 0, "{phase: Running}")};
  const auto read = JobEvents(*find_kind("pytorch"), pytorch_job(1), pods).read(event);
  REQUIRE(read);
  CHECK(read->count == 4);
  CHECK(read->last == parse_time("2026-01-02T03:06:00.5Z"));
}

}  // namespace events_test
