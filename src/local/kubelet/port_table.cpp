// Chooses free ports and remembers them.
#include "local/kubelet/port_table.h"

#include <random>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "local/kubelet/guard_watch.h"

namespace trainctl::local {
namespace {

// Below the kernel's range of ephemeral ports.
constexpr int k_first_port = 20000;
constexpr int k_last_port = 32000;

bool is_free(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return bound;
}

}  // namespace

PortTable::PortTable(std::string file) : file_(std::move(file)) {
  std::random_device random;
  next_ = k_first_port + static_cast<int>(random() % (k_last_port - k_first_port));
  const auto saved = parse_json(read_small_file(file_), "ports");
  if (!saved || !saved->is_object()) return;
  for (const auto& [owner, ports] : saved->items()) {
    if (!ports.is_object()) continue;
    for (const auto& [name, port] : ports.items()) {
      if (port.is_number_integer()) owners_[owner][name] = port.get<int>();
    }
  }
}

bool PortTable::is_taken(int port) const {
  for (const auto& [owner, ports] : owners_) {
    for (const auto& [name, taken] : ports) {
      if (taken == port) return true;
    }
  }
  return false;
}

int PortTable::free_port() {
  for (int tried = k_first_port; tried < k_last_port; ++tried) {
    next_ = next_ + 1 < k_last_port ? next_ + 1 : k_first_port;
    if (!is_taken(next_) && is_free(next_)) return next_;
  }
  return 0;
}

int PortTable::local_port(std::string_view owner, std::string_view service, int port) {
  Ports& ports = owners_[std::string(owner)];
  const std::string prefix = cat(service, ":");
  for (const auto& [name, local] : ports) {
    if (local == port && name.starts_with(prefix)) return port;
  }
  const std::string name = cat(prefix, port);
  if (const auto found = ports.find(name); found != ports.end()) return found->second;
  const int chosen = free_port();
  if (chosen == 0) return port;
  ports.emplace(name, chosen);
  save();
  return chosen;
}

std::map<std::string, int, std::less<>> PortTable::ports_of(std::string_view owner) const {
  const auto found = owners_.find(owner);
  return found == owners_.end() ? Ports{} : found->second;
}

void PortTable::release(std::string_view owner) {
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return;
  owners_.erase(found);
  save();
}

void PortTable::save() const {
  Json all = Json::object();
  for (const auto& [owner, ports] : owners_) {
    Json& shown = all[owner] = Json::object();
    for (const auto& [name, port] : ports) shown[name] = port;
  }
  write_file(file_, dump(all));
}

}  // namespace trainctl::local
