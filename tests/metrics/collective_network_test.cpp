// A job that trains over the slow network looks well otherwise.
#include "metrics/collective_network.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "metrics/metric_json.h"
#include "metrics/metric_record.h"

namespace trainctl::job {
namespace collective_network_test {

const Role k_worker{"Worker", "worker"};

// The first words of the faults of a job over several nodes; each element holds the lines of a
// rank.
std::string faults_of(const std::vector<std::string>& ranks, bool spans_nodes = true) {
  CollectiveNetwork network;
  int rank = 0;
  for (const std::string& lines : ranks) {
    for (const std::string& line : split(lines, '\n')) network.take({&k_worker, rank}, line);
    ++rank;
  }
  std::string words;
  for (const NetworkFault& fault : network.faults(spans_nodes)) {
    words += cat(words.empty() ? "" : "; ", fault.words.substr(0, fault.words.find(':')));
  }
  return words;
}

const std::string k_tcp = "NCCL talks over TCP (Socket), not InfiniBand";

TEST_CASE(
    "a network that is slow, or reaches no other node, is named by the lines of its library") {
  const std::pair<std::string, std::string> k_rows[] = {
      {"gpu-7:71:90 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.5<0>", k_tcp},
      {"gpu-7:71:90 [0] NCCL INFO Using network Socket", k_tcp},
      {"gpu-7:71:90 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0", k_tcp},
      {"a:1:2 [0] NCCL INFO Assigned NET plugin Socket to comm", k_tcp},
      {"a:1:2 [0] NCCL INFO NET/IB : No device found.", ""},
      {"a:1:2 [0] NCCL INFO NET/Socket : No interface found", ""},
      {"a:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.5<0>", ""},
      {"a:1:2 [0] NCCL INFO NET/FastSocket : Using [0]eth0:10.0.0.5<0>", ""},
      {"a:1:2 [0] NCCL INFO Using network AWS Libfabric", ""},
      {"a:1:2 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.5<0>", ""},
      {"a:1:2 [0] NCCL INFO Bootstrap : Using lo:127.0.0.1<0>",
       "NCCL of worker-0 uses lo, which other nodes cannot reach"},
      {"a:1:2 [0] NCCL INFO NET/Socket : Using [0]docker0:172.17.0.1<0>",
       "NCCL of worker-0 uses docker0, which other nodes cannot reach"},
      {"a:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.5<0> [1]docker0:172.17.0.1<0>",
       "NCCL of worker-0 uses docker0, which other nodes cannot reach"},
      {"[W1129 12:00:00.123 ProcessGroupGloo.cpp:760] Warning: Unable to resolve hostname. Using "
       "the loopback address as fallback. (function operator())",
       "gloo of worker-0 uses the loopback address, which other nodes cannot reach"},
      {"[rank1]:[W ProcessGroupGloo.cpp:724] Warning: Using the loopback address as fallback.",
       "gloo of worker-0 uses the loopback address, which other nodes cannot reach"},
      {"RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:144] Connection "
       "refused, remote=[127.0.1.1]:37921",
       "gloo of worker-0 uses the loopback address, which other nodes cannot reach"},
      {"[default0]:gpu-7:71:90 [0] NCCL INFO Using network Socket", k_tcp},
      {"[rank0]: gpu-7:71:90 [0] NCCL INFO Using network Socket", k_tcp},
      {"[1,0]<stdout>:gpu-7:71:90 [0] NCCL INFO Using network Socket", k_tcp},
      {"[2026-01-02 03:04:05] gpu-7:71:90 [0] NCCL INFO Using network Socket", k_tcp},
      {"2026-01-02T03:04:05.1Z gpu-7:71:90 [0] NCCL INFO Using network Socket", k_tcp},
      {"look: the loop uses the loopback address", ""},
      {"Using network Socket", ""},
      {"NCCL INFO Using network Socket", ""},
      {"{'note': 'x:1:2 [0] NCCL INFO Using network Socket'}", ""},
      {"'x:1:2 [0] NCCL INFO Using network Socket'", ""},
      {"it printed x:1:2 [0] NCCL INFO Using network Socket", ""},
      {"x:1:2 NCCL INFO Using network Socket", ""},
      {"ProcessGroupGloo may print: Using the loopback address as fallback.", ""},
      {"gloo said: remote=[127.0.1.1]:37921", ""},
  };
  for (const auto& [line, words] : k_rows) {
    CAPTURE(line);
    CHECK(faults_of({line}) == words);
    CHECK(faults_of({line}, false).empty());
  }
}

TEST_CASE("a fault of the network names the ranks that have it, and no innocent one") {
  const std::string k_lo = "a:1:2 [0] NCCL INFO NET/Socket : Using [0]lo:127.0.0.1<0>";
  const std::string k_eth = "a:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.5<0>";
  const std::string k_ib = "a:1:2 [0] NCCL INFO Using network IB";
  const std::string k_no_way = " uses lo, which other nodes cannot reach";
  CHECK(faults_of({k_lo, k_lo}) == "NCCL of all replicas" + k_no_way);
  CHECK(faults_of({k_lo, k_lo, "step 3"}) == "NCCL of all replicas" + k_no_way);
  CHECK(faults_of({k_lo, k_eth}) == "NCCL of worker-0" + k_no_way + "; " + k_tcp);
  CHECK(faults_of({k_ib, k_eth}) ==
        "NCCL of worker-1 talks over TCP (Socket), unlike that of other replicas");
  CHECK(faults_of({k_ib, k_ib}).empty());
}

TEST_CASE("ranks with different versions of NCCL are named, and text about versions is none") {
  const std::string k_ours = "NCCL version 2.21.5+cuda12.4";
  const std::string k_old = "NCCL version 2.20.5+cuda12.4";
  const std::string k_differ = "NCCL versions differ";
  CHECK(faults_of({k_ours, k_ours}).empty());
  CHECK(faults_of({k_ours, "a:1:1 [0] NCCL INFO " + k_old}) == k_differ);
  CHECK(faults_of({k_ours, "[rank1]: " + k_old}, false) == k_differ);
  CHECK(faults_of({k_ours + "\n" + k_old, k_old + "\n" + k_ours}).empty());
  CHECK(faults_of({k_ours + "\n" + k_old, k_old}).empty());
  CHECK(faults_of({k_ours, "we tried " + k_old}).empty());
  CHECK(faults_of({k_ours, k_old + " failed here"}).empty());
  CHECK(faults_of({k_ours, k_old + "."}).empty());
  CHECK(faults_of({k_ours, "ncclSystemError: x, NCCL version 2.20.5"}).empty());
  CHECK(faults_of({k_ours, "NCCL version +x"}).empty());
}

TEST_CASE("only a line that tells something new is announced") {
  CollectiveNetwork network;
  const ReplicaId replica{&k_worker, 0};
  CHECK(network.take(replica, "a:1:2 [0] NCCL INFO Using network Socket"));
  CHECK_FALSE(network.take(replica, "a:1:2 [0] NCCL INFO Using network Socket"));
  CHECK_FALSE(network.take(replica, "loss 0.5"));
}

TEST_CASE("the history keeps what was said about the network") {
  MetricRecord record;
  record.network = k_tcp;
  CHECK(read_metrics(metrics_json(record, false)).network == k_tcp);
}

}  // namespace collective_network_test
}  // namespace trainctl::job
