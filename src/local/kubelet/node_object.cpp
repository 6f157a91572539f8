// Describes this machine as a Kubernetes node.
#include "local/kubelet/node_object.h"

#include <algorithm>
#include <array>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"

namespace trainctl::local {
namespace {

std::string architecture() {
  utsname names{};
  ::uname(&names);
  const std::string_view machine = names.machine;
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : std::string(machine);
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
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  Json resources{{"cpu", cat(std::max(1U, std::thread::hardware_concurrency()))},
                 {"memory", cat(pages * (page / 1024), "Ki")},
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
  node["status"]["nodeInfo"] = {{"architecture", architecture()},
                                {"operatingSystem", "linux"},
                                {"kubeletVersion", "v1.34.4"},
                                {"containerRuntimeVersion", "trainctl://1"}};
  return node;
}

}  // namespace trainctl::local
