// Wires a client to a FakeTransport.
#include "support/fake_cluster.h"

namespace trainctl::testing {

FakeCluster::FakeCluster(std::vector<Exchange> exchanges, std::optional<Duration> request_timeout) {
  auto owned = std::make_unique<FakeTransport>(loop, std::move(exchanges));
  transport = owned.get();
  auto credentials = std::make_unique<kube::Credentials>(loop, files, environment, kube::AuthInfo{},
                                                         true, false, [](std::string) {});
  client = std::make_unique<kube::Client>(
      loop, std::move(owned), std::move(credentials), "https://fake", request_timeout,
      [this](std::string text) { warnings.push_back(std::move(text)); });
}

}  // namespace trainctl::testing
