// Handles each change of the job, and the end of following.
#include "follow/follower.h"

#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "follow/failure_cause.h"
#include "follow/log_choice.h"
#include "follow/missing_logs.h"
#include "follow/verdict_words.h"
#include "kube/object/metadata.h"
#include "logs/log_metrics.h"
#include "manifest/array.h"
#include "status/reported.h"

namespace trainctl::job {
namespace {

bool is_stuck(const JobState& state) {
  return state.blocker.has_value() || state.phase == Phase::submitted;
}

bool has_moved_on(const JobState& state, const std::string& replica) {
  if (replica.empty()) return true;  // its pods could be created
  return std::ranges::any_of(state.replicas, [&](const ReplicaState& one) {
    return one.id.name() == replica &&
           (one.run.runs_or_succeeded() || (one.last_exit.code && !one.never_started()));
  });
}

}  // namespace

StartTimeout::StartTimeout(Loop& loop, std::optional<Duration> timeout,
                           std::function<void(const Blocker*)> on_expired)
    : loop_(loop), timeout_(timeout), on_expired_(std::move(on_expired)) {}

void StartTimeout::see(const JobState& state) {
  if (is_stuck(state)) {
    blocker_ = state.blocker;
  } else if (!blocker_ || has_moved_on(state, blocker_->replica)) {
    // Between two attempts to pull an image nothing seems wrong: only real progress counts.
    timer_.reset();
    blocker_.reset();
    return;
  }
  if (timer_ != nullptr || !timeout_) return;
  timer_ = loop_.after(*timeout_, [this] { expire(); });
}

void StartTimeout::expire() {
  const HandlePtr expired = std::move(timer_);
  on_expired_(blocker_ ? &*blocker_ : nullptr);
}

bool may_have_worker(const Kind& kind, const Json& job) {
  return job.is_object() && !true_at(job, kind.controller.suspend) && !has_ended(kind, job);
}

namespace {
using std::chrono::seconds;

constexpr Duration k_culprit_wait = seconds(1);         // for the pod that made the job fail
constexpr Duration k_verdict_after_lines = seconds(2);  // of a job that printed its last lines
constexpr Duration k_one_look = seconds(60);            // as long as one request may take
constexpr Duration k_probe = seconds(60);
constexpr Duration k_last_probe = seconds(9);  // while the verdict waits
constexpr Duration k_late_probe = seconds(4);
constexpr std::size_t k_most_compared = 16;  // replicas whose logs are asked for a lag

}  // namespace

Follower::Follower(kube::Client& client, Console& console, const Kind& kind, KnownJob job,
                   FollowOptions options, bool is_shown_elsewhere)
    : client_(client),
      console_(console),
      kind_(kind),
      job_{kind.resource, job.ns, job.name, job.uid},
      options_(std::move(options)),
      policy_(kind, options_.goal, steps_of_run()),
      reporter_(console, client.loop(), job_.name,
                {!options_.logs.selection.none, options_.what_hinders,
                 [this] { return stall_advice(); }, options_.runnable, is_shown_elsewhere,
                 options_.logs.metrics, member_values(job.object)}),
      patience_{Debounce(client.loop()),
                StartTimeout(client.loop(), options_.start_timeout,
                             [this](const Blocker* blocker) {
                               end_now(start_timed_out(job_.name, monitor_.state(), blocker));
                             }),
                StallWatch(client.loop(), options_.stall.after, [this] { on_stall(); })},
      post_mortem_(client, kind, job_.ns, steps_of_run(), [this] { look_at_shutdown(); }),
      session_(console, client.loop(), options_.logs.places, *this),
      sources_(client, kind, job_.ns, options_.logs.selection.container, options_.logs.options,
               *this),
      asked_{GpuWatch(
                 client, kind, [this] { return leader_pod(); },
                 [this](std::string words) { reporter_.show_gpus(std::move(words)); }),
             LagWatch(
                 client, kind, job_.ns, [this] { return replicas_to_compare(); },
                 [this](const auto& lag) { reporter_.show_lag(lag); })},
      monitor_(client, kind, std::move(job), options_.events, *this) {}

void Follower::start() {
  start_timers();
  if (!options_.logs.selection.none) session_.watch_reader();
  reporter_.start();
  if (!console_.shows_status() || options_.logs.selection.none) return;
  asked_.gpus.start(monitor_.job());
  asked_.lag.start();
}

bool Follower::lacks_worker() const {
  return options_.find_worker && !shutdown_ && !monitor_.is_at_worker() &&
         may_have_worker(kind_, monitor_.job());
}

void Follower::take_worker(const std::optional<WorkerPods>& found) {
  if (!found || shutdown_) return;
  if (found->client == nullptr) {
    options_.find_worker = {};
    reporter_.expect_no_lines();
    return;
  }
  sources_.read_from(*found->client);
  post_mortem_.read_from(*found->client);
  asked_.gpus.ask_in(*found->client);
  asked_.lag.read_from(*found->client);
  monitor_.find_pods_at(*found, options_.events);
}

// The running pod of the first replica.
const Json* Follower::leader_pod() const {
  const std::vector<ReplicaState>& replicas = monitor_.state().replicas;
  if (replicas.empty() || replicas.front().run.state != RunState::running) return nullptr;
  return kube::find_uid(monitor_.pods(), replicas.front().pod.uid);
}

// None where the lines of all are read anyway.
std::vector<const ReplicaState*> Follower::replicas_to_compare() const {
  std::vector<const ReplicaState*> running;
  bool are_all_read = true;
  for (const ReplicaState& replica : monitor_.state().replicas) {
    if (replica.run.state != RunState::running || running.size() == k_most_compared) continue;
    running.push_back(&replica);
    are_all_read = are_all_read && sources_.wants(replica.id);
  }
  if (are_all_read) running.clear();
  return running;
}

FollowResult Follower::finish() {
  asked_.gpus.stop();
  asked_.lag.stop();
  reporter_.remove_status_line();
  const std::string unfinished = unfinished_logs(sources_.unfinished(), shutdown_->has_deleted());
  if (options_.logs.places.save && !unfinished.empty()) console_.warn(unfinished);
  // Anything read from here on would also have to be written before the command ends.
  sources_.hold(true);
  post_mortem_.stop_fetching();
  keep_last_lines();
  session_.flush();
  shutdown_->drain();
  options_.on_lines_done();
  reporter_.take_skipped_lines();
  reporter_.report_training();
  sum_up();
  LastOfLog log = post_mortem_.last_of_log();
  if (log.of_earlier_run) log.lines.clear();
  MetricRecord read = metrics(log);
  return {{final_verdict(), options_.since.value_or(reporter_.started()), now(),
           post_mortem_.culprit(), std::move(log.lines), std::move(read), shutdown_->leftover(),
           options_.attached, leaves_lines()},
          post_mortem_.with_failures(shutdown_->state()),
          shutdown_->job(),
          monitor_.events(),
          std::move(pending_.inside),
          shutdown_->has_given_up()};
}

bool Follower::leaves_lines() const {
  return is_final(shutdown_->state().phase) && !sources_.idle();
}

// A command that reads no logs has at least what the culprit printed last. A replica may print less
// than the others at the end of a job that succeeds.
MetricRecord Follower::metrics(const LastOfLog& log) const {
  if (options_.logs.selection.none) return metrics_of_text(join(log.lines, "\n"), {}).record();
  MetricRecord record = record_of(reporter_.metrics(), reporter_.spans_nodes());
  if (monitor_.state().phase != Phase::succeeded) record.lag = reporter_.lag();
  return record;
}

void Follower::start_timers() {
  Loop& loop = client_.loop();
  pending_.signals =
      loop.ending_signals().watch([this](const EndingSignal& signal) { on_signal(signal); });
  if (!options_.deadline) return;
  const Duration patience = takes_one_look() ? k_one_look : options_.deadline->at - loop.now();
  pending_.deadline = loop.after(patience, [this] { on_deadline(); });
}

void Follower::on_change(const JobState& before) {
  const JobState& state = monitor_.state();
  // Pods may go while a slow reader takes the last lines: the summary is still to come.
  post_mortem_.record(before, state);
  if (is_done()) return;
  if (!reporter_.has_seen()) policy_.first_look(state);
  reporter_.see(state);
  if (selects_now(before)) select_logs();
  sources_.update(monitor_.pods());
  if (shutdown_) return shutdown_->advance();
  // Logs are opened by what is known already; a verdict, and why the job waits, come of its latest
  // state and its events.
  if (!monitor_.up_to_date()) {
    if (!state.blocker) reporter_.report_phase();
    return;
  }
  report();
  patience_.silence.set_running(may_print());
  judge();
  if (takes_one_look() && pending_.culprit == nullptr) on_deadline();
}

bool Follower::may_print() const {
  const JobState& state = monitor_.state();
  return state.phase == Phase::running &&
         std::ranges::any_of(state.replicas, [this](const ReplicaState& replica) {
           return replica.run.state == RunState::running && sources_.wants(replica.id);
         });
}

std::string Follower::silence(Duration silent) const {
  const std::vector<ReplicaState>& replicas = monitor_.state().replicas;
  std::vector<std::string> followed;
  for (const ReplicaState& replica : replicas) {
    if (sources_.wants(replica.id)) followed.push_back(replica.id.name());
  }
  return silence_words(followed, replicas.size(), silent);
}

std::string Follower::stall_advice() const {
  const std::optional<Duration> silent = patience_.silence.stalled();
  return silent ? cat(silence(*silent), ": ", options_.stall.advice) : "";
}

// Some jobs have known replicas only after the controller has read the job, or after the pods
// appear.
bool Follower::selects_now(const JobState& before) const {
  if (!has_known_roles(kind_, monitor_.job())) return false;
  if (sources_.wants_none()) return true;
  const bool may_grow = std::ranges::any_of(
      kind_.roles, [this](const Role& r) { return !has_known_count(kind_, monitor_.job(), r); });
  return may_grow && before.replicas.size() != monitor_.state().replicas.size();
}

void Follower::select_logs() {
  const LogSelection& selection = options_.logs.selection;
  Result<Selected> selected = select_replicas(kind_, monitor_.job(), monitor_.state(), selection);
  if (!selected) return end_now(std::move(selected).error());
  if (!selected->notice.empty()) console_.notice(selected->notice);
  session_.set_format(options_.logs.print_options(selected->replicas.size()));
  const auto want = [this](const ReplicaId& replica, bool printed) {
    sources_.want(replica, rank_of(kind_, monitor_.job(), replica), printed);
  };
  for (const ReplicaId& replica : selected->replicas) want(replica, true);
  if (options_.logs.places.save) {
    for (const ReplicaState& replica : monitor_.state().replicas) want(replica.id, false);
  }
  if (!selection.replica.empty()) policy_.end_with(selected->replicas.front());
}

void Follower::report() {
  reporter_.report_phase();
  reporter_.report_restarts([this](const ReplicaId& id) { return sources_.wants(id); });
  reporter_.watch_sidecar();
  if (options_.events && monitor_.events_listed()) reporter_.report_events(monitor_.events());
}

void Follower::judge() {
  std::optional<JobState> succeeded;
  if (monitor_.state().phase == Phase::succeeded) {
    succeeded = post_mortem_.with_failures(monitor_.state());
  }
  const JobState& state = succeeded ? *succeeded : monitor_.state();
  if (options_.goal.wait_for != WaitFor::deleted) patience_.start.see(state);
  if (monitor_.events_listed()) policy_.take_events();
  Decision decision = policy_.decide(monitor_.job(), state);
  if (auto* ends = std::get_if<Ends>(&decision)) return end(std::move(*ends));
  if (std::holds_alternative<AwaitsCulprit>(decision)) return await_culprit();
  if (pending_.output_lost && pending_.last_news == nullptr) {
    return end_unread(*std::exchange(pending_.output_lost, std::nullopt));
  }
  auto* const gives_up = std::get_if<GivesUp>(&decision);
  if (gives_up == nullptr) return patience_.hopeless.see("", {}, {});
  patience_.hopeless.see(gives_up->subject, gives_up->patience, [this] { give_up_hopeless(); });
}

// Lines that were under way may have shown that its last run came further.
void Follower::give_up_hopeless() {
  Decision decision = policy_.decide(monitor_.job(), monitor_.state());
  if (auto* const gives_up = std::get_if<GivesUp>(&decision)) end(std::move(gives_up->end));
}

void Follower::await_culprit() {
  if (pending_.culprit != nullptr) return;
  pending_.culprit = client_.loop().after(k_culprit_wait, [this] {
    policy_.give_up_culprit();
    if (!shutdown_) judge();
  });
}

void Follower::on_gone() {
  if (shutdown_) return shutdown_->advance();
  end(policy_.end_gone(monitor_.job(), job_.ns, job_.name));
}

void Follower::on_outage(const std::string& notice) {
  patience_.silence.set_reachable(notice.empty());
  reporter_.on_trouble(notice);
}

// In one cluster the watch on the job reports the same outage.
void Follower::on_pods_outage(const std::string& notice) {
  if (monitor_.is_at_worker()) on_outage(notice);
}

void Follower::on_pods_stop(Error error) {
  if (!monitor_.has_had_worker()) return end_now(std::move(error));
  on_outage("");
  reporter_.expect_no_lines();
  console_.warn(
      cat("only the verdict of ", job_.name, " is followed from here on: ", error.message));
}

void Follower::on_line(const LogOrigin& origin, const kube::LogLine& line) {
  patience_.silence.on_output();
  reporter_.on_line(origin, line);
  post_mortem_.add_line(origin, line.text);
  session_.take(origin, line);
}

void Follower::on_progress(const LogOrigin& origin, std::string_view states) {
  patience_.silence.on_output();
  reporter_.on_progress(origin, states);
}

void Follower::on_done(const LogOrigin&, const Status& status) {
  if (!status) console_.warn(status.error().message);
}

void Follower::on_unsaved(Error error) {
  console_.warn(cat(error.message, "; logs are not saved from here on"));
}

void Follower::on_hold(bool hold) {
  if (is_done()) return;
  patience_.silence.set_reading(!hold);
  sources_.hold(hold);
}

// When the job has ended, its own verdict counts, whether its lines or the server's answer came
// first. A reader that has gone away wants neither.
void Follower::on_output_lost(Error error) {
  if (shutdown_) return shutdown_->on_output_lost(std::move(error));
  const bool is_left = error.code == Code::broken_pipe;
  if (is_left && monitor_.up_to_date() && pending_.culprit == nullptr) {
    return end_unread(std::move(error));
  }
  pending_.output_lost = std::move(error);
  if (is_left) return;
  pending_.last_news = client_.loop().after(k_verdict_after_lines, [this] {
    const HandlePtr over = std::move(pending_.last_news);
    if (!shutdown_ && monitor_.up_to_date()) judge();
  });
}

void Follower::on_deadline() {
  const JobState& state = monitor_.state();
  const Deadline& deadline = *options_.deadline;
  const auto lost = reporter_.lost_contact();
  give_up(lost ? timed_out_unseen(job_.name, state, deadline, *lost)
               : timed_out(job_.name, state, deadline, options_.what_hinders()));
}

void Follower::on_stall() {
  if (pending_.given_up) return;
  const std::string words = silence(patience_.silence.stalled().value_or(*options_.stall.after));
  if (options_.leave.on_stall == OnStall::remove) return remove_unless_it_works(words);
  const bool looks = options_.leave.on_stall == OnStall::look && options_.stall.look;
  const std::string advice = cat("; ", options_.stall.advice, " shows what the job waits for");
  console_.warn(cat(job_.name, ": ", words, looks ? "" : advice));
  reporter_.redraw();
  if (looks) probe_processes();
}

void Follower::probe_processes() {
  const auto show = [this](const Result<ProbeReport>& probe) {
    const HandlePtr done = std::move(pending_.look);
    if (!probe) return console_.warn(cat(job_.name, ": ", probe.error().message));
    console_.err(probe->screen);
    pending_.inside = probe->report;
  };
  pending_.look = options_.stall.look(monitor_.job(), monitor_.pods(), k_probe, show);
}

// A node passes on whole lines, so that a job may draw a slow progress bar and be silent.
void Follower::remove_unless_it_works(const std::string& words) {
  const auto conclude = [this, words](const Result<ProbeReport>& probe) {
    const HandlePtr done = std::move(pending_.look);
    if (!patience_.silence.stalled()) return patience_.silence.go_on();  // it has printed meanwhile
    if (probe && !probe->work.empty()) {
      console_.warn(cat(job_.name, ": ", words, ", but ", probe->work, ": not deleted; ",
                        options_.stall.advice, " shows more"));
      return patience_.silence.go_on();
    }
    if (probe) {
      pending_.inside = probe->report;
    } else {
      console_.warn(cat(job_.name, ": ", probe.error().message));
    }
    end({stalled(job_.name, words), {}, {}, EndedBy::silence});
  };
  if (!options_.stall.look) return end({stalled(job_.name, words), {}, {}, EndedBy::silence});
  pending_.look = options_.stall.look(monitor_.job(), monitor_.pods(), k_last_probe, conclude);
}

// No exec, no shell in the image: the report does without, and the verdict stays the same.
void Follower::give_up(Error why) {
  Ends end{std::move(why), {}, {}, EndedBy::deadline};
  const bool runs = monitor_.state().phase == Phase::running;
  const bool looks =
      runs && options_.stall.looks_at_end && options_.stall.look && !takes_one_look();
  if (!looks || pending_.given_up || shutdown_) return this->end(std::move(end));
  pending_.given_up = GivenUp{std::move(end), client_.loop().now()};
  const auto conclude = [this](const Result<ProbeReport>& probe) {
    const HandlePtr done = std::move(pending_.look);
    if (probe) pending_.inside = probe->report;
    this->end(Ends(pending_.given_up->end));
  };
  // Little time is left, and a deletion is to have its share.
  pending_.look = options_.stall.look(monitor_.job(), monitor_.pods(), k_late_probe, conclude);
}

void Follower::on_signal(const EndingSignal& signal) {
  if (shutdown_) return shutdown_->on_signal(signal.code);
  end_now(stopped_following(job_.name, signal));
}

void Follower::end_unread(Error output_lost) {
  if (output_lost.hint.empty()) {
    output_lost.hint = cat("the job continues; follow it again: trainctl logs -f ", job_.name);
  }
  end({std::move(output_lost), {}, {}, EndedBy::lost_output});
}

void Follower::end_now(Status verdict) {
  end({std::move(verdict), {}});
}

void Follower::end(Ends end) {
  if (shutdown_) return;
  Time since = client_.loop().now();
  if (pending_.given_up) {
    since = pending_.given_up->since;
    end = std::exchange(pending_.given_up, std::nullopt)->end;
  }
  shutdown_.emplace(
      ShutdownParts{client_, console_, kind_, options_, sources_, post_mortem_, session_, monitor_},
      job_, FollowShutdown::Cause{std::move(end.verdict), end.by, since});
  reporter_.on_verdict();
  patience_.start.stop();
  patience_.silence.stop();
  pending_.look.reset();
  pending_.deadline.reset();
  patience_.hopeless.forget();
  if (end.culprit) {
    post_mortem_.blame(*end.culprit);
    // A log that is read anyway brings its last lines without a request.
    if (!sources_.wants(end.culprit->id) || options_.logs.options.may_omit(k_digest_lines)) {
      post_mortem_.fetch_last_lines(monitor_.pods(), options_.logs.options.insecure_backend);
    }
  }
  shutdown_->begin(end.grace);
  if (pending_.output_lost) shutdown_->on_output_lost(*std::move(pending_.output_lost));
}

void Follower::look_at_shutdown() {
  if (shutdown_) shutdown_->advance();
}

// The digest shows lines of a log that nobody followed, and with the pod they are gone.
void Follower::keep_last_lines() {
  const auto& culprit = post_mortem_.culprit();
  if (!culprit || sources_.wants(culprit->id)) return;
  const LastOfLog log = post_mortem_.last_of_log();
  if (log.of_earlier_run) return;
  LogOrigin origin{culprit->id, rank_of(kind_, monitor_.job(), culprit->id),
                   std::string(kind_.container)};
  if (culprit->last_exit.run) origin.attempt = culprit->last_exit.run->restarts + 1;
  const std::optional<Time> ended = culprit->last_exit.finished;
  const std::string stamp = ended ? format_time(*ended) : "";
  for (const std::string& line : log.lines) session_.keep(origin, {ended, stamp, line});
}

void Follower::sum_up() {
  const JobState state = shutdown_->has_deleted() ? shutdown_->state() : monitor_.state();
  if (is_final(state.phase) && monitor_.knows_pods()) {
    for (const std::string& line :
         gone_logs(kind_, monitor_.job(), monitor_.events(), state.replicas, sources_.without_pod(),
                   post_mortem_.culprit())) {
      console_.notice(line);
    }
  }
  const std::vector<std::string> digest =
      shutdown_->verdict() ? std::vector<std::string>() : post_mortem_.digest(shows_culprit());
  for (const std::string& line : digest) console_.notice(line);
  if (!is_final(state.phase)) return;
  for (const std::string& sentence : post_mortem_.summary(monitor_.job(), state, !digest.empty())) {
    console_.notice(sentence);
  }
}

// On one screen, and behind no other replica's lines.
bool Follower::shows_culprit() const {
  const auto& culprit = post_mortem_.culprit();
  const LogChoice& logs = options_.logs;
  return culprit && (console_.out_is_err || console_.shows_status()) && logs.job.empty() &&
         !logs.lines.hides_lines() && sources_.prints_only(culprit->id) &&
         !logs.options.may_omit(k_digest_lines);
}

Status Follower::final_verdict() const {
  Status verdict = shutdown_->verdict();
  if (verdict || shutdown_->has_deleted() || !post_mortem_.culprit()) return verdict;
  LogSaved saved = LogSaved::nowhere;
  const bool is_kept =
      options_.logs.places.kept.append && sources_.wants(post_mortem_.culprit()->id);
  if (is_kept) saved = LogSaved::by_history;
  if (options_.logs.places.save) {
    saved = post_mortem_.has_read_log() ? LogSaved::saved : LogSaved::missed;
  }
  if (options_.logs.options.outlives_pods()) saved = LogSaved::by_cluster;
  Error failure = with_log_hint(std::move(verdict).error(), job_.name, monitor_.state(),
                                *post_mortem_.culprit(), saved);
  if (!cuda_oom_line(post_mortem_.last_of_log().lines).empty()) {
    failure.hint = cat(k_cuda_oom_remedy, "\n", failure.hint);
  }
  return failure;
}

}  // namespace trainctl::job
