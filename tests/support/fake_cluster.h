// A kube::Client on a scripted server, with everything it needs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "support/fake_transport.h"
#include "support/fakes.h"

namespace trainctl::testing {

struct FakeCluster {
  explicit FakeCluster(std::vector<Exchange> exchanges,
                       std::optional<Duration> request_timeout = std::nullopt);

  FakeLoop loop;
  MemoryFiles files;
  Environment environment;
  std::vector<std::string> warnings;
  FakeTransport* transport = nullptr;  // owned by the client
  std::unique_ptr<kube::Client> client;
};

}  // namespace trainctl::testing
