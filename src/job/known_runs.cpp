// One list request, and the container's status in its answer.
#include "job/known_runs.h"

#include <utility>

#include "job/pod_state.h"
#include "kube/collection.h"

namespace trainctl::job {
namespace {

using Answer = std::variant<KnownRuns, kube::Failure>;

KnownRuns runs_in(Json list, const TailTarget& target) {
  for (const Json& pod : kube::take_items(kube::k_pods, list)) {
    if (text_at(pod, "/metadata/uid") != target.pod_uid) continue;
    const Json* status = container_status(pod, target.container);
    if (status == nullptr) break;
    return {text_at(*status, "/containerID"),
            text_at(*status, "/lastState/terminated/containerID")};
  }
  return {};
}

}  // namespace

HandlePtr ask_known_runs(kube::Client& client, const TailTarget& target,
                         std::function<void(Answer)> done) {
  Result<net::Request> request =
      kube::list_request(kube::k_pods, target.ns, {"", "metadata.name=" + target.pod}, "");
  if (!request) {
    return client.loop().after({}, [error = request.error(), done = std::move(done)] {
      done(kube::Failure{error, {}});
    });
  }
  return client.fetch(*std::move(request),
                      [target, done = std::move(done)](std::variant<Json, kube::Failure> answer) {
                        if (auto* failure = std::get_if<kube::Failure>(&answer))
                          return done(std::move(*failure));
                        done(runs_in(std::get<Json>(std::move(answer)), target));
                      });
}

}  // namespace trainctl::job
