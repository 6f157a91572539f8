// Finds running containers by their statuses, and the ports that their programs were given.
#include "local/kubelet/pod_sessions.h"

#include "base/text/text.h"
#include "local/kubelet/attach_session.h"
#include "local/kubelet/exec_session.h"
#include "local/kubelet/port_session.h"
#include "local/kubelet/session_words.h"

namespace trainctl::local {
namespace {

constexpr std::string_view k_status_lists[] = {"/status/containerStatuses",
                                               "/status/initContainerStatuses"};
constexpr std::string_view k_spec_lists[] = {"/spec/containers", "/spec/initContainers"};

const Json* named_in(const Json& pod, std::span<const std::string_view> lists,
                     std::string_view container) {
  for (const std::string_view list : lists) {
    for (const Json& one : array_at(pod, list)) {
      if (text_at(one, "/name") == container) return &one;
    }
  }
  return nullptr;
}

// The directory of the container's present run; "" when it does not run.
std::string running_attempt(const KubeletContext& context, const Json& pod,
                            const std::string& container) {
  const Json* status = named_in(pod, k_status_lists, container);
  if (status == nullptr || find(*status, "/state/running") == nullptr) return "";
  const std::string uid = uid_of(pod);
  for (const int attempt : attempts_of(context, uid, container)) {
    if (container_id(uid, container, attempt) == text_at(*status, "/containerID")) {
      return attempt_directory(context, uid, container, attempt);
    }
  }
  return "";
}

std::string not_running(std::string_view container) {
  return cat("unable to upgrade connection: container not found (\"", container, "\")");
}

}  // namespace

std::unique_ptr<ApiSession> open_exec(const KubeletContext& context, const Json& pod,
                                      const StreamQuestion& question) {
  std::string directory = running_attempt(context, pod, question.container);
  if (directory.empty()) return refused_session(not_running(question.container));
  return exec_session(context.loop, std::move(directory), question);
}

std::unique_ptr<ApiSession> open_attach(const KubeletContext& context, LogWatcher& watcher,
                                        const Json& pod, const StreamQuestion& question) {
  std::string directory = running_attempt(context, pod, question.container);
  if (directory.empty()) return refused_session(not_running(question.container));
  const Json* spec = named_in(pod, k_spec_lists, question.container);
  const bool once = spec != nullptr && true_at(*spec, "/stdinOnce");
  return attach_session(context.loop, watcher, std::move(directory), question, once);
}

// A program listens on the port of its service that it was given, or on a port of its own choice.
std::unique_ptr<ApiSession> open_ports(const KubeletContext& context, const Json& pod,
                                       const std::vector<int>& ports) {
  const auto told = context.ports.ports_of(port_owner(pod));
  std::vector<PodPort> chosen;
  for (const int port : ports) {
    PodPort one{port, {}};
    const auto found = told.find(cat(name_of(pod), ":", port));
    if (found != told.end()) one.here.push_back(found->second);
    one.here.push_back(port);
    chosen.push_back(std::move(one));
  }
  return port_session(context.loop, uid_of(pod), std::move(chosen));
}

}  // namespace trainctl::local
