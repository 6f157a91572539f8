// Recognises refusals by their text in Kubernetes 1.34.
#include "job/logs/log_refusal.h"

#include <string_view>

namespace trainctl::job {
namespace {

constexpr std::string_view k_no_run_before = "previous terminated container";

bool says(const kube::Refusal& refusal, int status, std::string_view words) {
  return refusal.status == status && refusal.message.find(words) != std::string::npos;
}

}  // namespace

bool waits_to_start(const kube::Refusal& refusal) {
  return says(refusal, 400, "waiting to start");
}

bool node_lacks_it(const kube::Refusal& refusal) {
  return says(refusal, 404, "pods/log");
}

bool node_deleted_it(const kube::Refusal& refusal) {
  return says(refusal, 400, k_no_run_before);
}

bool has_no_run_before(const Error& error) {
  return error.code == Code::refused && error.message.find(k_no_run_before) != std::string::npos;
}

}  // namespace trainctl::job
