// Limits connections that have not authenticated yet: their number, and for how long each may stay.
#pragma once

#include <list>

#include "base/loop/loop.h"

namespace trainctl::local {

struct GateLimits {
  std::size_t strangers = 64;  // beyond that, the oldest is closed
  // The time allowed from connecting to the end of the request's headers.
  Duration patience = std::chrono::seconds(15);
};

class ConnectionGate {
 public:
  ConnectionGate(Loop& loop, GateLimits limits) : loop_(loop), limits_(limits) {}
  // Call opened() for each new connection, admitted() once it has authenticated, and closed() when
  // it is closed.
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
  std::list<Stranger> strangers_;  // oldest first
  HandlePtr timer_;
};

}  // namespace trainctl::local
