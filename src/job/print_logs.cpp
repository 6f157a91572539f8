// `logs` without -f: each selected replica's log as it is now.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "job/follow.h"
#include "job/log_container.h"
#include "job/log_printer.h"
#include "job/log_troubles.h"
#include "job/pod_state.h"
#include "job/selection.h"

namespace trainctl::job {

namespace {

const Json* pod_of(const Kind& kind, std::span<const Json> pods, const ReplicaState& replica) {
  for (const Json& pod : pods) {
    if (replica_of(kind, pod) == replica.id && text_at(pod, "/metadata/uid") == replica.uid) {
      return &pod;
    }
  }
  return nullptr;
}

Error no_log(const Json& job, const ReplicaState& replica) {
  const std::string name = text_at(job, "/metadata/name");
  if (replica.state == "Missing") {
    return {Code::not_found, cat(replica.id.name(), " of job ", name, " has no pod, so no log"),
            cat("trainctl get ", name)};
  }
  std::string why = replica.reason.empty() ? replica.state : replica.reason;
  if (!replica.message.empty()) why += ": " + printable_line(replica.message);
  return {Code::error, cat(replica.id.name(), " has not started: ", why),
          cat("wait for it: trainctl logs -f ", name, "/", replica.id.name())};
}

bool has_started(const Json& status) {
  return find(status, "/state/running") != nullptr ||
         find(status, "/state/terminated") != nullptr ||
         find(status, "/lastState/terminated") != nullptr;
}

// When the run began whose log is read.
std::optional<Time> run_start(const Json& status, bool previous) {
  if (previous) return parse_time(text_at(status, "/lastState/terminated/startedAt"));
  const bool runs = find(status, "/state/running") != nullptr;
  return parse_time(
      text_at(status, runs ? "/state/running/startedAt" : "/state/terminated/startedAt"));
}

struct Readable {
  const Json& pod;
  const Json& status;  // of the container
  LogContainer container;
};

Result<Readable> find_log(const Kind& kind, const Json& job, std::span<const Json> pods,
                          const ReplicaState& replica, const std::string& asked) {
  const Json* pod = pod_of(kind, pods, replica);
  if (pod == nullptr) return no_log(job, replica);
  TRY_ASSIGN(LogContainer container, log_container(kind, *pod, replica.id.name(), asked));
  const Json* status = container_status(*pod, container.name);
  if (status == nullptr || !has_started(*status)) return no_log(job, replica);
  return Readable{*pod, *status, std::move(container)};
}

}  // namespace

Status print_logs(kube::Client& client, Console& console, const Kind& kind, const Json& job,
                  std::span<const Json> pods, const FollowOptions& options) {
  const JobState state = judge(kind, job, pods, {});
  TRY_ASSIGN(const Selected selected, select_replicas(kind, job, state, options.selection));
  if (!selected.notice.empty()) console.notice(selected.notice);

  Status outcome;
  const auto keep_first = [&outcome](Error error) {
    if (outcome) outcome = std::move(error);
  };
  Tail* reading = nullptr;
  HandlePtr hold_timer;
  const auto hold = [&](const Error& error) {
    console.warn(cat(error.message, "; reading waits for the reader of stdout"));
    // A line of the stream that is to be ended may be just being told.
    hold_timer = client.loop().after({}, [&] {
      if (reading != nullptr) reading->hold();
    });
  };
  const auto go_on = [&] {
    hold_timer.reset();
    if (reading != nullptr) reading->go_on();
  };
  bool printing = true;
  const auto stop = [&](Error error) {
    keep_first(std::move(error));
    printing = false;
  };
  LogPrinter printer(console, client.loop(), options.spool_directory, {stop, hold, go_on});
  printer.watch_reader();
  LogFiles files(client.loop(), options.save, keep_first);
  printer.options = {wants_prefix(options.prefix, selected.replicas.size()), options.timestamps,
                     options.format};
  const auto notice = [&console](const std::string& text) { console.notice(text); };
  LogTroubles troubles(client.loop(), notice);
  std::set<std::string> said;
  for (const ReplicaState& replica : state.replicas) {
    if (std::find(selected.replicas.begin(), selected.replicas.end(), replica.id) ==
        selected.replicas.end()) {
      continue;
    }
    const Result<Readable> log = find_log(kind, job, pods, replica, options.selection.container);
    if (!log) {
      keep_first(log.error());
      continue;
    }
    const auto& [pod, status, container] = *log;
    if (!container.notice.empty() && said.insert(container.notice).second) {
      console.notice(container.notice);
    }
    TailOptions tail_options = options.tail;
    tail_options.follow = false;
    tail_options.started = run_start(status, options.tail.previous);
    TailHandlers handlers;
    bool done = false;
    const auto restarts = static_cast<int>(int_at(status, "/restartCount").value_or(0));
    const int attempt = std::max(1, restarts + (options.tail.previous ? 0 : 1));
    const LogOrigin origin{replica.id, replica.rank, container.name, attempt};
    handlers.on_line = [&](const kube::LogLine& line) {
      if (options.save) files.add(origin, line);
      printer.print(origin, line);
    };
    handlers.on_notice = notice;
    handlers.on_trouble = [&](const Error& why, Duration wait) {
      // The hint comes with the error, should it end with that.
      troubles.add(replica.pod, {why.code, why.message}, wait);
    };
    handlers.on_open = [&] { troubles.remove(replica.pod); };
    handlers.on_done = [&](Status ended) {
      if (!ended) keep_first(std::move(ended).error());
      done = true;
    };
    Tail tail(client,
              {text_at(pod, "/metadata/namespace"), replica.pod, replica.uid, container.name, ""},
              tail_options, std::move(handlers));
    reading = &tail;
    client.loop().run_until([&] { return done || !printing; });
    reading = nullptr;
    printer.flush();
    files.flush();
    client.loop().run_until([&] { return printer.drained(); });
    if (!printing) break;
  }
  return outcome;
}

}  // namespace trainctl::job
