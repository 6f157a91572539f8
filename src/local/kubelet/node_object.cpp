// Describes this machine as a Kubernetes node.
#include "local/kubelet/node_object.h"

#include <algorithm>
#include <array>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/machine.h"
#include "base/text/text.h"

namespace trainctl::local {
namespace {

std::string architecture() {
  utsname names{};
  ::uname(&names);
  const std::string_view machine = names.machine;
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : std::string(machine);
}

// The value of NAME=VALUE in /etc/os-release.
std::string os_release(std::string_view name) {
  for (const std::string& line : split(read_small_file("/etc/os-release"), '\n')) {
    const auto [key, value, found] = split_once(line, '=');
    if (key != name) continue;
    const bool quoted = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
    return quoted ? value.substr(1, value.size() - 2) : value;
  }
  return "Linux";
}

// Sets every field that the API requires: typed clients refuse a node that lacks one.
Json node_info() {
  utsname names{};
  ::uname(&names);
  const std::string machine(trim(read_small_file("/etc/machine-id")));
  return {{"machineID", machine},
          {"systemUUID", machine},
          {"bootID", std::string(trim(read_small_file("/proc/sys/kernel/random/boot_id")))},
          {"kernelVersion", names.release},
          {"osImage", os_release("PRETTY_NAME")},
          {"containerRuntimeVersion", "trainctl://1"},
          {"kubeletVersion", "v1.34.4"},
          {"kubeProxyVersion", ""},
          {"operatingSystem", "linux"},
          {"architecture", architecture()}};
}

Json condition(std::string_view type, bool status, std::string_view reason,
               std::string_view message, const std::string& now) {
  return Json{{"type", type},
              {"status", status ? "True" : "False"},
              {"lastHeartbeatTime", now},
              {"lastTransitionTime", now},
              {"reason", reason},
              {"message", message}};
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return lower(name.data());
}

Json node_object(const std::string& name, int gpus, Time now) {
  const Machine machine = this_machine();
  Json resources{{"cpu", cat(machine.processors)},
                 {"memory", cat(machine.memory / 1024, "Ki")},
                 {"pods", "110"}};
  if (gpus > 0) resources["nvidia.com/gpu"] = cat(gpus);
  const std::string since = format_time(now);
  Json node{{"apiVersion", "v1"}, {"kind", "Node"}};
  node["metadata"] = {{"name", name},
                      {"labels",
                       {{"kubernetes.io/hostname", name},
                        {"kubernetes.io/os", "linux"},
                        {"kubernetes.io/arch", architecture()}}}};
  node["spec"] = Json::object();
  node["status"] = {{"capacity", resources}, {"allocatable", resources}};
  node["status"]["conditions"] = Json::array(
      {condition("MemoryPressure", false, "KubeletHasSufficientMemory",
                 "kubelet has sufficient memory available", since),
       condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure",
                 since),
       condition("PIDPressure", false, "KubeletHasSufficientPID",
                 "kubelet has sufficient PID available", since),
       condition("Ready", true, "KubeletReady", "kubelet is posting ready status", since)});
  node["status"]["addresses"] = Json::array({Json{{"type", "InternalIP"}, {"address", "127.0.0.1"}},
                                             Json{{"type", "Hostname"}, {"address", name}}});
  node["status"]["nodeInfo"] = node_info();
  return node;
}

}  // namespace trainctl::local
