// Reads what NCCL and gloo print about the network between the ranks: TCP instead of InfiniBand, an
// interface that other nodes cannot reach, versions that differ. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/kind/replica.h"

namespace trainctl::job {

struct NetworkFault {
  enum class Kind { unreachable, tcp, versions };
  Kind kind;
  std::string words;  // one sentence; it names more replicas while more lines come
};

class CollectiveNetwork {
 public:
  // True if the line tells something new. Only the libraries' own lines count, not text that quotes
  // them; a line that names neither library costs two searches.
  bool take(const ReplicaId& replica, std::string_view line);
  // One of a kind. `spans_nodes`: the replicas run on several nodes, without which TCP and loopback
  // are no fault.
  std::vector<NetworkFault> faults(bool spans_nodes) const;

 private:
  // The words of one replica, whose processes may differ.
  struct Said {
    bool uses_tcp = false, uses_other = false;  // for NCCL's data
    bool names_interface = false;
    std::string unreachable = {};  // "docker0": an interface of NCCL that other nodes do not reach
    bool gloo_is_unreachable = false;
    std::set<std::string> versions = {};  // of NCCL
    bool operator==(const Said&) const = default;
  };

  static void read_nccl(std::string_view message, Said& said);
  void add_unreachable(std::vector<NetworkFault>& all) const;
  void add_tcp(std::vector<NetworkFault>& all) const;
  void add_versions(std::vector<NetworkFault>& all) const;

  std::map<ReplicaId, Said> said_;
};

// The faults' sentences, joined; "" = none.
std::string network_words(const std::vector<NetworkFault>& faults);

}  // namespace trainctl::job
