// Reads the sources off the templates, and the rest off the statuses of the pods.
#include "job/status/init_summary.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/expansion.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {
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
    const auto pod = std::ranges::find_if(pods, [&replica](const Json& one) {
      return !replica.pod.uid.empty() && text_at(one, "/metadata/uid") == replica.pod.uid;
    });
    if (pod == pods.end()) continue;
    for (const Json& status : array_at(*pod, "/status/initContainerStatuses")) {
      add_status(replica, status, summary_named(all, text_at(status, "/name")));
    }
  }
  const auto is_dull = [](const InitSummary& one) { return one.restarts == 0 && one.failed == 0; };
  all.erase(std::remove_if(all.begin() + declared, all.end(), is_dull), all.end());
  return all;
}

}  // namespace trainctl::job
