// Nodes that ignore `timestamps=true`, as virtual kubelets do: a program's lines are not errors of
// its node.
#include <doctest/doctest.h>

#include "logs/log_tail.h"
#include "support/fake_cluster.h"
#include "support/tail_reading.h"

namespace trainctl::job {
namespace untimed_lines_test {

using namespace trainctl::testing;
using std::chrono::seconds;

const Lines k_no_times = {
    "the node of ddp-master-0 sends no times of lines: some may be missing or come twice after a "
    "lost connection"};

TEST_CASE("lines without times are printed, and recognised when they come again") {
  FakeCluster cluster({log_answer("a\nb\nb\nc", "", seconds(2)), rest_answer("a\nb\nb\nc\nd\n")});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b", "b", "c", "d"});
  CHECK(reading.notices == k_no_times);
}

TEST_CASE("one line without a time is the node's, before and behind lines with times") {
  FakeCluster cluster(
      {log_answer("out of memory\n" + line(1, "a") + "out of disk\n", "", seconds(2)),
       rest_answer(line(1, "a"))});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a"});
  CHECK(reading.notices == Lines{"the node says: out of memory", "the node says: out of disk"});
}

}  // namespace untimed_lines_test
}  // namespace trainctl::job
