// Defines the kubelet's paths and names.
#include "local/kubelet/kubelet_context.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
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

const ServedResource& core_resource(std::string_view plural) {
  return *find_resource("", "v1", plural);
}

std::string port_owner(const Json& pod) {
  for (const Json& owner : array_at(pod, "/metadata/ownerReferences")) {
    if (true_at(owner, "/controller")) return text_at(owner, "/uid");
  }
  return uid_of(pod);
}

std::string container_id(std::string_view pod_uid, std::string_view container, int attempt) {
  constexpr std::uint64_t k_prime = 1099511628211ULL;
  std::string id = "trainctl://";
  // Uses FNV-1a four times: IDs need no secrecy, they only have to differ.
  for (int part = 0; part < 4; ++part) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : cat(part, "/", pod_uid, "/", container, "/", attempt)) {
      hash = (hash ^ static_cast<unsigned char>(c)) * k_prime;
    }
    id += hex_digits(hash, 16);
  }
  return id;
}

std::string attempt_directory(const KubeletContext& context, std::string_view pod_uid,
                              std::string_view container, int attempt) {
  return cat(context.pod_directory(pod_uid), "/", container, "/", attempt);
}

std::vector<int> attempts_of(const KubeletContext& context, std::string_view pod_uid,
                             std::string_view container) {
  std::vector<int> numbers;
  for (const auto& name : names_in(cat(context.pod_directory(pod_uid), "/", container))) {
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      numbers.push_back(std::atoi(name.c_str()));
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::string claim_directory(const KubeletContext& context, std::string_view ns,
                            std::string_view claim) {
  const auto object = context.store.get(core_resource("persistentvolumeclaims"), ns, claim);
  if (!object) return "";
  const auto directory =
      cat(context.settings.directory, "/claims/", ns, "/", claim, "-", uid_of(*object));
  make_directories(directory);
  return directory;
}

namespace {
constexpr char k_gpu_file[] = "/.gpus";
}

std::vector<int> assigned_gpus(const KubeletContext& context, std::string_view pod_uid) {
  std::vector<int> devices;
  const auto text = read_small_file(cat(context.pod_directory(pod_uid), k_gpu_file));
  if (text.empty()) return devices;
  for (const auto& device : split(text, ',')) devices.push_back(std::atoi(device.c_str()));
  return devices;
}

void assign_gpus(const KubeletContext& context, std::string_view pod_uid,
                 const std::vector<int>& devices) {
  if (devices.empty()) return;
  std::vector<std::string> words;
  for (const int device : devices) words.push_back(cat(device));
  const std::string directory = context.pod_directory(pod_uid);
  make_directories(directory);
  write_file(cat(directory, k_gpu_file), join(words, ","));
}

}  // namespace trainctl::local
