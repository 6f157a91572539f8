// Merged events: what a user would miss, or be told of another job.
#include "job/status/events.h"

#include <doctest/doctest.h>

#include "job/objects.h"

using namespace trainctl;
using namespace trainctl::job;
using namespace trainctl::testing;

namespace {

Json event_of(std::string_view kind, std::string_view name, std::string_view uid,
              std::string_view time, std::string_view rest = "") {
  return yaml(cat("{metadata: {name: ", name,
                  ".18870000000000aa, uid: e1}, involvedObject: {kind: ", kind, ", name: ", name,
                  ", uid: ", uid, "}, lastTimestamp: \"", time, "\"", rest.empty() ? "" : ", ",
                  rest, "}"));
}

std::string subject_of(const Json& event, const Json& job = pytorch_job(2)) {
  const std::vector<Json> pods = {pod("worker", 0, "{phase: Running}"),
                                  pod("worker", 1, "{phase: Running}", "another-job")};
  const JobEvents events(*find_kind("pytorch"), job, pods);
  const auto read = events.read(event);
  return read ? read->subject : "";
}

constexpr std::string_view k_before = "2026-01-02T02:59:00Z";  // the job was made at 03:00
constexpr std::string_view k_after = "2026-01-02T03:05:00Z";

}  // namespace

TEST_CASE("events of the job and of its pods are shown under the names the user knows") {
  CHECK(subject_of(event_of("PyTorchJob", "ddp", "job-uid", k_after)) == "job");
  CHECK(subject_of(event_of("Pod", "ddp-worker-0", "pod-worker-0", k_after)) == "worker-0");
}

TEST_CASE("why a deleted pod failed is not lost with the pod") {
  CHECK(subject_of(event_of("Pod", "ddp-master-0", "gone", k_after)) == "master-0");
}

TEST_CASE("a job is not blamed for what happened to another") {
  CHECK(subject_of(event_of("Pod", "ddp-master-0", "gone", k_before)).empty());
  CHECK(subject_of(event_of("Pod", "ddp-worker-1", "pod-worker-1", k_after)).empty());
  CHECK(subject_of(event_of("Pod", "ddp-worker-2", "x", k_after)).empty());
  CHECK(subject_of(event_of("Pod", "ddp2-worker-0", "x", k_after)).empty());
  CHECK(subject_of(event_of("Pod", "worker-0", "x", k_after)).empty());
  CHECK(subject_of(event_of("PyTorchJob", "ddp", "another-job", k_after)).empty());
}

TEST_CASE("a claim that is not bound tells why, if the job mounts it") {
  Json job = pytorch_job(1);
  set_at(job, "/spec/pytorchReplicaSpecs/Worker/template/spec",
         yaml("{volumes: [{name: v, persistentVolumeClaim: {claimName: data}}], containers: "
              "[{name: pytorch, volumeMounts: [{name: v, mountPath: /data}]}]}"));
  const auto about = [](std::string_view name) {
    return event_of("PersistentVolumeClaim", name, "c", k_after);
  };
  CHECK(subject_of(about("data"), job) == "claim/data");
  CHECK(subject_of(about("others"), job).empty());
}

TEST_CASE("the same event told twice is one line with both counted, where it happened last") {
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
