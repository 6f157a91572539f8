// Local ports that lead to ports in a pod.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/remote/target.h"

namespace trainctl::cli {

struct PortPair {
  int local = 0;  // 0 = any free one
  int remote = 0;
};
// "8080", "8080:80" or ":80"; Code::usage for anything else.
Result<PortPair> parse_port_pair(const std::string& text);

// Listens on each address, prints a line for each port on stdout, and carries connections until
// SIGINT (which is the way to end it, and no error) or another ending signal, or until the server
// refuses the pod.
Status forward_ports(Context& context, const Target& target, const std::vector<PortPair>& ports,
                     const std::vector<std::string>& addresses);

}  // namespace trainctl::cli
