// Rewrites names and ports for replicas that all share this machine: service names become
// 127.0.0.1, and each service's port a free one of the machine.
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
  std::set<std::string, std::less<>> services;  // services of the pod's namespace
  std::string own;                              // the pod's own service; "" = none
  std::set<int> own_ports;
  // The port on this machine for a service's port; a port that it returned before maps to itself.
  std::function<int(std::string_view service, int port)> local_port;
};

// Adds a service of the pod's namespace. `pod`: the pod's name.
void add_service(Neighbourhood& around, const Json& service, std::string_view pod);

// Replaces each "SERVICE[.NS[.svc[.DOMAIN]]][:PORT]" that is a word of its own in the text (not
// part of a longer name or of a file's path), and "127.0.0.1:PORT" where PORT is the pod's own.
std::string localized(std::string_view text, const Neighbourhood& around);

// Replaces variables that hold only a port (MASTER_PORT, …) when the matching address variable
// names a service.
void localize_ports(Variables& variables, const Neighbourhood& around);

// Rewrites every variable except those named in `except`.
void localize(Variables& variables, const Neighbourhood& around,
              const std::vector<std::string>& except);

}  // namespace trainctl::local
