// Reads what NCCL and gloo print about the network between the ranks: TCP instead of InfiniBand, an
// interface that other nodes cannot reach, versions that differ. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/kind/replica.h"

namespace trainctl::job {

class CollectiveNetwork {
 public:
  // True if the line tells something new. A line that names neither library costs two searches.
  bool take(const ReplicaId& replica, std::string_view line);
  // One sentence each; the words before its colon stay the same while more lines come.
  // `spans_nodes`: the replicas run on several nodes, without which TCP and loopback are no fault.
  std::vector<std::string> faults(bool spans_nodes) const;

 private:
  // A replica whose library listens where other nodes cannot reach it.
  struct Unreachable {
    ReplicaId replica;
    std::string interface;  // "docker0"; "" = gloo took the loopback address
  };

  bool is_tcp_ = false;
  std::optional<Unreachable> unreachable_;
  std::map<ReplicaId, std::string> versions_;  // of NCCL
};

}  // namespace trainctl::job
