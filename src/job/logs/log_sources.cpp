// Container statuses to tails: restarts in order, nothing read twice, nothing of a namesake.
#include "job/logs/log_sources.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "job/logs/log_container.h"
#include "job/status/pod_state.h"

namespace trainctl::job {
namespace {

// Of a pod, from its making to its removal: less is no room for one that nobody saw.
constexpr Duration k_shortest_life = std::chrono::seconds(2);

bool may_restart(const Json& pod, const Json& status) {
  const std::string phase = text_at(pod, "/status/phase");
  const std::string policy = text_at(pod, "/spec/restartPolicy");
  const bool done = policy == "OnFailure" && int_at(status, "/state/terminated/exitCode") == 0;
  return policy != "Never" && !done && phase != "Succeeded" && phase != "Failed" &&
         find(pod, "/metadata/deletionTimestamp") == nullptr;
}

}  // namespace

LogSources::LogSources(kube::Client& client, const Kind& kind, std::string ns,
                       std::string container, TailOptions options, LogSourceHandlers handlers)
    : client_(client),
      kind_(kind),
      ns_(std::move(ns)),
      container_(std::move(container)),
      options_(options),
      handlers_(std::move(handlers)),
      troubles_(client.loop(), handlers_.on_notice) {}

void LogSources::want(const ReplicaId& replica, std::optional<int> rank, bool printed) {
  wanted_.try_emplace(replica, Wanted{rank, printed});
}

bool LogSources::wants(const ReplicaId& replica) const {
  return wanted_.contains(replica);
}

bool LogSources::idle() const {
  return std::none_of(sources_.begin(), sources_.end(), [](const auto& entry) {
    return entry.second.reading || !entry.second.queue.empty();
  });
}

void LogSources::update(std::span<const Json> pods) {
  std::set<std::string> present;
  for (const Json& pod : pods) {
    present.insert(text_at(pod, "/metadata/uid"));
    look(pod);
  }
  looked_ = true;
  for (auto& [uid, source] : sources_) {
    if (present.contains(uid)) continue;
    if (source.reading) source.tail->pod_gone();
    for (const Run& run : std::exchange(source.queue, {})) {
      if (!run.unseen) leave_unread(source);
    }
  }
}

void LogSources::pod_gone(const Json& last) {
  const bool seen_going = find(last, "/status") != nullptr;
  if (seen_going) look(last);
  const auto found = sources_.find(text_at(last, "/metadata/uid"));
  if (found == sources_.end() || seen_going) return;
  Source& source = found->second;
  // It may have run and printed unseen.
  if (!source.known.empty() || source.container.empty()) return;
  leave_unread(source);
}

void LogSources::leave_unread(const Source& source) {
  ++wanted_.at(source.replica).attempts;
  handlers_.on_notice(
      cat("possible gap in the log of ", source.pod, ": its pod was deleted meanwhile"));
}

void LogSources::look(const Json& pod) {
  const auto replica = replica_of(kind_, pod);
  if (!replica || !wants(*replica)) return;
  const std::string uid = text_at(pod, "/metadata/uid");
  const auto [entry, first_look] = sources_.try_emplace(uid);
  Source& source = entry->second;
  if (first_look) {
    std::string& newest = wanted_.at(*replica).newest_pod;
    if (found_late_.erase(uid) > 0) tell_of_unseen(pod, newest);
    newest = uid;
    source.replica = *replica;
    source.pod = text_at(pod, "/metadata/name");
    source.pod_uid = uid;
    choose_container(pod, source);
  }
  update_source(pod, source, first_look && !looked_);
}

// Whose log was still being read when it was replaced tells its gap itself.
void LogSources::tell_of_unseen(const Json& pod, const std::string& pod_before) {
  const auto before = sources_.find(pod_before);
  if (before == sources_.end()) return;
  const auto ended = before->second.times.end_of(before->second.current);
  const auto made = parse_time(text_at(pod, "/metadata/creationTimestamp"));
  if (!ended || !made || *made - *ended < k_shortest_life) return;
  handlers_.on_notice(cat("possible gap in the log of ", before->second.pod, " from ",
                          format_time(*ended), " to ", format_time(*made),
                          ": its pod may have been made anew twice meanwhile"));
}

// A pod without the container asked for has no log; the others' are read.
void LogSources::choose_container(const Json& pod, Source& source) {
  Result<LogContainer> chosen = log_container(kind_, pod, source.replica.name(), container_);
  if (!chosen) return handlers_.on_error(std::move(chosen).error());
  source.container = std::move(chosen->name);
  if (chosen->notice.empty() || !said_.insert(chosen->notice).second) return;
  handlers_.on_notice(chosen->notice);
}

// `here_before`: nobody has looked at it yet, and it may be older than our interest in it.
void LogSources::update_source(const Json& pod, Source& source, bool here_before) {
  const Json* status = container_status(pod, source.container);
  if (status == nullptr) return;
  note_runs(*status, source);
  adopt(source);
  source.times.note(*status);
  source.may_restart = may_restart(pod, *status);

  const int restarts_before = source.restarts - (source.current.empty() ? 0 : 1);
  // A run that ended before anyone looked is not shown, as `kubectl logs -f` does not, unless it is
  // the latest there is.
  if (here_before) source.next_restarts = source.restarts;
  if (!here_before || source.current.empty()) {
    add_run(source, source.before, !source.current.empty(), restarts_before);
  }
  add_run(source, source.current, false, source.restarts);
  if (source.reading) {
    tell_if_ended(source);
  } else {
    start_next(source);
  }
}

void LogSources::note_runs(const Json& status, Source& source) {
  const std::tuple known(source.current, source.before, source.running);
  source.restarts = static_cast<int>(int_at(status, "/restartCount").value_or(0));
  source.before = text_at(status, "/lastState/terminated/containerID");
  source.running = find(status, "/state/running") != nullptr;
  const bool started = source.running || find(status, "/state/terminated") != nullptr;
  source.current = started ? text_at(status, "/containerID") : "";
  if (known != std::tie(source.current, source.before, source.running)) {
    const Time now = client_.loop().now();
    source.known_at = now < old_until_ ? Time{} : now;
  }
}

void LogSources::read_unseen(std::span<const Json> pods) {
  for (const Json& pod : pods) {
    const auto found = sources_.find(text_at(pod, "/metadata/uid"));
    if (found == sources_.end() || !found->second.known.empty()) continue;
    if (found->second.container.empty()) continue;
    found->second.known.insert("");
    found->second.queue.push_back({"", false, true, found->second.restarts});
    start_next(found->second);
  }
}

void LogSources::let_go() {
  let_go_ = true;
  for (auto& [uid, source] : sources_) {
    if (source.reading) source.tail->let_go();
  }
}

void LogSources::hold(bool back) {
  held_back_ = back;
  for (auto& [uid, source] : sources_) {
    if (!source.reading) continue;
    if (back) {
      source.tail->hold();
    } else {
      source.tail->go_on();
    }
  }
}

// The status has caught up with a run that is being read already.
void LogSources::adopt(Source& source) {
  if (source.current.empty() || source.known.size() != 1 || !source.known.contains("")) return;
  source.known.insert(source.current);
  source.next_restarts = source.restarts + 1;
  source.reading_run = source.current;
}

void LogSources::add_run(Source& source, std::string container_id, bool previous, int restarts) {
  if (container_id.empty() || !source.known.insert(container_id).second) return;
  if (restarts > source.next_restarts) {
    handlers_.on_notice(cat("possible gap in the log of ", source.pod,
                            ": its container was restarted twice meanwhile"));
  }
  source.next_restarts = restarts + 1;
  source.queue.push_back({std::move(container_id), previous, false, restarts});
}

void LogSources::tell_if_ended(Source& source) {
  if (source.reading_run.empty()) return;
  const bool removed = !source.before.empty() && source.reading_run != source.before &&
                       source.reading_run != source.current;
  const bool replaced =
      removed || (!source.current.empty() && source.reading_run != source.current);
  if (!replaced && source.running) return;
  source.tail->container_ended({replaced, removed, source.may_restart,
                                source.times.end_of(source.reading_run), source.known_at});
}

void LogSources::start_next(Source& source) {
  if (source.queue.empty()) return;
  const Run run = source.queue.front();
  source.queue.erase(source.queue.begin());
  TailOptions options = options_;
  options.previous = run.previous;
  options.only_if_started = run.unseen;
  options.started = source.times.start_of(run.container_id);
  options.known_at = source.known_at;
  options.told_ahead = told_ahead(source, run);
  const bool first_run = source.tail == nullptr;
  if (!first_run) options.tail_lines.reset();

  const Wanted& asked = wanted_.at(source.replica);
  LogOrigin origin{source.replica, asked.rank, source.container, next_attempt(source, run),
                   asked.printed};
  TailHandlers handlers;
  handlers.on_line = [this, origin = std::move(origin)](const kube::LogLine& line) {
    handlers_.on_line(origin, line);
  };
  handlers.on_notice = handlers_.on_notice;
  handlers.on_trouble = [this, &source](const Error& why, Duration wait) {
    troubles_.add(source.pod, why, wait);
  };
  handlers.on_open = [this, &source] {
    options_.let_in = true;
    troubles_.remove(source.pod);
  };
  handlers.on_done = [this, &source](const Status& status) { on_tail_done(source, status); };
  TailTarget target{ns_, source.pod, source.pod_uid, source.container, run.container_id};
  source.reading = true;
  source.reading_run = run.container_id;
  DedupWindow told = first_run ? DedupWindow{} : source.tail->told();
  source.tail = std::make_unique<Tail>(client_, std::move(target), options, std::move(handlers),
                                       std::move(told));
  tell_if_ended(source);
  if (held_back_) source.tail->hold();
  if (let_go_) source.tail->let_go();
}

// Lines told under the run before that are this one's, unless it had ended by then.
std::optional<ToldAhead> LogSources::told_ahead(const Source& source, const Run& run) {
  if (source.tail == nullptr || !source.tail->told_ahead()) return std::nullopt;
  const ToldAhead& ahead = *source.tail->told_ahead();
  const auto end = source.times.end_of(run.container_id);
  return end && *end < ahead.first ? std::nullopt : std::optional(ahead);
}

// A replica's attempts count on when its pod is made anew.
int LogSources::next_attempt(Source& source, const Run& run) {
  int& attempts = wanted_.at(source.replica).attempts;
  if (source.tail == nullptr) source.attempts_before = attempts;
  attempts = std::max(attempts, source.attempts_before + run.restarts) + 1;
  return attempts;
}

void LogSources::on_tail_done(Source& source, const Status& status) {
  troubles_.remove(source.pod);
  if (!status) {
    handlers_.on_error(status.error());
    troubles_.tell_hint(status.error().hint);
  }
  source.reading = false;
  // The tail must not be replaced inside its own callback.
  next_timer_ = client_.loop().after({}, [this] {
    for (auto& [uid, other] : sources_) {
      if (!other.reading) start_next(other);
    }
    if (idle()) handlers_.on_idle();
  });
}

}  // namespace trainctl::job
