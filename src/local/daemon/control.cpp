// Reads changes and answers with facts, both as JSON.
#include "local/daemon/control.h"

#include <fstream>

#include <unistd.h>

#include "base/text/text.h"
#include "status/judgement.h"
#include "status/state.h"

namespace trainctl::local {
namespace {

ApiAnswer json_answer(int code, const Json& body) {
  ApiAnswer answer;
  answer.code = code;
  answer.body = dump(body) + '\n';
  return answer;
}

// The namespace whose pods are asked for, "" = all; nullopt for another path.
std::optional<std::string_view> measured_namespace(std::string_view target) {
  constexpr std::string_view k_namespaces = "namespaces/";
  constexpr std::string_view k_pods = "/pods";
  target = target.substr(0, target.find('?'));
  if (!target.starts_with(k_metrics_path)) return std::nullopt;
  target.remove_prefix(k_metrics_path.size());
  if (target == k_pods.substr(1)) return "";
  if (!target.starts_with(k_namespaces) || !target.ends_with(k_pods)) return std::nullopt;
  return target.substr(k_namespaces.size(), target.size() - k_namespaces.size() - k_pods.size());
}

}  // namespace

std::optional<ApiAnswer> Control::answer(const ApiRequest& request) const {
  if (request.target.starts_with(k_ports_path)) {
    return json_answer(200, ports(std::string_view(request.target).substr(k_ports_path.size())));
  }
  if (request.target.starts_with(k_ended_pods_path)) {
    const auto uid = std::string_view(request.target).substr(k_ended_pods_path.size());
    return json_answer(200, ended_pods(uid));
  }
  if (const auto ns = measured_namespace(request.target)) {
    return json_answer(200, {{"kind", "PodMetricsList"},
                             {"apiVersion", "metrics.k8s.io/v1beta1"},
                             {"metadata", Json::object()},
                             {"items", metrics(*ns)}});
  }
  if (request.target != k_control_path) return std::nullopt;
  if (request.method == "POST") {
    const auto order = parse_json(request.body, "the order");
    if (!order) return json_answer(400, {{"message", order.error().message}});
    if (const auto seconds = int_at(*order, "/idleSeconds")) {
      set_idle(std::chrono::seconds(*seconds));
    }
  }
  return json_answer(200, facts());
}

Json count_jobs(const Store& store) {
  std::int64_t all = 0;
  std::int64_t unfinished = 0;
  for (const ServedResource& resource : served_resources()) {
    if (resource.job_kind == nullptr) continue;
    for (const auto& object : store.list(resource, "")) {
      ++all;
      if (!job::is_final(job::judge(*resource.job_kind, *object, {}, {}).phase)) ++unfinished;
    }
  }
  return {{"jobs", all}, {"unfinishedJobs", unfinished}};
}

std::int64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace trainctl::local
