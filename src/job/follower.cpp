// What a follower does at each change of the job, and when it stops.
#include "job/follower.h"

#include <csignal>

#include "base/text.h"
#include "job/pod_state.h"

namespace trainctl::job {

namespace {

using std::chrono::seconds;

constexpr Duration k_settle = seconds(2);        // for lines and statuses already on their way
constexpr Duration k_clean_up = seconds(45);     // for pods the operator stops: 30 s grace and some
constexpr Duration k_culprit_wait = seconds(1);  // for the pod that made the job fail
constexpr Duration k_digest_wait = seconds(5);   // for the last lines of the failed replica
constexpr int k_crash_loop = 3;                  // restarts without a backoffLimit that make a loop

bool is_stuck(const JobState& state) {
  return state.blocker.has_value() || state.phase == Phase::submitted;
}

}  // namespace

Follower::Follower(kube::Client& client, Console& console, const Kind& kind, std::string ns,
                   std::string name, const std::string& uid, FollowOptions options)
    : client_(client),
      console_(console),
      kind_(kind),
      ns_(std::move(ns)),
      name_(std::move(name)),
      options_(std::move(options)),
      started_(client.loop().now()),
      printer_(console, client.loop(), [this](Error error) { settle(std::move(error), {}); }),
      sources_(client, kind, ns_, options_.selection.container, options_.tail,
               {[this](const ReplicaId& replica, const kube::LogLine& line) {
                  last_lines_.add(replica, line.text);
                  printer_.print(replica, line);
                },
                [this](const std::string& notice) { console_.notice(notice); },
                [this](Error error) { console_.warn(error.message); },
                [this] {
                  if (verdict_) finish();
                }}),
      monitor_(client, kind, ns_, name_, uid,
               {[this] { on_change(); }, [this] { on_gone(); },
                [this](const std::string& notice) {
                  if (!notice.empty() && notice != trouble_) console_.notice(notice);
                  trouble_ = notice;
                },
                [this](Error error) { settle(std::move(error), {}); }}) {}

FollowResult Follower::run() {
  Loop& loop = client_.loop();
  interrupt_ = loop.on_signal(SIGINT, [this] {
    settle(Error{Code::interrupted, cat("stopped following; job ", name_, " goes on"),
                 cat("return to it: trainctl logs -f ", name_)},
           {});
  });
  terminate_ = loop.on_signal(SIGTERM, [this] {
    settle(Error{Code::terminated, cat("terminated; job ", name_, " goes on")}, {});
  });
  if (options_.timeout) {
    timeout_timer_ = loop.after(*options_.timeout, [this] {
      settle(Error{Code::timeout,
                   cat("job ", name_, " is still ", phase_name(monitor_.state().phase), " after ",
                       format_age(*options_.timeout)),
                   cat("see why: trainctl get ", name_)},
             {});
    });
  }
  heartbeat(k_first_heartbeat);
  loop.run_until([this] { return finished_; });
  printer_.flush();
  sum_up();
  return {*verdict_, monitor_.state(), monitor_.job()};
}

void Follower::on_change() {
  if (finished_) return;
  const JobState& state = monitor_.state();
  if (!std::exchange(looked_, true)) first_look();
  history_.record(state);
  sources_.update(monitor_.pods());
  if (verdict_) {
    if (sources_.idle()) finish();
    return;
  }
  announce();
  announce_restarts();
  watch_start();
  decide();
}

void Follower::first_look() {
  const Phase phase = monitor_.state().phase;
  suspended_before_ = phase == Phase::suspended || phase == Phase::queued;
  select();
}

void Follower::select() {
  Result<Selected> selected =
      select_replicas(kind_, monitor_.job(), monitor_.state(), options_.selection);
  if (!selected) {
    settle(std::move(selected).error(), {});
    return;
  }
  if (!selected->notice.empty()) console_.notice(selected->notice);
  printer_.options = {wants_prefix(options_.prefix, selected->replicas.size()),
                      options_.timestamps};
  for (const ReplicaId& replica : selected->replicas) sources_.want(replica);
  if (!options_.selection.replica.empty()) only_ = selected->replicas.front();
}

void Follower::on_gone() {
  if (verdict_) {
    if (sources_.idle()) finish();
    return;
  }
  if (options_.wait_for == WaitFor::deleted) {
    settle({}, {});
    return;
  }
  const bool never_seen = monitor_.job().is_null();
  settle(never_seen
             ? Error{Code::not_found, cat("job ", name_, " not found in namespace ", ns_)}
             : Error{Code::removed, cat("job ", name_, " was deleted while it was followed")},
         k_settle);
}

void Follower::watch_start() {
  const JobState& state = monitor_.state();
  if (!is_stuck(state)) {
    // Between two attempts to pull an image nothing seems wrong: only real progress counts.
    for (const ReplicaState& replica : state.replicas) {
      if (replica.id.name() != stuck_replica_) continue;
      if (replica.state != "Waiting" && replica.state != "Pending") start_timer_.reset();
    }
    if (stuck_replica_.empty()) start_timer_.reset();
    return;
  }
  if (start_timer_ != nullptr || !options_.start_timeout) return;
  stuck_replica_ = state.blocker ? state.blocker->replica : "";
  start_timer_ = client_.loop().after(*options_.start_timeout, [this] { on_start_timeout(); });
}

void Follower::on_start_timeout() {
  start_timer_.reset();
  const JobState& state = monitor_.state();
  if (verdict_ || !is_stuck(state)) return;
  std::string why = state.message;
  std::string hint = cat("trainctl get ", name_);
  if (state.blocker) {
    const Blocker& blocker = *state.blocker;
    if (!blocker.pod.empty()) {
      why = cat("pod ", blocker.pod, ": ", blocker.reason, ": ", printable_line(blocker.message));
    }
    if (!state.blocker->hint.empty()) hint = state.blocker->hint;
  } else {
    hint = "is the training operator running, and does it serve this namespace?";
  }
  settle(Error{Code::not_started, cat("job ", name_, " could not start: ", why), hint}, {});
}

// Job and pods come by two watches: a job's failure may be known before the pod's, which tells
// what exit status it is worth.
bool Follower::waits_for_culprit() {
  const JobState& state = monitor_.state();
  if (no_culprit_ || state.first_failed || state.reason == "DeadlineExceeded") return false;
  if (culprit_timer_ == nullptr) {
    culprit_timer_ = client_.loop().after(k_culprit_wait, [this] {
      no_culprit_ = true;
      if (!verdict_) decide();
    });
  }
  return true;
}

void Follower::decide() {
  const JobState& state = monitor_.state();
  const bool clean_up =
      text_at(monitor_.job(), cat(kind_.run_policy, "/cleanPodPolicy"), "None") != "None";
  const Duration grace = clean_up ? k_clean_up : k_settle;
  if (state.phase == Phase::succeeded) {
    Status verdict;
    if (options_.wait_for == WaitFor::failed) {
      verdict = Error{Code::error, cat("job ", name_, " succeeded")};
    }
    settle(std::move(verdict), grace);
  } else if (state.phase == Phase::failed) {
    if (options_.wait_for == WaitFor::failed) {
      settle({}, {});
      return;
    }
    if (waits_for_culprit()) return;
    read_failed_replica();
    settle(failure(), grace);
  } else if (state.phase == Phase::suspended && !suspended_before_) {
    settle(Error{Code::removed, cat("job ", name_, " was suspended while it was followed")},
           k_settle);
  } else if (options_.wait_for == WaitFor::running && state.phase == Phase::running) {
    settle({}, {});
  } else if (auto verdict = verdict_of_replica()) {
    settle(*std::move(verdict), k_settle);
  } else {
    const bool limited = int_at(monitor_.job(), cat(kind_.run_policy, "/backoffLimit")).has_value();
    for (const ReplicaState& replica : state.replicas) {
      if (limited || replica.reason != "CrashLoopBackOff" || replica.restarts < k_crash_loop)
        continue;
      settle(crash_loop(replica), k_settle);
      return;
    }
  }
}

std::optional<Status> Follower::verdict_of_replica() const {
  if (!only_ || options_.wait_for != WaitFor::verdict) return std::nullopt;
  for (const ReplicaState& replica : monitor_.state().replicas) {
    if (replica.id != *only_) continue;
    if (replica.state == "Succeeded") return Status{};
    if (replica.state == "Failed" && !replica.deleting) {
      return Error{Code::job_failed,
                   cat(replica.id.name(), " exited ", replica.exit_code.value_or(1))};
    }
  }
  return std::nullopt;
}

// The digest wants the failed replica's last lines; when its log is not among those printed, they
// are fetched while the pod may still be there.
void Follower::read_failed_replica() {
  const JobState& state = monitor_.state();
  if (!state.first_failed || verdict_) return;
  const ReplicaState& replica = state.replicas[*state.first_failed];
  if (replica.pod.empty() || sources_.wants(replica.id)) return;
  TailOptions options;
  options.follow = false;
  options.tail_lines = k_digest_lines;
  TailHandlers handlers;
  handlers.on_line = [this, id = replica.id](const kube::LogLine& line) {
    last_lines_.add(id, line.text);
  };
  handlers.on_notice = [](const std::string&) {};
  handlers.on_done = [this](Status) {
    reading_failed_ = false;
    if (verdict_ && sources_.idle()) finish();
  };
  std::string container(kind_.container);
  for (const Json& pod : monitor_.pods()) {
    if (text_at(pod, "/metadata/uid") == replica.uid) container = main_container(kind_, pod);
  }
  reading_failed_ = true;
  failed_tail_.emplace(client_, TailTarget{ns_, replica.pod, replica.uid, container, ""}, options,
                       std::move(handlers));
}

void Follower::settle(Status verdict, Duration grace) {
  if (verdict_) return;
  verdict_ = std::move(verdict);
  start_timer_.reset();
  timeout_timer_.reset();
  if (grace == Duration{}) {
    finished_ = true;
    return;
  }
  sources_.read_unseen(monitor_.pods());
  grace_timer_ = client_.loop().after(std::max(grace, reading_failed_ ? k_digest_wait : grace),
                                      [this] { finished_ = true; });
  if (sources_.idle()) finish();
}

void Follower::finish() {
  if (reading_failed_) return;
  finished_ = true;
}

FollowResult follow_job(kube::Client& client, Console& console, const Kind& kind,
                        const std::string& ns, const std::string& name, const std::string& uid,
                        const FollowOptions& options) {
  return Follower(client, console, kind, ns, name, uid, options).run();
}

}  // namespace trainctl::job
