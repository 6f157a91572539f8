// Connections whose peer has not shown that it may be here: how many there may be, and for how
// long.
#pragma once

#include <list>

#include "base/loop.h"

namespace trainctl::local {

struct GateLimits {
  std::size_t strangers = 64;                    // the oldest goes when there is one more
  Duration patience = std::chrono::seconds(15);  // from connecting to the whole request's head
};

class ConnectionGate {
 public:
  ConnectionGate(Loop& loop, GateLimits limits) : loop_(loop), limits_(limits) {}
  // Each is a connected socket, until it is closed.
  void opened(int socket);
  void admitted(int socket);
  void closed(int socket) { admitted(socket); }

 private:
  struct Stranger {
    int socket = -1;
    Time until;
  };
  void turn_away_oldest();
  void look();

  Loop& loop_;
  GateLimits limits_;
  std::list<Stranger> strangers_;  // the oldest first
  HandlePtr timer_;
};

}  // namespace trainctl::local
