// Maps ports of a job's services to ports of this machine.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace trainctl::local {

// Stored in a file, so that a daemon's successor gives later replicas of a job the same ports.
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

}  // namespace trainctl::local
