// Which port of this machine stands for which port of a job's services.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace trainctl::local {

// Kept in a file, so that a daemon's successor tells later replicas of a job the same ports.
class PortTable {
 public:
  explicit PortTable(std::string file);
  // The port for `port` of `service`, chosen when first asked for: free on this machine, and no
  // other job's. A port that this service was given is itself.
  int local_port(std::string_view owner, std::string_view service, int port);
  // The owner (a job's uid) has no pods any more.
  void release(std::string_view owner);

 private:
  bool is_taken(int port) const;
  int free_port();
  void save() const;

  using Ports = std::map<std::string, int, std::less<>>;  // "SERVICE:PORT" to the port here
  std::map<std::string, Ports, std::less<>> owners_;
  std::string file_;
  int next_ = 0;
};

}  // namespace trainctl::local
