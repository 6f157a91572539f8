// A running container of a scripted cluster, with what a copy or a forwarded port needs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_access.h"
#include "support/fake_cluster.h"
#include "support/fakes.h"
#include "transfer/script.h"

namespace trainctl::testing {

class RemoteSetting {
  FakeCluster cluster_;

 public:
  explicit RemoteSetting(std::vector<Exchange> exchanges)
      : cluster_(std::move(exchanges)), client(cluster_.client.get()) {}

  bool says(const std::string& text) const {
    return console.stderr_text.find(text) != std::string::npos;
  }
  void run_for(Duration duration) {
    bool over = false;
    const HandlePtr timer = loop.after(duration, [&over] { over = true; });
    loop.run_until([&over] { return over; });
  }

  BufferConsole console;
  FakeTransport*& transport = cluster_.transport;
  FakeLoop& loop = cluster_.loop;
  kube::Client* client;
  FakeAccess access{console, cluster_.files, cluster_.loop, Environment(), client};
  work::Target target{"ddp", "master-0", "default", "ddp-master-0", "pytorch"};
};

// A script in that container which prints these pieces and succeeds. `words` tell its command from
// others.
inline Exchange script_that_prints(const std::vector<std::string>& pieces,
                                   const std::vector<std::string>& words) {
  Exchange exchange;
  exchange.path = "/api/v1/namespaces/default/pods/ddp-master-0/exec";
  for (const std::string& word : words) exchange.query.emplace_back("command", word);
  exchange.socket.protocol = "v5.channel.k8s.io";
  for (const std::string& piece : pieces) exchange.socket.steps.push_back({{}, false, 1, piece});
  exchange.socket.steps.push_back({{}, false, 2, "trainctl-end 0\n"});
  exchange.socket.steps.push_back({{}, false, 3, R"({"status":"Success"})"});
  return exchange;
}

}  // namespace trainctl::testing
