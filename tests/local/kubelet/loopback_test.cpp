// Addresses of replicas that share one machine.
#include "local/kubelet/loopback.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace loopback_test {

using namespace trainctl;
using namespace trainctl::local;

Neighbourhood neighbourhood() {
  Neighbourhood around;
  around.ns = "ml";
  around.services = {"ddp-master-0", "ddp-worker-0", "ddp-worker-1"};
  around.own = "ddp-worker-0";
  around.own_ports = {36543};
  around.local_port = [](std::string_view service, int port) {
    return port + (service == "ddp-master-0" ? 1 : 2);
  };
  return around;
}

TEST_CASE("A service's name becomes this machine wherever it is an address, and nowhere else") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"ddp-master-0", "127.0.0.1"},
      {"ddp-master-0:23456", "127.0.0.1:23457"},
      {"ddp-worker-0:5,ddp-worker-1:5", "127.0.0.1:7,127.0.0.1:7"},
      {"ddp-master-0.ml.svc:2222", "127.0.0.1:2223"},
      {"ddp-master-0.ml.svc.cluster.local:2222", "127.0.0.1:2223"},
      {"ddp-master-0.ml:1", "127.0.0.1:2"},
      {"tcp://ddp-master-0:9/x", "tcp://127.0.0.1:10/x"},
      {R"({"ps":["ddp-master-0.ml.svc:2222"]})", R"({"ps":["127.0.0.1:2223"]})"},
      {"--rdzv=ddp-master-0:1", "--rdzv=127.0.0.1:2"},
      {"127.0.0.1:36543", "127.0.0.1:36545"},
      {"127.0.0.1:80", "127.0.0.1:80"},
      {"ddp-master-0.other.svc:2222", "ddp-master-0.other.svc:2222"},
      {"ddp-master-01", "ddp-master-01"},
      {"my-ddp-master-0", "my-ddp-master-0"},
      {"x_ddp-master-0", "x_ddp-master-0"},
      {"/out/ddp-master-0/log", "/out/ddp-master-0/log"},
      {"ddp-master-0:port", "127.0.0.1:port"},
      {"ddp-master-0:99999", "127.0.0.1:99999"},
      {"ddp", "ddp"},
      {"", ""},
  };
  for (const auto& [text, wanted] : rows) {
    CAPTURE(text);
    CHECK(localized(text, neighbourhood()) == wanted);
  }
}

TEST_CASE("A variable that holds only a port gets the port of the address beside it") {
  Variables variables{{"MASTER_ADDR", "ddp-master-0"},
                      {"MASTER_PORT", "23456"},
                      {"WORKER_ADDRS", "ddp-worker-1,ddp-worker-0"},
                      {"WORKER_PORT", "9999"},
                      {"COORDINATOR_ADDRESS", "elsewhere"},
                      {"COORDINATOR_PORT", "6666"},
                      {"PET_MASTER_PORT", "1"}};
  localize_ports(variables, neighbourhood());
  CHECK(variables["MASTER_PORT"] == "23457");
  CHECK(variables["WORKER_PORT"] == "10001");
  CHECK(variables["COORDINATOR_PORT"] == "6666");
  CHECK(variables["PET_MASTER_PORT"] == "1");
}

TEST_CASE("A variable with the pod's own name keeps it") {
  Variables variables{{"POD_NAME", "ddp-worker-0"}, {"MASTER_ADDR", "ddp-master-0"}};
  localize(variables, neighbourhood(), {"POD_NAME"});
  CHECK(variables["POD_NAME"] == "ddp-worker-0");
  CHECK(variables["MASTER_ADDR"] == "127.0.0.1");
}

}  // namespace loopback_test
