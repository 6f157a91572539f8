// Any user of this machine may connect to a forwarded port, as often as they like.
#include "work/session/forwarding.h"

#include <optional>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/file/descriptor.h"
#include "support/file_limit.h"
#include "work/remote_setting.h"

namespace trainctl::testing {
namespace forwarding_test {

// Ports that accept every connection and say nothing.
std::vector<Exchange> silent_port() {
  Exchange exchange;
  exchange.path = "/api/v1/namespaces/default/pods/ddp-master-0/portforward";
  exchange.repeat = true;
  exchange.socket.protocol = "v4.channel.k8s.io";
  exchange.ending = "never";
  return {exchange};
}

Descriptor connected_to(int port) {
  Descriptor program(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  REQUIRE(::connect(program.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return program;
}

TEST_CASE("connections beyond what the limit of open files allows wait until others end") {
  // 64 files for the command itself, four for each of three connections.
  const FileLimit limit(64 + 3 * 4);
  RemoteSetting setting(silent_port());
  std::vector<work::LocalPort> ports(1);
  ports[0].socket = *listen_on("127.0.0.1", 0);
  ports[0].remote = 80;
  const int port = ports[0].socket.port();
  std::vector<Descriptor> programs;
  for (int i = 0; i < 6; ++i) programs.push_back(connected_to(port));

  const auto forwarding = work::start_forwarding(setting.access, setting.target, std::move(ports));
  REQUIRE(forwarding);
  setting.run_for(std::chrono::minutes(1));
  CHECK(setting.transport->seen.size() == 3);
  CHECK(setting.says("3 connections are open: new ones wait until one closes"));

  setting.console.stderr_text.clear();
  programs.erase(programs.begin(), programs.begin() + 2);
  setting.run_for(std::chrono::minutes(1));
  CHECK(setting.transport->seen.size() == 5);
  CHECK(setting.console.stderr_text.empty());
}

TEST_CASE("a machine without a free file makes programs wait, and ends no forwarding") {
  RemoteSetting setting(silent_port());
  std::vector<work::LocalPort> ports(1);
  ports[0].socket = *listen_on("127.0.0.1", 0);
  ports[0].remote = 80;
  const Descriptor program = connected_to(ports[0].socket.port());
  const auto forwarding = work::start_forwarding(setting.access, setting.target, std::move(ports));
  REQUIRE(forwarding);
  {
    const FileLimit none(3);
    setting.run_for(std::chrono::minutes(1));
    CHECK(setting.transport->seen.empty());
  }
  setting.run_for(std::chrono::minutes(1));
  CHECK(setting.transport->seen.size() == 1);
}

}  // namespace forwarding_test
}  // namespace trainctl::testing
