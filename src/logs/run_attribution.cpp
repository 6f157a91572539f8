// Compares stamps with what statuses report, and considers how soon after a status an answer came.
#include "logs/run_attribution.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "kube/client/collection.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// An answer this soon after a status is from the run in that status, because a kubelet takes longer
// to start the next one.
constexpr Duration k_fresh = milliseconds(400);
// The same holds for the very first answer within this time, and for a line this soon after its
// container's start.
constexpr Duration k_first_answer = seconds(2);
// Refusals after a run's end: half a minute in total, three times as long as a kubelet takes to
// report another run.
constexpr int k_refusals = 16;
constexpr Duration k_precision = seconds(1);  // precision of a status's times

}  // namespace

RunAttribution::RunAttribution(std::string id, bool previous, std::optional<Time> started,
                               Time known_at)
    : id_(std::move(id)), previous_(previous), started_(started), known_at_(known_at) {}

void RunAttribution::end(const RunEnd& end, Time now) {
  const bool news = !std::exchange(ended_, true) || (end.replaced && !previous_);
  if (news) known_at_ = end.known_at.value_or(now);
  previous_ = previous_ || end.replaced;
  may_restart_ = end.may_restart;
  if (!finished_) finished_ = end.finished;
}

bool RunAttribution::is_ours(const LogAnswer& answer, Time stamp) const {
  if (id_.empty()) return true;
  if (finished_ && stamp < *finished_) return true;
  if (answer.resumes) return false;
  if (finished_) return is_fresh(answer) && stamp < *finished_ + k_precision;
  return is_fresh(answer) || (started_ && stamp < *started_ + k_first_answer);
}

bool RunAttribution::is_fresh(const LogAnswer& answer) const {
  const Duration age = answer.opened - known_at_;
  const bool first = answer.first && !finished_;
  return age >= Duration::zero() && age <= (first ? k_first_answer : k_fresh);
}

bool RunAttribution::may_hide_next_run(const LogAnswer& answer) const {
  const bool current_rest = answer.drains && !answer.previous;
  if (!current_rest || !may_restart_ || id_.empty()) return false;
  return answer.resumes || !is_fresh(answer);
}

RunAttribution::Ruling RunAttribution::judge(const LogAnswer& answer, const KnownRuns& runs,
                                             std::optional<Time> first_seen) const {
  if ((answer.previous ? runs.previous : runs.current) != id_) return Ruling::anothers;
  return next_runs_begin(answer, first_seen) ? Ruling::ask_node : Ruling::ours;
}

// An answer requested as the previous run's is another's if the next run has ended, too; any other
// answer if this run has.
std::optional<Time> RunAttribution::next_runs_begin(const LogAnswer& answer,
                                                    std::optional<Time> first_seen) const {
  if (!answer.previous && first_seen) return first_seen;
  const auto& known = answer.previous ? finished_ : started_;
  return known ? std::optional(*known + k_precision) : std::nullopt;
}

bool RunAttribution::may_ask_again() {
  return ++refusals_ < k_refusals;
}

bool RunAttribution::was_next_run(std::optional<Time> first_seen) const {
  return first_seen && finished_ && *first_seen >= *finished_;
}

bool RunAttribution::was_surely_next_run(Time first_seen) const {
  return first_seen >= *finished_ + k_precision;
}

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

class Asking : public Handle, public kube::LineSink {
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
    next_begins_ = from;
    step_ = kube::open_log(client_, log, *this);
    limit_ = client_.loop().after(k_node_patience, [this] { end(true); });
  }

  void on_line(const kube::LogLine& line) override {
    next_one_wrote_ = next_one_wrote_ || (line.stamp && *line.stamp >= next_begins_);
  }
  void on_end(const std::optional<kube::Failure>&) override { end(!next_one_wrote_); }

  // The callback may destroy this object.
  void end(OwnerAnswer answer) {
    const auto done = std::move(done_);
    done(std::move(answer));
  }

  kube::Client& client_;
  OwnerQuestion question_;
  std::function<void(OwnerAnswer)> done_;
  Time next_begins_{};
  bool next_one_wrote_ = false;
  HandlePtr step_, limit_;
};

}  // namespace

HandlePtr ask_owner(kube::Client& client, OwnerQuestion question,
                    std::function<void(OwnerAnswer)> done) {
  return std::make_unique<Asking>(client, std::move(question), std::move(done));
}

}  // namespace trainctl::job
