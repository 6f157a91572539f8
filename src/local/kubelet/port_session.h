// Connections of a client to ports in a pod.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/loop/loop.h"
#include "local/answer.h"

namespace trainctl::local {

struct PodPort {
  int asked = 0;
  // Ports of this machine where a program that means this port may listen, the likeliest first:
  // replicas share the machine's ports.
  std::vector<int> here;
};

// Speaks v4.channel.k8s.io: two channels for each port, for data and for what went wrong.
std::unique_ptr<ApiSession> port_session(UvLoop& loop, std::string pod_uid,
                                         std::vector<PodPort> ports);

}  // namespace trainctl::local
