// `logs` without -f: each selected replica's log as it is now, and every one's to files.
#include "follow/print_logs.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/loop/wait_limit.h"
#include "base/text/text.h"
#include "follow/log_choice.h"
#include "follow/missing_logs.h"
#include "kube/object/metadata.h"
#include "logs/container_runs.h"
#include "logs/log_session.h"
#include "logs/log_sources.h"
#include "logs/retry_pace.h"
#include "status/exit_words.h"
#include "status/hints.h"
#include "status/init_containers.h"
#include "status/judgement.h"
#include "status/pod_state.h"

namespace trainctl::job {

namespace {

// "worker-1 of job ddp exited 1; its pod is gone, and its log with it", with what keeps logs.
Error log_is_gone(const Json& job, const ReplicaState& replica) {
  const std::string name = text_at(job, "/metadata/name");
  const std::string who = cat(replica.id.name(), " of job ", name);
  if (replica.never_started()) {
    return {Code::not_found,
            cat(who, " could not start, so it has no log: ", replica.run.start_failure->words()),
            cat("see why: trainctl why ", name)};
  }
  if (replica.last_exit.code) {
    return {Code::not_found,
            cat(who, ' ', exit_words(*replica.last_exit.code),
                "; its pod is gone, and its log with it"),
            "keep the logs of the next run: --follow, or --save-logs DIR"};
  }
  return {Code::not_found, cat(who, " has no pod and so no log"),
          cat("see why: trainctl why ", name)};
}

// There is no run before the present one, or no log of it. `restarts`: of its container.
Error no_run_before(const Json& job, const ReplicaState& replica, int restarts) {
  const std::string name = text_at(job, "/metadata/name");
  const std::string who = cat(replica.id.name(), " of job ", name);
  return {Code::not_found,
          restarts == 0
              ? cat(who, " was not restarted: it has no earlier run")
              : cat("the node no longer has the log of the run before the last restart of ", who),
          cat("its current log: trainctl logs ", name, "/", replica.id.name())};
}

// The last lines of the replica's last run from its termination message. They have no times of
// their own: the last of them was printed when the run ended, at the latest.
std::vector<std::string> last_words(const ReplicaState& replica, const LogOptions& asked) {
  const LastExit& exit = replica.last_exit;
  const bool too_old = asked.since && exit.finished && *exit.finished < *asked.since;
  if (asked.previous || too_old || replica.never_started() || exit.words.empty()) return {};
  std::vector<std::string> lines = split(exit.words, '\n');
  const auto most = asked.tail_lines.value_or(std::ssize(lines));
  lines.erase(lines.begin(), lines.begin() + std::max<std::ptrdiff_t>(0, std::ssize(lines) - most));
  return lines;
}

std::string no_lines(const LogOptions& asked) {
  if (asked.tail_lines && *asked.tail_lines == 0) return "no lines were asked for (--tail 0)";
  if (asked.since) return "no line was printed since " + format_time(*asked.since);
  return asked.previous ? "that run has printed nothing" : "nothing has been printed";
}

Error no_log(const Json& job, const ReplicaState& replica) {
  if (replica.run.state == RunState::missing) return log_is_gone(job, replica);
  const std::string name = text_at(job, "/metadata/name");
  const auto& failure = replica.run.start_failure;
  if (failure && !failed_init_container(failure->message).empty()) {
    return {Code::error,
            cat(replica.id.name(), " has not started: ", printable_line(failure->words())),
            hint_for(failure->reason, failure->message, replica.pod.expected_name)};
  }
  std::string why = replica.run.reason.empty() ? std::string(run_state_name(replica.run.state))
                                               : replica.run.reason;
  if (!replica.run.message.empty()) why += ": " + printable_line(replica.run.message);
  return {Code::error, cat(replica.id.name(), " has not started: ", why),
          cat("wait for it: trainctl logs -f ", name, "/", replica.id.name())};
}

bool has_started(const Json& status) {
  return find(status, "/state/running") != nullptr ||
         find(status, "/state/terminated") != nullptr ||
         find(status, "/lastState/terminated") != nullptr;
}

struct Readable {
  const Json& pod;
  const Json& status;  // of the container
  std::string container;

  int restarts() const { return static_cast<int>(int_at(status, "/restartCount").value_or(0)); }
};

// Its last run was ended together with its pod: the run before it is what the replica failed with.
bool was_cut_short(const Readable& log) {
  return kube::is_being_deleted(log.pod) && find(log.status, "/state/terminated") != nullptr &&
         find(log.status, "/lastState/terminated") != nullptr;
}

Result<Readable> find_log(const Kind& kind, const Json& job, std::span<const Json> pods,
                          const ReplicaState& replica, const std::string& asked) {
  const Json* pod = kube::find_uid(pods, replica.pod.uid);
  if (pod == nullptr) return no_log(job, replica);
  TRY_ASSIGN(LogContainer container, log_container(kind, *pod, replica.id.name(), asked));
  const Json* status = container_status(*pod, container.name);
  if (status == nullptr || !has_started(*status)) return no_log(job, replica);
  return Readable{*pod, *status, std::move(container.name)};
}

// Records the printed lines, and what came instead of lines.
class Printing : public LogSink, public OutputWatcher {
 public:
  // `replicas`: how many are shown.
  Printing(kube::Client& client, Console& console, const Kind& kind, const Json& job,
           const LogChoice& choice, std::size_t replicas)
      : client_(client),
        console_(console),
        job_(job),
        choice_(choice),
        session_(console, client.loop(), choice.places, *this),
        sources_(client, kind, text_at(job, "/metadata/namespace"), choice.selection.container,
                 choice.options, *this) {
    session_.set_format(choice.print_options(replicas));
    session_.watch_reader();
  }

  // `shown`: on stdout; else in files alone.
  void read(const ReplicaState& replica, const Readable& log, bool shown);
  // Prints what the cluster's events keep about a replica whose pod is gone.
  void show_what_events_keep(const ReplicaState& replica, const std::string& container,
                             const std::vector<std::string>& events);
  // Records that a replica has no log.
  void skip(Error why, bool shown) { skipped_.push_back({std::move(why), shown}); }
  // False: nobody takes the lines any more.
  bool has_reader() const { return has_reader_; }
  Status outcome() &&;

 private:
  enum class Shown { nothing, empty_log, lines };
  struct Skipped {
    Error why;
    bool shown;
  };

  void on_line(const LogOrigin& origin, const kube::LogLine& line) override;
  void on_notice(const std::string& notice) override { console_.notice(notice); }
  void on_gap(const std::string& gap) override { console_.warn(gap); }
  void on_done(const LogOrigin&, const Status& status) override {
    if (!status) read_ = status;
  }

  void on_output_lost(Error error) override { give_up(std::move(error)); }
  void on_unsaved(Error error) override { keep_first(std::move(error)); }
  void on_hold(bool hold) override { sources_.hold(hold); }

  void read_run(const ReplicaState& replica, const Readable& log, bool previous, bool shown);
  void end(const ReplicaState& replica, const LogOrigin& origin, int restarts);
  bool show_last_words(const ReplicaState& replica, const LogOrigin& origin);
  void print_last_words(const ReplicaState& replica, const LogOrigin& origin,
                        const std::vector<std::string>& words);
  void write_out();
  // A signal ends the wait, and all that would follow.
  void wait_until(const std::function<bool()>& done);
  // The first of several errors is the outcome; other logs are still read.
  void keep_first(Error error) {
    if (outcome_) outcome_ = std::move(error);
  }
  void give_up(Error error) {
    keep_first(std::move(error));
    has_reader_ = false;
  }

  kube::Client& client_;
  Console& console_;
  const Json& job_;
  const LogChoice& choice_;
  Status outcome_;
  std::vector<Skipped> skipped_;
  Shown most_shown_ = Shown::nothing;
  bool has_reader_ = true;
  bool any_line_ = false;  // of the replica
  Status read_;            // whether the run could be read
  WaitLimit limit_{client_.loop(), std::nullopt};
  LogSession session_;
  LogSources sources_;
};

void Printing::on_line(const LogOrigin& origin, const kube::LogLine& line) {
  any_line_ = true;
  if (origin.printed) most_shown_ = Shown::lines;
  session_.take(origin, line);
}

void Printing::read(const ReplicaState& replica, const Readable& log, bool shown) {
  any_line_ = false;
  sources_.want(replica.id, replica.rank, shown);
  if (!choice_.options.previous && was_cut_short(log)) {
    read_run(replica, log, true, shown);
    const auto code = int_at(log.status, "/lastState/terminated/exitCode");
    if (shown) console_.notice(cat(replica.id.name(), ' ', restart_words(code, log.restarts())));
  }
  if (has_reader_) read_run(replica, log, choice_.options.previous, shown);
}

void Printing::read_run(const ReplicaState& replica, const Readable& log, bool previous,
                        bool shown) {
  read_ = {};
  sources_.read_now(replica.id, log.pod, previous);
  wait_until([this] { return sources_.idle() || !has_reader_; });
  const int attempt = std::max(1, log.restarts() + (previous ? 0 : 1));
  const LogOrigin origin{replica.id, replica.rank, log.container, attempt, shown};
  if (sources_.idle()) end(replica, origin, log.restarts());
  write_out();
}

void Printing::end(const ReplicaState& replica, const LogOrigin& origin, int restarts) {
  if (origin.printed && !any_line_ && show_last_words(replica, origin)) return;
  if (!read_ && choice_.options.previous && has_no_run_before(read_.error())) {
    return skip(no_run_before(job_, replica, restarts), origin.printed);
  }
  if (read_ && origin.printed && !any_line_ && replica.never_started()) {
    return skip(log_is_gone(job_, replica), origin.printed);
  }
  if (origin.printed) most_shown_ = std::max(most_shown_, Shown::empty_log);
  if (!read_) keep_first(std::move(read_).error());
}

// The node may have lost the log; the pod's status keeps the end of it.
bool Printing::show_last_words(const ReplicaState& replica, const LogOrigin& origin) {
  const std::vector<std::string> words = last_words(replica, choice_.options);
  // A log may exist although none of its lines is young enough.
  if (choice_.options.since || words.empty()) return false;
  console_.notice(cat("there is no log of ", replica.id.name(),
                      " on its node; its last lines, from the pod's status:"));
  print_last_words(replica, origin, words);
  most_shown_ = Shown::lines;
  return true;
}

void Printing::print_last_words(const ReplicaState& replica, const LogOrigin& origin,
                                const std::vector<std::string>& words) {
  const Time finished = replica.last_exit.finished.value_or(Time{});
  const std::string stamp = format_time(finished);
  for (const std::string& line : words) session_.print(origin, {finished, stamp, line, true});
}

void Printing::show_what_events_keep(const ReplicaState& replica, const std::string& container,
                                     const std::vector<std::string>& events) {
  for (const std::string& line : events) console_.notice(line);
  const std::vector<std::string> words = last_words(replica, choice_.options);
  if (words.empty()) return;
  console_.notice(cat("the last lines of ", replica.id.name(), ", from the operator's event:"));
  const int attempt = replica.run.restarts.value_or(0) + 1;
  print_last_words(replica, {replica.id, replica.rank, container, attempt}, words);
  write_out();
}

void Printing::wait_until(const std::function<bool()>& done) {
  Status waited = limit_.run_until(done);
  if (!waited) give_up(std::move(waited).error());
}

void Printing::write_out() {
  session_.flush();
  wait_until([this] { return session_.drained(); });
}

// A replica without a log does not make the others' worthless; to have nothing at all to show does.
Status Printing::outcome() && {
  for (Skipped& skipped : skipped_) {
    if (skipped.shown && most_shown_ == Shown::nothing) {
      keep_first(std::move(skipped.why));
    } else {
      console_.warn(skipped.why.message);
    }
  }
  if (outcome_ && most_shown_ == Shown::empty_log) console_.notice(no_lines(choice_.options));
  return std::move(outcome_);
}

}  // namespace

Status print_logs(kube::Client& client, Console& console, const Kind& kind, const Json& job,
                  std::span<const Json> pods, std::span<const Json> events,
                  const LogChoice& choice) {
  const JobState state = judge(kind, job, pods, events);
  TRY_ASSIGN(const Selected selected, select_replicas(kind, job, state, choice.selection));
  if (!selected.notice.empty()) console.notice(selected.notice);

  Printing printing(client, console, kind, job, choice, selected.replicas.size());
  for (const ReplicaState& replica : state.replicas) {
    const bool shown = std::ranges::find(selected.replicas, replica.id) != selected.replicas.end();
    if (!shown && !choice.places.save && !choice.places.keeps_all) continue;
    const Result<Readable> log = find_log(kind, job, pods, replica, choice.selection.container);
    if (log) {
      printing.read(replica, *log, shown);
    } else {
      if (shown && replica.run.state == RunState::missing) {
        printing.show_what_events_keep(replica, std::string(kind.container),
                                       what_events_keep(kind, job, events, replica));
      }
      printing.skip(log.error(), shown);
    }
    if (!printing.has_reader()) break;
  }
  return std::move(printing).outcome();
}

}  // namespace trainctl::job
