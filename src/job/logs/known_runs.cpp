// By a list with one item, and by the last line of the log that `previous` names.
#include "job/logs/known_runs.h"

#include <memory>
#include <utility>

#include "job/status/pod_state.h"
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

// Of the previous log, without waiting for a node that says nothing.
class LastLineQuestion : public Handle {
 public:
  LastLineQuestion(kube::Client& client, kube::LogQuery log, Time from,
                   std::function<void(bool)> done)
      : done_(std::move(done)) {
    log.previous = true;
    log.tail_lines = 1;
    kube::LogHandlers handlers;
    handlers.on_line = [this, from](const kube::LogLine& line) {
      wrote_ = wrote_ || (line.stamp && *line.stamp >= from);
    };
    handlers.on_end = [this](const std::optional<kube::Failure>&) { tell(wrote_); };
    log_ = kube::open_log(client, log, std::move(handlers));
    limit_ = client.loop().after(k_patience, [this] { tell(false); });
  }

 private:
  void tell(bool wrote) {
    const auto done = std::move(done_);  // which may destroy this
    done(wrote);
  }

  static constexpr Duration k_patience = std::chrono::seconds(10);

  std::function<void(bool)> done_;
  bool wrote_ = false;
  HandlePtr log_, limit_;
};

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

HandlePtr ask_run_before(kube::Client& client, kube::LogQuery log, Time from,
                         std::function<void(bool)> done) {
  return std::make_unique<LastLineQuestion>(client, std::move(log), from, std::move(done));
}

}  // namespace trainctl::job
