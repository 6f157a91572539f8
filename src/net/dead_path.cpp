// Sets keep-alive probes and a limit for unacknowledged packets.
#include "net/dead_path.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace trainctl::net {
namespace {

void set_number(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

}  // namespace

// The kernel gives up at the first probe after the limit, so the probes are timed to hit the limit.
void find_dead_path(int fd, Duration limit) {
  using namespace std::chrono;
  const auto quarter = static_cast<int>(ceil<seconds>(limit / 4).count());
  set_number(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_number(fd, IPPROTO_TCP, TCP_KEEPIDLE, 2 * quarter);
  set_number(fd, IPPROTO_TCP, TCP_KEEPINTVL, quarter);
  set_number(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<int>(duration_cast<milliseconds>(limit).count()));
}

}  // namespace trainctl::net
