// State that the parts of the kubelet share.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "local/kubelet/kubelet.h"

namespace trainctl::local {

// Maps ports of a job's services to ports of this machine. Stored in a file, so that a daemon's
// successor gives later replicas of a job the same ports.
class PortTable {
 public:
  explicit PortTable(std::string file);
  // The port for `port` of `service`, chosen at the first call: free on this machine, and not used
  // by another job; `port` itself when none is free. A port that this service was given before maps
  // to itself.
  int local_port(std::string_view owner, std::string_view service, int port);
  // The ports chosen so far, by "SERVICE:PORT".
  std::map<std::string, int, std::less<>> ports_of(std::string_view owner) const;
  // The owner (a job's uid) has no pods left.
  void release(std::string_view owner);

 private:
  bool is_taken(int port) const;
  int free_port();
  void save() const;

  // "SERVICE:PORT" to the port on this machine.
  using Ports = std::map<std::string, int, std::less<>>;
  std::map<std::string, Ports, std::less<>> owners_;
  std::string file_;
  int next_ = 0;
};

struct KubeletContext {
  UvLoop& loop;
  Store& store;
  KubeletSettings settings;
  std::string node;  // the node's name
  PortTable ports;
  std::string why_no_mounts;  // "" = containers can have mounts
  bool closing = false;       // no container is started any more

  std::string pod_directory(std::string_view uid) const {
    return cat(settings.directory, "/pods/", uid);
  }
};

inline const ServedResource& pod_resource() {
  return resource_of(kube::k_pods);
}
const ServedResource& core_resource(std::string_view plural);

inline std::string uid_of(const Json& object) {
  return text_at(object, "/metadata/uid");
}
inline std::string name_of(const Json& object) {
  return text_at(object, "/metadata/name");
}
inline std::string namespace_of(const Json& object) {
  return text_at(object, "/metadata/namespace");
}

// The owner whose ports a pod shares: the uid of its controller, else its own.
std::string port_owner(const Json& pod);

// A container ID: "trainctl://" and 64 hexadecimal digits, the same for the same arguments.
std::string container_id(std::string_view pod_uid, std::string_view container, int attempt);

// The directory of one run of a container, and the numbers of the existing ones.
std::string attempt_directory(const KubeletContext& context, std::string_view pod_uid,
                              std::string_view container, int attempt);
std::vector<int> attempts_of(const KubeletContext& context, std::string_view pod_uid,
                             std::string_view container);

// A claim's directory, created when it is missing; "" = there is no such claim.
std::string claim_directory(const KubeletContext& context, std::string_view ns,
                            std::string_view claim);

// The devices assigned to a pod, stored in a file of its directory.
std::vector<int> assigned_gpus(const KubeletContext& context, std::string_view pod_uid);
void assign_gpus(const KubeletContext& context, std::string_view pod_uid,
                 const std::vector<int>& devices);

}  // namespace trainctl::local
