// Listens on sockets, except where the replica's own port is as good.
#include "work/session/listening.h"

#include <algorithm>

#include "base/text/number.h"
#include "base/text/text.h"

namespace trainctl::work {
namespace {

constexpr int k_most_port = 65535;

std::optional<int> port_in(std::string_view text) {
  const auto port = parse_number<int>(text);
  return port && *port >= 1 && *port <= k_most_port ? port : std::nullopt;
}

// The embedded cluster connects to the loopback addresses. A connection accepted there may be our
// own, and would be forwarded again for ever.
bool may_come_back(const std::vector<PortPair>& ports, int local, const std::string& address) {
  return includes_loopback(address) &&
         std::ranges::any_of(ports, [local](const PortPair& pair) { return pair.remote == local; });
}

Error own_port_of_replica(const std::string& address, int port) {
  return {Code::usage,
          cat("cannot listen on ", address, " port ", port,
              ": with --local, this is the replica's own port"),
          "choose another local port, or any free one: :REMOTE"};
}

}  // namespace

Result<PortPair> parse_port_pair(const std::string& text) {
  const Halves halves = split_once(text, ':');
  const auto remote = port_in(halves.found ? halves.second : halves.first);
  const auto local =
      halves.found && halves.first.empty() ? std::optional<int>(0) : port_in(halves.first);
  if (local && remote) return PortPair{*local, *remote};
  return Error{Code::usage, cat("`", printable_line(text), "` names no ports"),
               "write 8080, LOCAL:REMOTE as 8080:80, or :80 for any free local port"};
}

std::string LocalPort::leading_to(const Target& target) const {
  const bool is_six = address.find(':') != std::string::npos;
  const std::string shown = is_six ? cat('[', address, ']') : address;
  return cat(shown, ':', own != 0 ? own : socket.port(), " -> ", target.name(), ':', remote);
}

Result<std::vector<LocalPort>> listen_on_all(const Access& access,
                                             const std::vector<PortPair>& ports,
                                             const std::vector<std::string>& addresses) {
  std::vector<LocalPort> all;
  for (const PortPair& pair : ports) {
    int local = pair.local;
    for (const std::string& address : addresses) {
      if (access.embedded && may_come_back(ports, local, address)) {
        const bool is_own = local == pair.remote && !is_any_address(address);
        if (!is_own) return own_port_of_replica(address, local);
        all.push_back({TcpSocket(), address, pair.remote, pair.remote});
        continue;
      }
      TRY_ASSIGN(TcpSocket socket, listen_on(address, local));
      local = socket.port();
      all.push_back({std::move(socket), address, pair.remote});
    }
  }
  return all;
}

Status find_own_ports(Access& access, const Target& target, std::vector<LocalPort>& ports) {
  if (!access.embedded || ports.empty()) return {};
  TRY_ASSIGN(const Json numbers, access.embedded->ports(target.job_uid));
  for (LocalPort& port : ports) {
    const auto told = int_at(numbers, "/" + pointer_step(cat(target.pod, ":", port.remote)));
    const int here = static_cast<int>(told.value_or(port.remote));
    const bool comes_back =
        port.own == 0 && includes_loopback(port.address) && port.socket.port() == here;
    if (comes_back && is_any_address(port.address)) return own_port_of_replica(port.address, here);
    if (port.own == 0 && !comes_back) continue;
    port.socket = TcpSocket();
    port.own = here;
  }
  return {};
}

}  // namespace trainctl::work
