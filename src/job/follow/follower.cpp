// What a follower does at each change of the job, and how it settles.
#include "job/follow/follower.h"

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "job/status/pod_state.h"

namespace trainctl::job {

namespace {

using std::chrono::seconds;

constexpr Duration k_digest_wait = seconds(5);  // for the last lines of the failed replica
constexpr Duration k_sidecar_ends = seconds(10);
constexpr Duration k_operator_reacts = seconds(5);
constexpr Duration k_one_look = seconds(60);  // as long as one request may take

}  // namespace

Follower::Follower(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
                   FollowOptions options)
    : client_(client),
      console_(console),
      kind_(kind),
      ns_(job.ns),
      name_(job.name),
      options_(std::move(options)),
      started_(client.loop().now()),
      kept_(client.loop(), k_sidecar_ends),
      dead_(client.loop(), k_operator_reacts),
      last_line_(started_),
      printer_(console, client.loop(), options_.spool_directory,
               {.on_failure = [this](Error error) { lose_output(std::move(error)); },
                .on_full = [this](const Error& error) { hold_back(error); },
                .on_room =
                    [this] {
                      if (!finished_) sources_.hold(false);
                    }}),
      files_(client.loop(), options_.save,
             [this](Error error) {
               console_.warn(cat(error.message, "; logs are not saved from here on"));
             }),
      sources_(client, kind, ns_, options_.selection.container, options_.tail,
               {.on_line = [this](const LogOrigin& origin,
                                  const kube::LogLine& line) { on_line(origin, line); },
                .on_progress = [this](const LogOrigin& origin,
                                      std::string_view state) { on_progress(origin, state); },
                .on_notice = [this](const std::string& notice) { console_.notice(notice); },
                .on_error = [this](const Error& error) { console_.warn(error.message); },
                .on_idle =
                    [this] {
                      if (verdict_) finish();
                    }}),
      monitor_(
          client, kind, std::move(job), options_.events,
          {.on_change = [this](const JobState& before) { on_change(before); },
           .on_pod_gone = [this](const Json& pod) { sources_.pod_gone(pod); },
           .on_pod_found_late = [this](const std::string& uid) { sources_.pod_found_late(uid); },
           .on_pods_resumed = [this] { sources_.pods_resumed(); },
           .on_gone = [this] { on_gone(); },
           .on_trouble =
               [this](const std::string& notice) {
                 if (!notice.empty() && notice != trouble_) console_.notice(notice);
                 trouble_ = notice;
               },
           .on_stop = [this](Error error) { settle(std::move(error), {}); }}) {}

FollowResult Follower::run() {
  Loop& loop = client_.loop();
  interrupt_ = loop.on_signal(SIGINT, [this] {
    stop(Error{Code::interrupted, cat("stopped following; job ", name_, " goes on"),
               cat("return to it: trainctl logs -f ", name_)});
  });
  terminate_ = loop.on_signal(SIGTERM, [this] {
    stop(Error{Code::terminated, cat("terminated; job ", name_, " goes on"),
               cat("return to it: trainctl logs -f ", name_)});
  });
  if (options_.timeout) {
    const Duration patience = asks_once() ? k_one_look : *options_.timeout - options_.waited;
    timeout_timer_ = loop.after(patience, [this] { time_out(); });
  }
  if (!options_.selection.none) printer_.watch_reader();
  heartbeat(k_first_heartbeat);
  status_line_.emplace(console_, loop, [this] { return status_text(); });
  loop.run_until([this] { return finished_; });
  status_line_.reset();
  // What comes from here on would be the reader's to wait for, too.
  sources_.hold(true);
  failed_tail_.reset();
  printer_.flush();
  files_.flush();
  drain();
  options_.on_lines_done();
  std::vector<std::string> last = last_lines();
  sum_up(last);
  if (output_lost_ && *verdict_) verdict_ = std::move(*output_lost_);
  return {{with_log_hint(*verdict_), started_, loop.now(), culprit_, std::move(last)},
          monitor_.state(),
          monitor_.job()};
}

// The reader of stdout gets what is left, unless the user does not want to wait for it.
void Follower::drain() {
  const auto left = [this] { return cat(printer_.waiting() / 1024 + 1, " KiB"); };
  const auto stopped = [this] {
    if (*verdict_) return false;
    const Code code = verdict_->error().code;
    return code == Code::interrupted || code == Code::terminated || code == Code::timeout;
  };
  if (printer_.drained() || stopped()) return;
  const HandlePtr notice = client_.loop().after(k_settle, [this, left] {
    console_.notice(cat("waiting for the reader of stdout to take the last ", left()));
  });
  if (options_.timeout) {
    const Duration rest = started_ + *options_.timeout - options_.waited - client_.loop().now();
    timeout_timer_ = client_.loop().after(rest, [this, left] {
      verdict_ = Error{Code::timeout, cat("the reader of stdout has not taken the last ", left())};
    });
  }
  client_.loop().run_until([this, stopped] { return printer_.drained() || stopped(); });
}

// Not at once: a line of the stream that is to be ended may be just being told.
void Follower::hold_back(const Error& why) {
  console_.warn(cat(why.message, "; reading waits for the reader of stdout"));
  hold_timer_ = client_.loop().after({}, [this] {
    if (!finished_) sources_.hold(!printer_.has_room());
  });
}

void Follower::on_line(const LogOrigin& origin, const kube::LogLine& line) {
  last_line_ = client_.loop().now();
  if (origin.printed) progress_.clear();
  last_lines_.add(origin.replica, line.text);
  if (options_.save) files_.add(origin, line);
  if (origin.printed) printer_.print(origin, line);
}

// A sign of life, like a line.
void Follower::on_progress(const LogOrigin& origin, std::string_view state) {
  last_line_ = client_.loop().now();
  if (!origin.printed) return;
  progress_ = origin.replica.name() + ": " + printable_line(state);
  if (status_line_) status_line_->update();
}

void Follower::on_change(const JobState& before) {
  const JobState& state = monitor_.state();
  // Pods may go while a slow reader takes the last lines: the summary is still to come.
  history_.record(before, state);
  if (finished_) return;
  if (!std::exchange(looked_, true)) first_look();
  status_line_->update();
  // Logs are opened by what is known already; a verdict, and why the job waits, come of its latest
  // state and its events.
  if (!monitor_.up_to_date()) {
    if (!state.blocker) announce();
    sources_.update(monitor_.pods());
    return;
  }
  sources_.update(monitor_.pods());
  if (verdict_) {
    if (sources_.idle()) finish();
    return;
  }
  // Whoever suspends it from here on does so while we follow.
  if (state.phase == Phase::running || state.phase == Phase::restarting) suspended_before_ = false;
  announce();
  announce_restarts();
  watch_sidecar();
  if (options_.events) announce_events();
  if (options_.wait_for != WaitFor::deleted) {
    watch_start();
    decide();
  }
  if (asks_once() && !verdict_ && culprit_timer_ == nullptr) time_out();
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
  printer_.options = {wants_prefix(options_.prefix, selected->replicas.size()), options_.timestamps,
                      options_.format};
  const auto want = [this](const ReplicaId& replica, bool printed) {
    sources_.want(replica, rank_of(kind_, monitor_.job(), replica), printed);
  };
  for (const ReplicaId& replica : selected->replicas) want(replica, true);
  if (options_.save) {
    for (const ReplicaId& replica : expected_replicas(kind_, monitor_.job())) want(replica, false);
  }
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

// The digest wants the culprit's last lines; when its log is not among those printed, they are
// fetched while the pod may still be there.
void Follower::blame(const ReplicaState& replica) {
  culprit_ = replica;
  // The pod's status has the last words without another request, and cannot be cleaned up first.
  const bool is_known = replica.never_started() || !replica.last_words.empty();
  if (is_known || replica.pod.empty() || sources_.wants(replica.id)) return;
  LogOptions asked;
  asked.follow = false;
  asked.insecure_backend = options_.tail.insecure_backend;
  asked.tail_lines = k_digest_lines;
  TailHandlers handlers;
  handlers.on_line = [this, id = replica.id](const kube::LogLine& line) {
    last_lines_.add(id, line.text);
  };
  handlers.on_notice = [](const std::string&) {};
  handlers.on_done = [this](const Status&) {
    reading_failed_ = false;
    if (verdict_ && sources_.idle()) finish();
  };
  std::string container(kind_.container);
  for (const Json& pod : monitor_.pods()) {
    if (text_at(pod, "/metadata/uid") == replica.uid) container = main_container(kind_, pod);
  }
  reading_failed_ = true;
  TailTask task{{ns_, replica.pod, replica.uid, container, ""}, asked};
  failed_tail_.emplace(client_, std::move(task), std::move(handlers));
}

void Follower::settle(Status verdict, Duration grace) {
  if (verdict_) return;
  verdict_ = std::move(verdict);
  start_timer_.reset();
  timeout_timer_.reset();
  dead_.forget();
  if (grace == Duration{}) {
    finished_ = true;
    return;
  }
  sources_.read_unseen(monitor_.pods());
  grace_timer_ = client_.loop().after(std::max(grace, reading_failed_ ? k_digest_wait : grace),
                                      [this] { read_the_rest(); });
  if (sources_.idle()) finish();
}

// What a slow or broken connection has not brought yet is not given up: only what is still to be
// written is.
void Follower::read_the_rest() {
  reading_failed_ = false;
  sources_.let_go();
  if (sources_.idle()) finish();
}

void Follower::stop(Error error) {
  if (verdict_) {
    error.message = cat("stopped before the last lines of ", name_, " were read");
    error.hint = cat("read them: trainctl logs ", name_);
  }
  verdict_ = std::move(error);
  finished_ = true;
}

void Follower::finish() {
  if (reading_failed_) return;
  finished_ = true;
}

FollowResult follow_job(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
                        const FollowOptions& options) {
  return Follower(client, console, kind, std::move(job), options).run();
}

}  // namespace trainctl::job
