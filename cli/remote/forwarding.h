// Local ports that lead to ports in a pod.
#pragma once

#include <string>
#include <vector>

#include "base/loop.h"
#include "base/tcp_port.h"
#include "cli/context.h"
#include "cli/remote/target.h"

namespace trainctl::cli {

struct PortPair {
  int local = 0;  // 0 = any free one
  int remote = 0;
};
// "8080", "8080:80" or ":80"; Code::usage for anything else.
Result<PortPair> parse_port_pair(const std::string& text);

// A port of this machine that is listened on, before anybody is let in.
struct LocalPort {
  TcpSocket socket;
  std::string address;
  int remote = 0;

  // "127.0.0.1:8080 -> ddp/worker-0:80".
  std::string leading_to(const Target& target) const;
};
// Listens on each address. With any free port, the same number is listened on at every address.
// Code::refused when a port is taken, Code::usage for an address that is not this machine's.
Result<std::vector<LocalPort>> listen_on_all(const std::vector<PortPair>& ports,
                                             const std::vector<std::string>& addresses);

// Carries connections while the handle lives and the loop runs; trouble of a connection is a
// warning.
Result<HandlePtr> start_forwarding(Context& context, const Target& target,
                                   std::vector<LocalPort> ports);

// Prints a line for each port on stdout, and carries connections until SIGINT (which is the way to
// end it, and no error) or another ending signal, or until the server refuses the pod.
Status forward_ports(Context& context, const Target& target, std::vector<LocalPort> ports);

}  // namespace trainctl::cli
