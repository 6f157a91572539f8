// The error of a port that cannot be reached.
#include "kube/stream/port_stream.h"

#include <doctest/doctest.h>

namespace trainctl::kube {
namespace port_stream_test {

TEST_CASE("a port's refusal is told in words for the user") {
  const Error refused = port_fault(
      "error forwarding port 9999 to pod 0af, uid : failed to execute portforward in network "
      "namespace \"/var/run/netns/x\": failed to connect to localhost:9999 inside namespace: "
      "dial tcp4 127.0.0.1:9999: connect: connection refused",
      "ddp-worker-0", 9999);
  CHECK(refused.message == "nothing listens on port 9999 of ddp-worker-0");
  CHECK(refused.code == Code::unreachable);
  CHECK(port_fault("out of\x1b[2J memory", "p", 1).message == "port 1 of p: out of?[2J memory");
}

}  // namespace port_stream_test
}  // namespace trainctl::kube
