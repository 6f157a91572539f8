// A hostile server's ends of a remote process.
#include "kube/stream/remote_process.h"

#include <optional>

#include <doctest/doctest.h>

#include "support/fake_cluster.h"

namespace trainctl::kube {
namespace remote_process_test {

using testing::Exchange;
using testing::FakeCluster;
using testing::SocketScript;

RemoteEnd end_with(const std::string& status) {
  Exchange exchange;
  exchange.path = "/api/v1/namespaces/team/pods/ddp-worker-0/exec";
  exchange.socket.protocol = k_channels_v5;
  SocketScript::Step step;
  step.channel = static_cast<int>(Channel::status);
  step.text = status;
  exchange.socket.steps.push_back(step);
  FakeCluster cluster({exchange});
  std::optional<Result<RemoteEnd>> end;
  RemoteHandlers handlers;
  handlers.on_end = [&](Result<RemoteEnd> how) { end = std::move(how); };
  const auto process = start_process(*cluster.client, {"team", "ddp-worker-0", "pytorch", {"true"}},
                                     std::move(handlers));
  cluster.loop.run_until([&] { return end.has_value(); });
  REQUIRE(end);
  REQUIRE(*end);
  return **end;
}

TEST_CASE("of the words that tell the end, no more is kept than a Status has") {
  const std::string success = R"({"status": "Success"})";
  CHECK(std::holds_alternative<RemoteExit>(end_with(success)));
  CHECK(std::holds_alternative<RemoteExit>(end_with(std::string(60'000, ' ') + success)));
  CHECK(std::holds_alternative<RemoteFault>(end_with(std::string(3'000'000, ' ') + success)));
}

}  // namespace remote_process_test
}  // namespace trainctl::kube
