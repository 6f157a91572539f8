// A job that trains over the slow network looks well otherwise.
#include "metrics/collective_network.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "metrics/metric_json.h"
#include "metrics/metric_record.h"

namespace trainctl::job {
namespace collective_network_test {

const Role k_worker{"Worker", "worker"};

// The first words of the faults of a job over several nodes, whose lines say rank by rank.
std::string faults_of(const std::vector<std::string>& lines, bool spans_nodes = true) {
  CollectiveNetwork network;
  int rank = 0;
  for (const std::string& line : lines) network.take({&k_worker, rank++}, line);
  std::string words;
  for (const std::string& fault : network.faults(spans_nodes)) {
    words += cat(words.empty() ? "" : "; ", fault.substr(0, fault.find(':')));
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
      {"NCCL INFO Assigned NET plugin Socket to comm", k_tcp},
      {"NCCL INFO NET/IB : No device found.", ""},
      {"NCCL INFO NET/Socket : No interface found", ""},
      {"NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.5<0>", ""},
      {"NCCL INFO NET/FastSocket : Using [0]eth0:10.0.0.5<0>", ""},
      {"NCCL INFO Using network AWS Libfabric", ""},
      {"NCCL INFO Bootstrap : Using eth0:10.0.0.5<0>", ""},
      {"NCCL INFO Bootstrap : Using lo:127.0.0.1<0>",
       "NCCL of worker-0 uses lo, which other nodes cannot reach"},
      {"NCCL INFO NET/Socket : Using [0]docker0:172.17.0.1<0>",
       "NCCL of worker-0 uses docker0, which other nodes cannot reach; " + k_tcp},
      {"[W1 ProcessGroupGloo.cpp:760] Warning: Using the loopback address as fallback.",
       "gloo of worker-0 uses the loopback address, which other nodes cannot reach"},
      {"[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:144] Connection refused, "
       "remote=[127.0.1.1]:37921",
       "gloo of worker-0 uses the loopback address, which other nodes cannot reach"},
      {"look: the loop uses the loopback address", ""},
      {"Using network Socket", ""},
  };
  for (const auto& [line, words] : k_rows) {
    CAPTURE(line);
    CHECK(faults_of({line}) == words);
    CHECK(faults_of({line}, false).empty());
  }
}

TEST_CASE("ranks with different versions of NCCL are named, and an error's short version is none") {
  const std::string k_ours = "NCCL version 2.21.5+cuda12.4";
  const std::string k_differ = "NCCL versions differ";
  CHECK(faults_of({k_ours, k_ours}).empty());
  CHECK(faults_of({k_ours, "a:1:1 [0] NCCL INFO NCCL version 2.20.5+cuda12.4"}) == k_differ);
  CHECK(faults_of({k_ours, "NCCL version 2.20.5+cuda12.4."}, false) == k_differ);
  CHECK(faults_of({k_ours, "ncclSystemError: x, NCCL version 2.20.5"}).empty());
  CHECK(faults_of({k_ours, "it needs NCCL version +x"}).empty());
}

TEST_CASE("only a line that tells something new is announced") {
  CollectiveNetwork network;
  const ReplicaId replica{&k_worker, 0};
  CHECK(network.take(replica, "NCCL INFO Using network Socket"));
  CHECK_FALSE(network.take(replica, "NCCL INFO Using network Socket"));
  CHECK_FALSE(network.take(replica, "loss 0.5"));
}

TEST_CASE("the history keeps what was said about the network") {
  MetricRecord record;
  record.network = k_tcp;
  CHECK(read_metrics(metrics_json(record, false)).network == k_tcp);
}

}  // namespace collective_network_test
}  // namespace trainctl::job
