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
  // Where a program may listen that means this port, the likeliest first: replicas share the ports
  // of this machine.
  std::vector<int> here;
};

// Speaks v4.channel.k8s.io: two channels for each port, for data and for what went wrong.
std::unique_ptr<ApiSession> port_session(UvLoop& loop, std::string pod_uid,
                                         std::vector<PodPort> ports);

}  // namespace trainctl::local
