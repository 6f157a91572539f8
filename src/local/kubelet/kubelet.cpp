// Watches pods in the store: schedules them, and keeps a worker for each pod on this node.
#include "local/kubelet/kubelet.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/machine.h"
#include "base/text/text.h"
#include "local/kubelet/ended_pods.h"
#include "local/kubelet/kubelet_context.h"
#include "local/kubelet/memory_limit.h"
#include "local/kubelet/mounts.h"
#include "local/kubelet/pod_answers.h"
#include "local/kubelet/pod_worker.h"
#include "local/kubelet/process_control.h"
#include "local/kubelet/runner.h"
#include "local/kubelet/scheduling.h"

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

namespace {

// A ready node with the machine's processors, memory and `gpus` devices.
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

}  // namespace

struct Kubelet::State {
  State(UvLoop& loop, Store& store, KubeletSettings settings)
      : context{loop,
                store,
                settings,
                host_name(),
                PortTable(cat(settings.directory, "/ports.json")),
                why_no_mounts()},
        watcher(loop),
        scheduling(context) {}

  void start();
  void on_change(const Change& change);
  void on_pod(const Change& change);
  void on_claim(const Change& change);
  void take(const Json& pod);
  void drop(const std::string& uid);
  void end_leftovers();
  void check_stopped();

  KubeletContext context;
  LogWatcher watcher;
  Scheduling scheduling;
  UsageMeter meter;
  std::map<std::string, std::unique_ptr<PodWorker>, std::less<>> workers;  // by the pod's uid
  std::map<std::string, HandlePtr, std::less<>> dropping;
  HandlePtr changes;
  std::function<void()> stopped;
  HandlePtr stop_timer;
};

void Kubelet::State::start() {
  make_directories(cat(context.settings.directory, "/pods"));
  const Json node = node_object(context.node, context.settings.gpus, context.loop.now());
  const auto& nodes = core_resource("nodes");
  if (std::holds_alternative<ApiError>(context.store.create(nodes, node))) {
    modify(context.store, nodes, "", context.node,
           [&node](Json& stored) { stored["status"] = node.value("status", Json::object()); });
  }
  changes = context.store.subscribe([this](const Change& change) { on_change(change); });
  for (const auto& claim : context.store.list(core_resource("persistentvolumeclaims"), "")) {
    bind_claim(context, *claim);
  }
  for (const auto& pod : context.store.list(pod_resource(), "")) take(*pod);
  end_leftovers();
  scheduling.look_again();
}

// Ends containers of pods that were removed while there was no daemon.
void Kubelet::State::end_leftovers() {
  const auto kept = kept_pod_uids(context);
  for (const auto& uid : names_in(cat(context.settings.directory, "/pods"))) {
    if (workers.contains(uid) || kept.contains(uid)) continue;
    const std::string pod = context.pod_directory(uid);
    for (const auto& container : names_in(pod)) {
      for (const int attempt : attempts_of(context, uid, container)) {
        const std::string directory = attempt_directory(context, uid, container, attempt);
        claim_attempt(directory, k_nobody);
        if (const auto guard = read_attempt(directory).guard) send_signal(*guard, SIGUSR1);
      }
    }
    remove_directory(pod);
  }
}

void Kubelet::State::take(const Json& pod) {
  if (text_at(pod, "/spec/nodeName") != context.node) return;
  const std::string uid = uid_of(pod);
  if (const auto known = workers.find(uid); known != workers.end()) {
    known->second->update(pod);
    return;
  }
  workers.emplace(uid, std::make_unique<PodWorker>(context, pod, [this, uid] {
                    dropping[uid] =
                        context.loop.after(Duration::zero(), [this, uid] { drop(uid); });
                  }));
}

void Kubelet::State::drop(const std::string& uid) {
  const HandlePtr done = std::exchange(dropping[uid], nullptr);
  dropping.erase(uid);
  const auto found = workers.find(uid);
  if (found == workers.end()) return;
  const std::string owner = port_owner(found->second->pod());
  workers.erase(found);
  const bool last = std::ranges::none_of(context.store.list(pod_resource(), ""),
                                         [&](const auto& p) { return port_owner(*p) == owner; });
  if (last) context.ports.release(owner);
}

void Kubelet::State::on_pod(const Change& change) {
  const std::string uid = uid_of(*change.object);
  take(*change.object);  // also for a removed pod, whose worker must be recreated to clean up
  const auto known = workers.find(uid);
  if (change.type == ChangeType::deleted && known != workers.end()) known->second->removed();
  scheduling.look_again();
}

void Kubelet::State::on_claim(const Change& change) {
  if (change.type == ChangeType::deleted) {
    remove_claim(context, *change.object);
  } else {
    bind_claim(context, *change.object);
  }
  scheduling.look_again();
}

void Kubelet::State::on_change(const Change& change) {
  const std::string_view plural = change.resource->resource.plural;
  if (plural == "pods") on_pod(change);
  if (plural == "persistentvolumeclaims") on_claim(change);
  if (change.resource->job_kind != nullptr && change.type == ChangeType::deleted) {
    forget_ended_pods(context, uid_of(*change.object));
  }
  if (plural != "secrets" && plural != "configmaps") return;
  for (const auto& [uid, worker] : workers) {
    if (namespace_of(worker->pod()) == namespace_of(*change.object)) worker->sources_changed();
  }
}

void Kubelet::State::check_stopped() {
  const bool all =
      std::ranges::all_of(workers, [](const auto& entry) { return entry.second->running() == 0; });
  constexpr auto k_stop_check = std::chrono::milliseconds(20);
  if (!all) {
    stop_timer = context.loop.after(k_stop_check, [this] { check_stopped(); });
    return;
  }
  if (const auto done = std::exchange(stopped, nullptr)) done();
}

Kubelet::Kubelet(UvLoop& loop, Store& store, KubeletSettings settings)
    : state_(std::make_unique<State>(loop, store, std::move(settings))) {
  state_->start();
}

Kubelet::~Kubelet() = default;

ApiAnswer Kubelet::answer(const Json& pod, const LogQuestion& question) {
  return log_answer(state_->context, state_->watcher, pod, question);
}

std::unique_ptr<ApiSession> Kubelet::exec(const Json& pod, const StreamQuestion& question) {
  return open_exec(state_->context, pod, question);
}

std::unique_ptr<ApiSession> Kubelet::attach(const Json& pod, const StreamQuestion& question) {
  return open_attach(state_->context, state_->watcher, pod, question);
}

std::unique_ptr<ApiSession> Kubelet::forward(const Json& pod, const std::vector<int>& ports) {
  return open_ports(state_->context, pod, ports);
}

std::optional<Json> Kubelet::ended_pod(std::string_view ns, std::string_view name) const {
  return find_ended_pod(state_->context, ns, name);
}

std::vector<Json> Kubelet::ended_pods_of(std::string_view job_uid) const {
  return ended_pods(state_->context, job_uid);
}

int Kubelet::running() const {
  int count = 0;
  for (const auto& [uid, worker] : state_->workers) count += worker->running();
  return count;
}

std::map<std::string, int, std::less<>> Kubelet::ports_of(std::string_view job_uid) const {
  return state_->context.ports.ports_of(job_uid);
}

std::vector<Json> Kubelet::metrics(std::string_view ns) {
  std::vector<Json> all;
  const Time now = state_->context.loop.now();
  for (const auto& [uid, worker] : state_->workers) {
    if (!ns.empty() && namespace_of(worker->pod()) != ns) continue;
    Json containers = Json::array();
    for (const auto& run : worker->runs()) {
      if (run->record() == nullptr || !run->record()->guard) continue;
      containers.push_back(
          {{"name", run->view().name()}, {"usage", state_->meter.usage_of(*run->record(), now)}});
    }
    if (containers.empty()) continue;
    const Json& pod = worker->pod();
    all.push_back({{"metadata", {{"name", name_of(pod)}, {"namespace", namespace_of(pod)}}},
                   {"timestamp", format_time(now)},
                   {"window", "5s"},
                   {"containers", std::move(containers)}});
  }
  return all;
}

void Kubelet::rest() {
  std::erase_if(state_->workers, [](const auto& entry) { return entry.second->is_over(); });
}

void Kubelet::stop_all(std::optional<Duration> limit, std::function<void()> done) {
  state_->context.closing = true;
  state_->stopped = std::move(done);
  for (const auto& [uid, worker] : state_->workers) worker->shut_down(limit);
  state_->stop_timer =
      state_->context.loop.after(Duration::zero(), [this] { state_->check_stopped(); });
}

}  // namespace trainctl::local
