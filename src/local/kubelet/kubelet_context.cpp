// Defines the kubelet's paths and names.
#include "local/kubelet/kubelet_context.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "base/file/small_file.h"
#include "local/kubelet/guard_watch.h"

namespace trainctl::local {

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
  constexpr char k_hex_digits[] = "0123456789abcdef";
  constexpr std::uint64_t k_prime = 1099511628211ULL;
  std::string id = "trainctl://";
  // Uses FNV-1a four times: IDs need no secrecy, they only have to differ.
  for (int part = 0; part < 4; ++part) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : cat(part, "/", pod_uid, "/", container, "/", attempt)) {
      hash = (hash ^ static_cast<unsigned char>(c)) * k_prime;
    }
    for (int shift = 60; shift >= 0; shift -= 4) id += k_hex_digits[(hash >> shift) & 15];
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
