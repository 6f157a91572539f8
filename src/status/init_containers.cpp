// Looks at the init containers in the order in which they start.
#include "status/init_containers.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/code.h"
#include "manifest/environment.h"
#include "manifest/manifest.h"
#include "status/exit_words.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_message_begins = "init container ";
constexpr std::string_view k_needs_tools =
    "; its image must have sh, tar and gzip, or --code-image must name one that does";

// True for an init container that keeps running beside the others
// (https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/).
bool is_native_sidecar(const Json& pod, std::string_view name) {
  const Json& containers = array_at(pod, "/spec/initContainers");
  return std::ranges::any_of(containers, [name](const Json& container) {
    return text_at(container, "/name") == name && text_at(container, "/restartPolicy") == "Always";
  });
}

std::string init_exit_words(const std::string& name, std::int64_t code) {
  return cat(k_message_begins, name, ' ', exit_words(code),
             name == k_code_container && code != k_code_unfit ? k_needs_tools : "");
}

// Its last run failed, and the kubelet tries again and again while the pod's program waits.
std::optional<StartFailure> read_init_failure(const Json& status, const std::string& name) {
  const Json* end = find(status, "/state/terminated");
  if (end == nullptr && find(status, "/state/waiting") != nullptr) {
    end = find(status, "/lastState/terminated");
  }
  const auto code = end == nullptr ? std::nullopt : int_at(*end, "/exitCode");
  if (code.value_or(0) == 0) return std::nullopt;
  const std::string last_words = printable_line(trim(text_at(*end, "/message")));
  return StartFailure{
      "InitFailed", cat(init_exit_words(name, *code), last_words.empty() ? "" : ": ", last_words)};
}

}  // namespace

bool read_init(const Json& pod, ReplicaState& replica) {
  PresentRun& run = replica.run;
  for (const Json& status : array_at(pod, "/status/initContainerStatuses")) {
    const std::string name = text_at(status, "/name");
    if (int_at(status, "/state/terminated/exitCode") == 0) continue;
    const bool waits = find(status, "/state/waiting") != nullptr;
    if (!waits && is_native_sidecar(pod, name)) continue;
    run.start_failure = read_start_failure(status);
    if (!run.start_failure) run.start_failure = read_init_failure(status, name);
    run.state = RunState::waiting;
    if (find(status, "/state/running") != nullptr) {
      run.reason = "Init";
      run.message = name == "init-pytorch" ? "waiting for the master's name to resolve"
                                           : cat("init container ", name, " is running");
      run.since = parse_time(text_at(status, "/state/running/startedAt"));
    } else if (waits) {
      run.reason = text_at(status, "/state/waiting/reason", "Init");
      run.message = text_at(status, "/state/waiting/message",
                            cat("init container ", name, " has not started"));
    } else if (const auto code = int_at(status, "/state/terminated/exitCode")) {
      run.reason = "InitFailed";
      run.message = init_exit_words(name, *code);
      replica.last_exit.code = static_cast<int>(*code);
      replica.last_exit.finished = parse_time(text_at(status, "/state/terminated/finishedAt"));
    }
    return true;
  }
  return false;
}

std::string_view failed_init_container(std::string_view message) {
  if (!message.starts_with(k_message_begins)) return "";
  message.remove_prefix(k_message_begins.size());
  return message.substr(0, message.find(' '));
}

namespace {

// The variables of the containers that --download and --git-sync make.
constexpr std::string_view k_source_variables[] = {"DOWNLOAD_SOURCE", "GIT_REPOSITORY"};

// The query of a pre-signed URL is a credential.
std::string source_of(const Json& container) {
  for (const Json& variable : array_at(container, "/env")) {
    const std::string name = text_at(variable, "/name");
    if (std::ranges::find(k_source_variables, name) == std::end(k_source_variables)) continue;
    return split_once(expanded(text_at(variable, "/value"), {}), '?').first;
  }
  return "";
}

InitSummary& summary_named(std::vector<InitSummary>& all, const std::string& name) {
  const auto known = std::ranges::find(all, name, &InitSummary::name);
  if (known != all.end()) return *known;
  all.emplace_back().name = name;
  return all.back();
}

void add_declared(const Json& spec, std::vector<InitSummary>& all) {
  for (const Json& container : array_at(spec, cat(k_pod_spec, "/initContainers"))) {
    InitSummary& summary = summary_named(all, text_at(container, "/name"));
    summary.source = source_of(container);
    if (!summary.source.empty()) summary.place = text_at(container, "/workingDir");
  }
}

// A container that waits to be started again has failed before.
const Json* last_end(const Json& status) {
  const Json* end = find(status, "/state/terminated");
  const bool waits = find(status, "/state/waiting") != nullptr;
  return end == nullptr && waits ? find(status, "/lastState/terminated") : end;
}

void add_status(const ReplicaState& replica, const Json& status, InitSummary& summary) {
  summary.restarts += static_cast<int>(int_at(status, "/restartCount").value_or(0));
  if (find(status, "/state/running") != nullptr) ++summary.running;
  const Json* end = last_end(status);
  const auto code = end == nullptr ? std::nullopt : int_at(*end, "/exitCode");
  if (!code) return;
  if (*code == 0) {
    ++summary.done;
    return;
  }
  ++summary.failed;
  if (summary.failure) return;
  summary.failure = InitFailure{replica.id.name(), replica.pod.expected_name,
                                static_cast<int>(*code), std::string(text_at(*end, "/message"))};
}

}  // namespace

std::vector<InitSummary> init_summaries(const Kind& kind, const Json& job, const JobState& state,
                                        std::span<const Json> pods) {
  std::vector<InitSummary> all;
  for (const Replica& replica : replicas_of(kind, job)) add_declared(*replica.spec, all);
  const auto declared = static_cast<std::ptrdiff_t>(all.size());
  for (const ReplicaState& replica : state.replicas) {
    const Json* const pod = kube::find_uid(pods, replica.pod.uid);
    if (pod == nullptr) continue;
    for (const Json& status : array_at(*pod, "/status/initContainerStatuses")) {
      add_status(replica, status, summary_named(all, text_at(status, "/name")));
    }
  }
  const auto is_dull = [](const InitSummary& one) { return one.restarts == 0 && one.failed == 0; };
  all.erase(std::remove_if(all.begin() + declared, all.end(), is_dull), all.end());
  return all;
}

}  // namespace trainctl::job
