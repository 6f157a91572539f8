// Turns container statuses into tails: restarts in order, no run read twice, nothing read from a
// pod that reuses a name.
#include "logs/log_sources.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "logs/container_runs.h"
#include "net/http.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

// Connections that fail for the same reason do not all fail in the same turn of the loop.
constexpr Duration k_gather = std::chrono::seconds(1);

}  // namespace

void RetryNotices::add(const std::string& pod, const Error& why, Duration wait) {
  const auto known = troubles_.find(why.message);
  if (known != troubles_.end() && known->second.pods.contains(pod)) return report_hint(why.hint);
  remove(pod);
  const auto [entry, first] = troubles_.try_emplace(why.message);
  Trouble& trouble = entry->second;
  trouble.pods.insert(pod);
  if (first) {
    const std::string when = wait == Duration::zero() ? "" : cat(" in ", net::seconds_text(wait));
    return sink_.on_notice(cat("log of ", pod, " interrupted (", why.message, "); resuming", when));
  }
  trouble.unreported.insert(pod);
  if (trouble.timer != nullptr) return;
  trouble.timer = loop_.after(k_gather, [this, message = why.message] { report_others(message); });
}

void RetryNotices::report_others(const std::string& message) {
  const auto entry = troubles_.find(message);
  Trouble& trouble = entry->second;
  const HandlePtr over = std::move(trouble.timer);
  const std::set<std::string> unreported = std::exchange(trouble.unreported, {});
  if (trouble.pods.empty()) troubles_.erase(entry);
  sink_.on_notice(unreported.size() == 1
                      ? cat("also interrupted: the log of ", *unreported.begin())
                      : cat("also interrupted: the logs of ", unreported.size(), " other pods"));
}

void RetryNotices::remove(const std::string& pod) {
  for (auto& [message, trouble] : troubles_) trouble.pods.erase(pod);
  std::erase_if(troubles_, [](const auto& entry) {
    return entry.second.pods.empty() && entry.second.unreported.empty();
  });
}

void RetryNotices::report_hint(const std::string& hint) {
  if (!hint.empty() && hints_.insert(hint).second) sink_.on_hint(hint);
}

namespace {

// Shortest life of a pod from creation to removal; in less time, no pod can have come and gone
// unnoticed.
constexpr Duration k_shortest_life = std::chrono::seconds(2);

}  // namespace

LogSources::LogSources(kube::Client& client, const Kind& kind, std::string ns,
                       std::string container, LogOptions options, LogSink& sink)
    : client_(&client),
      kind_(kind),
      ns_(std::move(ns)),
      container_(std::move(container)),
      options_(options),
      sink_(sink),
      troubles_(client.loop(), sink) {
  blind_.began = client.loop().now();
}

void LogSources::want(const ReplicaId& replica, std::optional<int> rank, bool printed) {
  wanted_.try_emplace(replica, Wanted{rank, printed});
}

bool LogSources::wants(const ReplicaId& replica) const {
  return wanted_.contains(replica);
}

void LogSources::update(std::span<const Json> pods) {
  std::set<std::string> present;
  for (const Json& pod : pods) {
    present.insert(text_at(pod, "/metadata/uid"));
    look(pod);
  }
  blind_.first_look = false;
  for (auto& [uid, source] : sources_) {
    if (present.contains(uid)) continue;
    if (options_.outlives_pods()) {
      read_gone(source);
      continue;
    }
    if (source.reading) source.tail->pod_gone();
    for (std::size_t unread = source.runs.drop_unread(); unread > 0; --unread) leave_unread(source);
  }
}

void LogSources::pod_gone(const Json& last) {
  const bool seen_going = find(last, "/status") != nullptr;
  if (seen_going) look(last);
  const auto found = sources_.find(text_at(last, "/metadata/uid"));
  if (found == sources_.end()) return;
  Source& source = found->second;
  if (options_.outlives_pods()) return read_gone(source);
  if (seen_going) return;
  // The pod may have run and printed unnoticed.
  if (!source.runs.none() || source.container.empty()) return;
  leave_unread(source);
}

void LogSources::leave_unread(const Source& source) {
  ++wanted_.at(source.replica).attempts;
  sink_.on_gap(cat("possible gap in the log of ", source.pod, ": its pod was deleted meanwhile"));
}

// Its log is complete, whatever its last status says, and is read as if the pod were there.
void LogSources::read_gone(Source& source) {
  if (std::exchange(source.gone, true) || source.container.empty()) return;
  if (source.reading) return source.tail->pod_gone();
  if (source.runs.has_next() || source.runs.note_unreported()) start_next(source);
}

void LogSources::read_kept(std::span<const Json> pods) {
  for (const Json& pod : pods) {
    const auto replica = replica_of(kind_, pod);
    // Once a replica was read, an earlier pod's lines would come out of order.
    if (!replica || !wants(*replica) || !wanted_.at(*replica).newest_pod.empty()) continue;
    look(pod);
    read_gone(sources_.at(text_at(pod, "/metadata/uid")));
  }
}

void LogSources::look(const Json& pod) {
  const auto replica = replica_of(kind_, pod);
  if (!replica || !wants(*replica)) return;
  const bool first_look = !sources_.contains(text_at(pod, "/metadata/uid"));
  update_source(pod, source_of(pod, *replica), first_look && blind_.first_look);
}

LogSources::Source& LogSources::source_of(const Json& pod, const ReplicaId& replica) {
  const std::string uid = text_at(pod, "/metadata/uid");
  const auto [entry, first_look] = sources_.try_emplace(uid);
  Source& source = entry->second;
  if (!first_look) return source;
  std::string& newest = wanted_.at(replica).newest_pod;
  if (blind_.late_pods.erase(uid) > 0) report_unseen(pod, newest);
  newest = uid;
  source.replica = replica;
  source.pod = text_at(pod, "/metadata/name");
  source.pod_uid = uid;
  choose_container(pod, source);
  return source;
}

void LogSources::read_now(const ReplicaId& replica, const Json& pod, bool previous) {
  Source& source = source_of(pod, replica);
  const Json* status = container_status(pod, source.container);
  if (status != nullptr) start(source, source.runs.pick(*status, previous, client_->loop().now()));
}

// A pod may have come and gone between the two. When the log of the one before was still being read
// at its replacement, its tail reports that gap.
void LogSources::report_unseen(const Json& pod, const std::string& pod_before) {
  const auto before = sources_.find(pod_before);
  if (before == sources_.end()) return;
  const auto ended = before->second.runs.current_end();
  const auto made = parse_time(text_at(pod, "/metadata/creationTimestamp"));
  if (!ended || !made || *made - *ended < k_shortest_life) return;
  sink_.on_gap(cat("possible gap in the log of ", before->second.pod, " from ", format_time(*ended),
                   " to ", format_time(*made), ": its pod may have been replaced twice meanwhile"));
}

// A pod without the requested container has no log; the other pods' logs are read.
void LogSources::choose_container(const Json& pod, Source& source) {
  Result<LogContainer> chosen = log_container(kind_, pod, source.replica.name(), container_);
  if (!chosen) return sink_.on_done({source.replica, {}, ""}, chosen.error());
  source.container = std::move(chosen->name);
  if (chosen->notice.empty() || !said_.insert(chosen->notice).second) return;
  sink_.on_notice(chosen->notice);
}

void LogSources::note(const Json& pod) {
  const auto found = sources_.find(text_at(pod, "/metadata/uid"));
  if (found != sources_.end()) note_status(pod, found->second, false);
}

// `here_before` says that this pod is examined for the first time and may be older than the
// interest in it. Returns false while the container has no status.
bool LogSources::note_status(const Json& pod, Source& source, bool here_before) {
  const Json* status = container_status(pod, source.container);
  if (status == nullptr) return false;
  const Time now = client_->loop().now();
  const auto joined = here_before ? std::optional(blind_.began) : std::nullopt;
  if (source.runs.note(pod, *status, now < blind_.old_until ? Time{} : now, joined)) {
    sink_.on_gap(cat("possible gap in the log of ", source.pod,
                     ": its container was restarted twice meanwhile"));
  }
  return true;
}

void LogSources::update_source(const Json& pod, Source& source, bool here_before) {
  if (!note_status(pod, source, here_before)) return;
  if (source.reading) {
    end_tail(source);
  } else {
    start_next(source);
  }
}

void LogSources::read_unseen(std::span<const Json> pods) {
  for (const Json& pod : pods) {
    const auto found = sources_.find(text_at(pod, "/metadata/uid"));
    if (found == sources_.end() || found->second.container.empty()) continue;
    if (!may_have_begun(pod, found->second.container)) continue;
    if (found->second.runs.note_unreported()) start_next(found->second);
  }
}

// Skips pods with a known run: the watch may be newer.
void LogSources::read_current(std::span<const Json> pods) {
  for (const Json& pod : pods) {
    const auto known = sources_.find(text_at(pod, "/metadata/uid"));
    if (known == sources_.end() || known->second.runs.none()) look(pod);
  }
  read_unseen(pods);
}

void LogSources::end_tail(Source& source) {
  if (const auto end = source.runs.end_of_read()) source.tail->container_ended(*end);
}

void LogSources::start_next(Source& source) {
  if (!source.runs.has_next()) return;
  const ContainerRuns::Run run = source.runs.take_next();
  // --tail asks for the end of what was printed before: the newest run has it.
  if (run.previous && run.here_before && options_.tail_lines) return start_next(source);
  start(source, run);
}

void LogSources::start(Source& source, const ContainerRuns::Run& run) {
  TailTask next = task(source, run);
  source.reading = true;
  source.tail = std::make_unique<LogTail>(*client_, std::move(next), *this);
  end_tail(source);
  if (held_back_) source.tail->hold();
  if (let_go_) let_go(source);
  if (source.gone) source.tail->pod_gone();
}

TailTask LogSources::task(Source& source, const ContainerRuns::Run& run) {
  const Wanted& asked = wanted_.at(source.replica);
  TailTask task{{ns_, source.pod, source.pod_uid, source.container, run.id},
                options_,
                {source.replica,
                 asked.rank,
                 source.container,
                 next_attempt(source, run),
                 asked.printed,
                 {source.pod_uid, run.restarts}}};
  task.asked.previous = run.previous;
  // A run that begins while its container is followed is printed from its first line.
  if (!run.here_before) task.asked.tail_lines.reset();
  task.only_if_started = options_.follow && run.id.empty();
  task.rights_known = rights_known_;
  task.started = source.runs.start_of(run);
  task.known_at = source.runs.known_at();
  if (source.tail != nullptr) {
    task.before = source.runs.handed_to(run, source.tail->handover());
  }
  return task;
}

// Attempts of a replica continue to count when its pod is recreated.
int LogSources::next_attempt(Source& source, const ContainerRuns::Run& run) {
  int& attempts = wanted_.at(source.replica).attempts;
  if (source.tail == nullptr) source.attempts_before = attempts;
  attempts = std::max(attempts, source.attempts_before + run.restarts) + 1;
  return attempts;
}

void LogSources::on_open(const LogOrigin& origin) {
  sink_.on_open(origin);
  rights_known_ = true;
  troubles_.remove(sources_.at(origin.run.pod_uid).pod);
}

void LogSources::on_trouble(const LogOrigin& origin, const Error& why, Duration wait) {
  // Without -f, an error ends the command, and its hint is printed there.
  const Error reported{why.code, why.message, options_.follow ? why.hint : ""};
  troubles_.add(sources_.at(origin.run.pod_uid).pod, reported, wait);
}

void LogSources::on_done(const LogOrigin& origin, const Status& status) {
  Source& source = sources_.at(origin.run.pod_uid);
  if (options_.follow) troubles_.remove(source.pod);
  sink_.on_done(origin, status);
  if (!status && options_.follow) troubles_.report_hint(status.error().hint);
  source.reading = false;
  if (source.tail->awaits_start()) source.runs.forget_unreported();
  // The tail must not be replaced inside its own callback.
  next_timer_ = client_->loop().after({}, [this] {
    for (auto& [uid, other] : sources_) {
      if (!other.reading) start_next(other);
    }
    if (idle()) sink_.on_idle();
  });
}

bool LogSources::prints_only(const ReplicaId& replica) const {
  return std::ranges::all_of(wanted_, [&replica](const auto& entry) {
    return entry.second.printed == (entry.first == replica);
  });
}

std::vector<ReplicaId> LogSources::without_pod() const {
  std::vector<ReplicaId> replicas;
  for (const auto& [replica, wanted] : wanted_) {
    if (wanted.printed && wanted.newest_pod.empty()) replicas.push_back(replica);
  }
  return replicas;
}

bool LogSources::lacks_pods() const {
  return std::ranges::any_of(wanted_,
                             [](const auto& entry) { return entry.second.newest_pod.empty(); });
}

bool LogSources::lacks_runs() const {
  return std::ranges::any_of(wanted_, [this](const auto& entry) {
    const auto newest = sources_.find(entry.second.newest_pod);
    if (newest == sources_.end()) return true;
    return newest->second.runs.none() && !newest->second.container.empty();
  });
}

bool LogSources::idle() const {
  return std::ranges::none_of(sources_, [](const auto& entry) {
    return entry.second.reading || entry.second.runs.has_next();
  });
}

std::set<ReplicaId> LogSources::unfinished() const {
  std::set<ReplicaId> replicas;
  for (const auto& [uid, source] : sources_) {
    const bool runs = source.reading && source.tail->awaits_end();
    if (runs || source.left_running) replicas.insert(source.replica);
  }
  return replicas;
}

void LogSources::let_go() {
  let_go_ = true;
  for (auto& [uid, source] : sources_) {
    if (source.reading) let_go(source);
  }
}

void LogSources::let_go(Source& source) {
  if (source.tail->awaits_end()) source.left_running = true;
  source.tail->let_go();
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

}  // namespace trainctl::job
