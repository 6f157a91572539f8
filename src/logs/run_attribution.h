// Decides which run of a container an answer belongs to: the server does not say, and a container
// may restart at any moment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/loop/loop.h"
#include "base/text/time.h"
#include "kube/client/client.h"
#include "kube/stream/log_stream.h"

namespace trainctl::job {

// A status reports an event on a node within this time. A kubelet looks at its containers once a
// second, answers from what it saw, and reports to the API server at once.
inline constexpr Duration k_until_reported = std::chrono::seconds(2);

// Container IDs; both are "" when the pod is gone or another has taken its name.
struct KnownRuns {
  std::string current, previous;
};

// The end of a run, as statuses report it.
struct RunEnd {
  bool replaced = false;     // a new run has begun, so this run's log is now the previous one
  bool removed = false;      // even the previous log is another run's now
  bool may_restart = false;  // a new run may begin before its status says so
  std::optional<Time> finished = {};  // in whole seconds, rounded down
  std::optional<Time> known_at = {};  // when a status reported it; else just now
};

// A request that was answered with a log.
struct LogAnswer {
  bool first = false;     // it is the tail's first request
  bool resumes = false;   // requested to continue after seen lines
  bool previous = false;  // requested the run before the current one
  bool drains = false;    // requested after the run's end
  Time opened{};          // when the server answered
};

class RunAttribution {
 public:
  // `id` is the run's container ID; "" = not known, and all answers count as this run's.
  RunAttribution(std::string id, bool previous, std::optional<Time> started, Time known_at);

  // True when a request needs the `previous` parameter to get this run.
  bool is_previous() const { return previous_; }
  const std::optional<Time>& started() const { return started_; }
  void end(const RunEnd& end, Time now);

  // Says whether a new line belongs to this run, in an answer that has repeated no seen line:
  // either the node has rotated the log, or a run has begun that no status has reported yet.
  bool is_ours(const LogAnswer& answer, Time stamp) const;
  // Says whether an answer that ended without any such line may be that of the next run, which has
  // written nothing yet.
  bool may_hide_next_run(const LogAnswer& answer) const;

  enum class Ruling { ours, anothers, ask_node };
  // Decides by the API server's list, once it has had time to learn of a new run.
  Ruling judge(const LogAnswer& answer, const KnownRuns& runs,
               std::optional<Time> first_seen) const;
  // Stamp from which on a line of the run before the current one shows that the answer was another
  // run's; needed because the API server may not know of a restart yet.
  std::optional<Time> next_runs_begin(const LogAnswer& answer,
                                      std::optional<Time> first_seen) const;
  // Another run's answer came although the run has ended. Returns false when that happened often
  // enough that this run's log will not come.
  bool may_ask_again();

  // True when the seen lines were written after this run's end: they were the next run's, and this
  // one is still unread.
  bool was_next_run(std::optional<Time> first_seen) const;
  // The same, by more than a status's precision; otherwise the lines may be a short run's own.
  bool was_surely_next_run(Time first_seen) const;

 private:
  bool is_fresh(const LogAnswer& answer) const;

  std::string id_;
  bool previous_;
  bool ended_ = false;
  bool may_restart_ = false;
  std::optional<Time> started_, finished_;
  Time known_at_;     // when a status last reported this run
  int refusals_ = 0;  // answers for another run since this one's end
};

// Names a container's run; a restarted container is another target.
struct TailTarget {
  std::string ns, pod, pod_uid, container, container_id;
  bool operator==(const TailTarget&) const = default;
};

struct OwnerQuestion {
  TailTarget target;
  kube::LogQuery log;         // identifies the container
  const RunAttribution& run;  // decides, with what is known when the responses arrive
  LogAnswer answer;
  std::optional<Time> first_seen;  // stamp of the first line seen of this run
};

// True when the answer was the run's; a Failure when that could not be found out.
using OwnerAnswer = std::variant<bool, kube::Failure>;

// Asks for a list with one item, because a user who may watch pods may also list them, but need not
// have the verb `get`. Asks only when a status has had time to report a new run. If a new run is
// still possible, asks for the last line of the run before the current one: for ten seconds after
// an outage, the API server may not know of a restart (the kubelet repeats its statuses at that
// interval: pkg/kubelet/status, syncPeriod), while the node answers log requests from its own
// knowledge. An answer is not withheld when a node cannot say.
[[nodiscard]] HandlePtr ask_owner(kube::Client& client, OwnerQuestion question,
                                  std::function<void(OwnerAnswer)> done);

}  // namespace trainctl::job
