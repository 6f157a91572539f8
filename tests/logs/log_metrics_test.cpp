// Metrics are found in whole logs, in lines that the history has kept, and in files.
#include "logs/log_metrics.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "manifest/kind/kind.h"
#include "support/fake_cluster.h"
#include "support/logged_replica.h"

namespace log_metrics_test {

using namespace trainctl;
using namespace trainctl::job;

const Kind& pytorch() {
  return *find_kind("pytorch");
}

Json pod_of(const ReplicaState& replica) {
  return {{"metadata", {{"namespace", "ml"}, {"name", replica.pod.name}, {"uid", replica.pod.uid}}},
          {"spec", {{"containers", {{{"name", "pytorch"}}}}}},
          {"status", {{"containerStatuses", {{{"name", "pytorch"}, {"restartCount", 0}}}}}}};
}

TEST_CASE("how far the master is stays known when no replica has printed a value") {
  JobState state;
  state.replicas = {testing::logged_replica(0, 0, 0, "ddp-master-0"),
                    testing::logged_replica(1, 0, 1, "ddp-worker-0")};
  const std::vector<Json> pods = {pod_of(state.replicas[0]), pod_of(state.replicas[1])};
  testing::FakeCluster cluster(
      {testing::log_of("ddp-master-0",
                       "2026-01-02T03:00:04Z   8%|8         | 30/400 [00:10<02:03,  3.0it/s]\n"),
       testing::log_of("ddp-worker-0", "2026-01-02T03:00:04Z ready\n")});
  const auto read = metrics_of_logs(*cluster.client, pytorch(), state, pods, {});
  REQUIRE(read);
  CHECK(read->record().position.step == 30);
}

TEST_CASE("kept lines give the metrics of a job, also those of a launcher") {
  const Kind* const mpi = find_kind("MPIJob");
  REQUIRE(mpi != nullptr);
  const std::string content =
      "launcher\t\tmpi\t1\t\t2026-01-02T03:04:05Z\tstep 1 loss 0.5\n"
      "launcher\t\tmpi\t1\t\t2026-01-02T03:04:06Z\tstep 2 loss 0.4\n";
  const MetricRecord record = metrics_of_archive(*mpi, content, {}).record();
  REQUIRE(record.main() != nullptr);
  CHECK(record.main()->points().size() == 2);
}

TEST_CASE("a file's lines without a time were printed when the one before them was") {
  const JobMetrics metrics =
      metrics_of_text("2026-01-02T03:00:04Z step 1 loss 0.5\nstep 2 loss 0.4", {});
  REQUIRE(metrics.record().main() != nullptr);
  const auto& points = metrics.record().main()->points();
  REQUIRE(points.size() == 2);
  CHECK(points[1].time == points[0].time);
  CHECK(metrics.last_line() == points[0].time);
  CHECK_FALSE(metrics_of_text("step 1 loss 0.5\n", {}).last_line());
}

}  // namespace log_metrics_test
