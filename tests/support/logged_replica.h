// A running replica of a PyTorchJob, and the server's answer about its log.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "manifest/kind/kind.h"
#include "status/state.h"
#include "support/fake_transport.h"

namespace trainctl::testing {

// `role`: 0 = the master. Its pod's name is the pod's uid as well.
inline job::ReplicaState logged_replica(std::size_t role, int index, int rank, std::string pod) {
  job::ReplicaState replica;
  replica.id = {&job::find_kind("pytorch")->roles[role], index};
  replica.rank = rank;
  replica.pod.name = replica.pod.uid = std::move(pod);
  replica.run.state = job::RunState::running;
  return replica;
}

// Answers each request for the log of this pod in namespace ml.
inline Exchange log_of(std::string_view pod, std::string text, int status = 200) {
  Exchange exchange;
  exchange.path = cat("/api/v1/namespaces/ml/pods/", pod, "/log");
  exchange.status = status;
  exchange.repeat = true;
  exchange.chunks = {{Duration{}, std::move(text)}};
  return exchange;
}

}  // namespace trainctl::testing
