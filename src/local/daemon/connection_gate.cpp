// Shuts sockets down; the HTTP library, which owns them, handles that like a peer's close.
#include "local/daemon/connection_gate.h"

#include <algorithm>

#include <sys/socket.h>

namespace trainctl::local {

void ConnectionGate::opened(int socket) {
  strangers_.push_back({socket, loop_.now() + limits_.patience});
  if (strangers_.size() > limits_.strangers) turn_away_oldest();
  if (!timer_) timer_ = loop_.after(limits_.patience, [this] { look(); });
}

void ConnectionGate::admitted(int socket) {
  strangers_.remove_if([socket](const Stranger& one) { return one.socket == socket; });
}

void ConnectionGate::turn_away_oldest() {
  ::shutdown(strangers_.front().socket, SHUT_RDWR);
  strangers_.pop_front();
}

void ConnectionGate::look() {
  while (!strangers_.empty() && strangers_.front().until <= loop_.now()) turn_away_oldest();
  timer_.reset();
  if (strangers_.empty()) return;
  const Duration pause = std::max<Duration>(strangers_.front().until - loop_.now(), {});
  timer_ = loop_.after(pause, [this] { look(); });
}

}  // namespace trainctl::local
