// Names and ports of replicas that all share this machine: service names become 127.0.0.1, and each
// service's port a port of its own.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "local/kubelet/container_environment.h"

namespace trainctl::local {

struct Neighbourhood {
  std::string ns;
  std::set<std::string, std::less<>> services;  // of the pod's namespace
  std::string own;                              // the pod's own service; "" = it has none
  std::set<int> own_ports;
  // The port on this machine for a service's port; a port it gave before stays what it is.
  std::function<int(std::string_view service, int port)> local_port;
};

// Replaces each "SERVICE[.NS[.svc[.DOMAIN]]][:PORT]" that stands by itself in the text (not as a
// part of a longer name or of a file's path), and "127.0.0.1:PORT" where PORT is the pod's own.
std::string localized(std::string_view text, const Neighbourhood& around);

// Variables that hold only a port (MASTER_PORT, …), where the address beside them names a service.
void localize_ports(Variables& variables, const Neighbourhood& around);

// Every value but those of `except`.
void localize(Variables& variables, const Neighbourhood& around,
              const std::vector<std::string>& except);

}  // namespace trainctl::local
