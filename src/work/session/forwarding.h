// Carries connections from local ports to ports in a pod.
#pragma once

#include <string>
#include <vector>

#include "base/loop/loop.h"
#include "base/loop/tcp_port.h"
#include "work/access.h"
#include "work/session/target.h"

namespace trainctl::work {

// Ports of this machine that lead to ports in a pod.
struct PortPair {
  int local = 0;  // 0 = any free one
  int remote = 0;
};
// "8080", "8080:80" or ":80"; Code::usage for anything else.
Result<PortPair> parse_port_pair(const std::string& text);

// A port of this machine: either one that trainctl listens on and has accepted nobody on yet, or
// the replica's own.
struct LocalPort {
  TcpSocket socket;
  std::string address;
  int remote = 0;
  int own = 0;  // the replica's own number on this machine; 0 = `socket` listens

  // "127.0.0.1:8080 -> ddp/worker-0:80".
  std::string leading_to(const Target& target) const;
};

// Listens on each address. With any free port, the same number is listened on at every address.
// A replica of the embedded cluster has its ports on this machine, so nothing listens where both
// numbers are equal: a connection would only come back.
// Code::refused when a port is taken, Code::usage for an address that is not this machine's, or a
// port that a replica of the embedded cluster needs.
Result<std::vector<LocalPort>> listen_on_all(const Access& access,
                                             const std::vector<PortPair>& ports,
                                             const std::vector<std::string>& addresses);

// With the embedded cluster, asks which numbers the replica's ports have on this machine.
Status find_own_ports(Access& access, const Target& target, std::vector<LocalPort>& ports);

// Carries connections while the handle lives and the loop runs; trouble of a connection is a
// warning.
Result<HandlePtr> start_forwarding(Access& access, const Target& target,
                                   std::vector<LocalPort> ports);

// Prints a line for each port on stdout, and carries connections until SIGINT (which is the way to
// end it, and no error) or another ending signal, or until the server refuses the pod. When all
// ports are the replica's own, it has nothing to carry.
Status forward_ports(Access& access, const Target& target, std::vector<LocalPort> ports);

}  // namespace trainctl::work
