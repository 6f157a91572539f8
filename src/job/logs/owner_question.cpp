// Waits, asks for a list with one item, and reads the last line of the log that `previous` names.
#include "job/logs/owner_question.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "job/status/pod_state.h"
#include "kube/client/collection.h"

namespace trainctl::job {
namespace {

constexpr Duration k_node_patience = std::chrono::seconds(10);  // for a node that does not answer

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

class Asking : public Handle {
 public:
  Asking(kube::Client& client, OwnerQuestion question, std::function<void(OwnerAnswer)> done)
      : client_(client), question_(std::move(question)), done_(std::move(done)) {
    const Duration wait = question_.answer.opened + k_until_reported - client.loop().now();
    step_ = client.loop().after(std::max(wait, Duration{}), [this] { ask_server(); });
  }

 private:
  void ask_server() {
    Result<net::Request> request = kube::list_request(
        kube::k_pods, question_.target.ns, {"", "metadata.name=" + question_.target.pod}, "");
    if (!request) return end(kube::Failure{request.error(), {}});
    step_ = client_.fetch(*std::move(request), [this](std::variant<Json, kube::Failure> answer) {
      if (auto* failure = std::get_if<kube::Failure>(&answer)) return end(std::move(*failure));
      judge(runs_in(std::get<Json>(std::move(answer)), question_.target));
    });
  }

  void judge(const KnownRuns& runs) {
    const auto& [target, log, run, answer, first] = question_;
    switch (run.judge(answer, runs, first)) {
      case RunAttribution::Ruling::ours:
        return end(true);
      case RunAttribution::Ruling::anothers:
        return end(false);
      case RunAttribution::Ruling::ask_node:
        return ask_node(*run.next_runs_begin(answer, first));
    }
  }

  // Asks whether the run before the current one wrote a line at or after `from`.
  void ask_node(Time from) {
    kube::LogQuery log = question_.log;
    log.previous = true;
    log.tail_lines = 1;
    kube::LogHandlers handlers;
    handlers.on_line = [this, from](const kube::LogLine& line) {
      next_one_wrote_ = next_one_wrote_ || (line.stamp && *line.stamp >= from);
    };
    handlers.on_end = [this](const std::optional<kube::Failure>&) { end(!next_one_wrote_); };
    step_ = kube::open_log(client_, log, std::move(handlers));
    limit_ = client_.loop().after(k_node_patience, [this] { end(true); });
  }

  // The callback may destroy this object.
  void end(OwnerAnswer answer) {
    const auto done = std::move(done_);
    done(std::move(answer));
  }

  kube::Client& client_;
  OwnerQuestion question_;
  std::function<void(OwnerAnswer)> done_;
  bool next_one_wrote_ = false;
  HandlePtr step_, limit_;
};

}  // namespace

HandlePtr ask_owner(kube::Client& client, OwnerQuestion question,
                    std::function<void(OwnerAnswer)> done) {
  return std::make_unique<Asking>(client, std::move(question), std::move(done));
}

}  // namespace trainctl::job
