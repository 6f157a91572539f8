// Prepares environment, arguments, working directory and mounts of a container that is about to
// start.
#include "local/kubelet/container_start.h"

#include <algorithm>
#include <cstdlib>

#include "base/file/small_file.h"
#include "local/kubelet/log_files.h"
#include "local/kubelet/log_reader.h"
#include "local/kubelet/loopback.h"
#include "local/kubelet/volumes.h"
#include "manifest/environment.h"

namespace trainctl::local {

namespace {

// A lookup of config maps and secrets in the pod's namespace.
ObjectSource object_source(const KubeletContext& context, const Json& pod) {
  return [&store = context.store, ns = namespace_of(pod)](std::string_view plural,
                                                          std::string_view name) {
    return store.get(core_resource(plural), ns, name);
  };
}

VolumePlaces volume_places(const KubeletContext& context, const Json& pod) {
  return {cat(context.pod_directory(uid_of(pod)), "/.volumes"),
          [&context, ns = namespace_of(pod)](std::string_view claim) {
            return claim_directory(context, ns, claim);
          }};
}

Neighbourhood neighbourhood(KubeletContext& context, const Json& pod) {
  Neighbourhood around;
  around.ns = namespace_of(pod);
  for (const auto& service : context.store.list(core_resource("services"), around.ns)) {
    add_service(around, *service, name_of(pod));
  }
  around.local_port = [&ports = context.ports, owner = port_owner(pod)](std::string_view service,
                                                                        int port) {
    return ports.local_port(owner, service, port);
  };
  return around;
}

bool wants_gpus(const Json& container) {
  for (const std::string_view part : {"/resources/limits", "/resources/requests"}) {
    for (const auto& [name, amount] : object_at(container, part).items()) {
      if (std::string_view(name).ends_with("/gpu") && amount != "0" && amount != 0) return true;
    }
  }
  return false;
}

void add_gpus(const KubeletContext& context, const Json& pod, const Json& container,
              Variables& variables) {
  if (context.settings.gpus == 0) return;
  std::vector<std::string> devices;
  if (wants_gpus(container)) {
    for (const int device : assigned_gpus(context, uid_of(pod))) devices.push_back(cat(device));
  }
  for (const char* name : {"NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
    variables[name] = join(devices, ",");
  }
}

std::vector<std::string> assignments(const Variables& variables) {
  std::vector<std::string> words;
  for (const auto& [name, value] : variables) words.push_back(cat(name, "=", value));
  return words;
}

// In bytes; 0 = none.
std::int64_t memory_limit(const Json& container) {
  const auto limit = job::resource_of(container, "limits.memory", "1");
  return limit ? std::strtoll(limit->c_str(), nullptr, 10) : 0;
}

// The replicas of the job that controls the pod; 1 where none does.
std::int64_t replicas_beside(const KubeletContext& context, const Json& pod) {
  const std::string owner = port_owner(pod);
  for (const ServedResource& resource : served_resources()) {
    if (resource.job_kind == nullptr) continue;
    for (const auto& job : context.store.list(resource, namespace_of(pod))) {
      if (uid_of(*job) != owner) continue;
      std::int64_t count = 0;
      for (const job::Role& role : resource.job_kind->roles) {
        count += job::replica_count(*resource.job_kind, *job, role);
      }
      return count;
    }
  }
  return 1;
}

// Open MPI names the files of its daemons after the machine, so that those of two replicas of this
// machine would be the same.
bool is_of_mpi(const Json& pod) {
  const std::string label = cat("/metadata/labels/", pointer_step(job::k_label_operator));
  return text_at(pod, label) == job::find_kind("mpi")->operator_name;
}

Json with_addresses(Json pod) {
  set_at(pod, "/status/hostIP", "127.0.0.1");
  set_at(pod, "/status/podIP", "127.0.0.1");
  return pod;
}

// The container's own mounts, and its termination message file unless a mount hides it.
Result<std::vector<Mount>> all_mounts(const KubeletContext& context, const Json& pod,
                                      const Json& container, const Variables& variables,
                                      const std::string& directory) {
  TRY_ASSIGN(auto mounts, container_mounts(pod, container, volume_places(context, pod), variables,
                                           context.why_no_mounts));
  if (!context.why_no_mounts.empty()) return mounts;
  const auto path = text_at(container, "/terminationMessagePath", "/dev/termination-log");
  if (!path.starts_with('/')) return mounts;
  mounts.push_back({cat(directory, "/", k_termination_file), path, false});
  return mounts;
}

std::string last_log_lines(const std::string& directory) {
  constexpr std::int64_t k_lines = 80;
  constexpr std::size_t k_message_bytes = 2048;
  LogFileReader files(directory);
  files.go_to_tail(k_lines);
  files.skip_to_last(off_t{64} * 1024);
  files.stop_at_present_end();
  LogText reader{LogQuestion{}};
  std::string text;
  char block[8192];
  while (const std::size_t size = files.read(block, sizeof block)) {
    reader.take({block, size}, text);
    if (text.size() > 16 * k_message_bytes) text.erase(0, text.size() - k_message_bytes);
  }
  return text.size() > k_message_bytes ? text.substr(text.size() - k_message_bytes) : text;
}

}  // namespace

Status prepare_volumes(const KubeletContext& context, const Json& pod) {
  return set_up_volumes(with_addresses(pod), object_source(context, pod),
                        volume_places(context, pod));
}

std::variant<GuardOrder, StartFault> plan_start(KubeletContext& context, const Json& pod,
                                                const Json& container,
                                                const std::string& attempt_directory) {
  const Json placed = with_addresses(pod);
  auto own = container_variables(placed, container, object_source(context, pod));
  if (!own) return StartFault{"CreateContainerConfigError", own.error().message};
  const Neighbourhood around = neighbourhood(context, pod);
  localize_ports(own->values, around);
  GuardOrder order;
  for (const auto& word : command_line(container, own->values)) {
    order.argv.push_back(localized(word, around));
  }
  if (order.argv.empty()) return StartFault{"CreateContainerError", "no command specified"};
  auto mounts = all_mounts(context, pod, container, own->values, attempt_directory);
  if (!mounts) return StartFault{"CreateContainerConfigError", mounts.error().message};
  order.mounts = *std::move(mounts);

  localize(own->values, around, own->about_pod);
  Variables variables = context.settings.environment.all();
  variables["HOSTNAME"] = name_of(pod);
  if (is_of_mpi(pod)) variables["OMPI_MCA_orte_tmpdir_base"] = context.pod_directory(uid_of(pod));
  add_gpus(context, pod, container, variables);
  for (auto& [name, value] : own->values) variables[name] = value;
  order.environment = assignments(variables);
  order.directory = attempt_directory;
  order.memory_limit = memory_limit(container);
  order.log_files = log_files_of_run(context.settings.job_log_limit, replicas_beside(context, pod));
  order.has_input = true_at(container, "/stdin");
  // Without an image that names a directory, a program starts in its user's home.
  const std::string home = context.settings.environment.get("HOME").value_or("/");
  order.working_directory = text_at(container, "/workingDir", home);
  order.lock_file = context.settings.lock_file;
  order.program = context.settings.arguments;
  order.program.insert(order.program.begin(), context.settings.program);
  if (context.settings.program.empty()) order.program.clear();
  order.program_environment = assignments(context.settings.daemon_environment.all());
  return order;
}

std::string termination_message(const Json& container, const std::string& attempt_directory,
                                int exit_code) {
  constexpr std::size_t k_longest_message = 4096;
  std::string text =
      read_small_file(cat(attempt_directory, "/", k_termination_file), k_longest_message);
  if (!text.empty()) return text;
  const auto policy = text_at(container, "/terminationMessagePolicy");
  if (policy != "FallbackToLogsOnError" || exit_code == 0) return "";
  return last_log_lines(attempt_directory);
}

}  // namespace trainctl::local
