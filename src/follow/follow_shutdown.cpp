// The stages of an end, each with its limit of time.
#include "follow/follow_shutdown.h"

#include <algorithm>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "follow/verdict_words.h"
#include "kube/watch/watch.h"
#include "manifest/kind/replica.h"
#include "status/judgement.h"

namespace trainctl::job {
namespace {

using std::chrono::seconds;

constexpr Duration k_digest_wait = seconds(5);   // for the last lines of the failed replica
constexpr Duration k_last_reading = seconds(5);  // of stdout, when the job was deleted
// For all that follows a limit that the user has set, or a signal: runners kill soon after.
constexpr Duration k_rest = seconds(8);

}  // namespace

FollowShutdown::FollowShutdown(const ShutdownParts& parts, kube::RemovalTarget job, Cause cause)
    : parts_(parts), job_(std::move(job)), cause_(std::move(cause)) {}

void FollowShutdown::begin(Duration grace) {
  // Reports show what was judged, however far clean-up has come by the time they are written.
  const Phase phase = parts_.monitor.state().phase;
  if (phase == Phase::failed || (phase == Phase::succeeded && !cause_.verdict)) {
    judged_ = Judged{parts_.monitor.state(), parts_.monitor.job()};
  }
  flag_ = flag_of_deletion();
  const bool awaits_digest = parts_.post_mortem.is_awaited();
  Loop& loop = parts_.client.loop();
  if (!flag_.empty()) {
    limit_the_rest();
    // With the pods their logs would go.
    stage_ = Stage::digest;
    timer_ = loop.after(k_digest_wait, [this] {
      parts_.post_mortem.stop_waiting();
      advance();
    });
    return advance();
  }
  if (grace == Duration{}) {
    stage_ = Stage::done;
    return;
  }
  // The last lines have as long after the limit as anything else, whatever ended the job.
  if (const auto& deadline = parts_.options.deadline) {
    const Duration left = std::max(deadline->at + k_rest - loop.now(), Duration{});
    grace = std::min(left, grace);
    rest_ = loop.after(left, [this] { give_up_lines(); });
  }
  parts_.sources.read_unseen(parts_.monitor.pods());
  read_current();
  // After this time, waits for no new output, but still reads what exists over a slow or broken
  // connection.
  timer_ = loop.after(awaits_digest ? std::max(grace, k_digest_wait) : grace, [this] {
    parts_.post_mortem.stop_waiting();
    parts_.sources.let_go();
    advance();
  });
  advance();
}

void FollowShutdown::advance() {
  const bool awaits_digest = parts_.post_mortem.is_awaited();
  if (stage_ == Stage::digest && !awaits_digest) return delete_job();
  const bool all_read = parts_.sources.idle() && current_ == nullptr && kept_ == nullptr;
  if (stage_ == Stage::reading && !awaits_digest && all_read) stage_ = Stage::done;
  if (stage_ == Stage::unread && !awaits_digest) stage_ = Stage::done;
  if (stage_ == Stage::stopping && have_stopped()) stage_ = Stage::done;
}

// Job and pods are watched separately: the end of a short job may be known before its pods are, or
// while they still seem not to have started.
void FollowShutdown::read_current() {
  const bool may_lack = parts_.sources.lacks_runs() && parts_.monitor.knows_pods();
  if (!is_final(parts_.monitor.state().phase) || !may_lack) return read_kept();
  current_ =
      kube::start_current_list(parts_.monitor.pods_client(),
                               {kube::k_pods, job_.ns, {pod_selector(&parts_.kind, job_.name), ""}},
                               [this](std::vector<Json> pods) { take_current(std::move(pods)); });
}

void FollowShutdown::take_current(std::vector<Json> pods) {
  const HandlePtr done = std::move(current_);
  keep_owned(pods, PodOwner(parts_.kind, parts_.monitor.owner()));
  parts_.sources.read_current(pods);
  read_kept();
  advance();
}

// Replicas may have come and gone before their pods were watched.
void FollowShutdown::read_kept() {
  const LogOptions& logs = parts_.options.logs.options;
  if (!logs.outlives_pods() || !parts_.sources.lacks_pods()) return;
  net::Request request;
  request.target = logs.kept_pods;
  kept_ = parts_.client.fetch(std::move(request), [this](const auto& answer) {
    const HandlePtr done = std::move(kept_);
    const Json* pods = std::get_if<Json>(&answer);
    if (pods != nullptr && pods->is_array()) {
      parts_.sources.read_kept(std::vector<Json>(pods->begin(), pods->end()));
    }
    advance();
  });
}

void FollowShutdown::delete_job() {
  stage_ = Stage::deleting;
  timer_.reset();
  judged_ = Judged{parts_.monitor.state(), parts_.monitor.job()};
  net::Request request;
  auto path = kube::object_path(job_.resource, job_.ns, job_.name);
  if (!path) return on_deleted(std::move(path).error());
  request.target = *std::move(path);
  if (rest_) request.timeout = end_of_rest() - parts_.client.loop().now();
  current_ = parts_.client.fetch(std::move(request), [this](const auto& answer) {
    const HandlePtr done = std::move(current_);
    const Json* job = std::get_if<Json>(&answer);
    delete_unfinished(job == nullptr ? Json() : *job);
  });
}

// A watch may be late: a job that has ended by now is not deleted, and has a verdict of its own.
void FollowShutdown::delete_unfinished(const Json& job) {
  JobState state = job.is_object() ? judge(parts_.kind, job, {}, {}) : JobState();
  if (!is_final(state.phase) || text_at(job, "/metadata/uid") != job_.uid) {
    removal_ = kube::start_removal(parts_.client, job_,
                                   [this](const Status& removed) { on_deleted(removed); });
    return;
  }
  parts_.console.notice(
      cat("job ", job_.name, " has ended meanwhile, and is not deleted (", flag_, ")"));
  if (!parts_.sources.idle()) {
    parts_.console.warn(cat("the last lines of ", job_.name, " were not read: ", log_command()));
  }
  flag_ = "";
  cause_.verdict = state.phase == Phase::succeeded ? Status() : job_failed(job, state, nullptr);
  judged_ = Judged{std::move(state), job};
  stage_ = Stage::done;
}

void FollowShutdown::on_deleted(const Status& removed) {
  if (is_done()) return;
  leftover_ = removed ? Leftover(Deleted{}) : Leftover(NotDeleted{removed.error()});
  cause_.verdict = after_removal(cause_.verdict.error(), job_.name, flag_, removed);
  const std::string& words = cause_.verdict.error().message;
  // Without a reader the program ends as the shell's own tools do, and its error is not printed.
  if (cause_.verdict.error().code == Code::broken_pipe) {
    removed ? parts_.console.notice(words) : parts_.console.warn(words);
  }
  deleted_ = parts_.client.loop().now();
  if (removed) return read_until_stopped();
  stage_ = Stage::done;
}

void FollowShutdown::read_until_stopped() {
  stage_ = parts_.session.takes_lines() ? Stage::stopping : Stage::done;
  advance();
  if (is_done()) return;
  // A limit of the rest is shorter than any pod's time to stop.
  Loop& loop = parts_.client.loop();
  const Duration longest = rest_ ? std::chrono::ceil<seconds>(end_of_rest() - loop.now())
                                 : longest_stop(parts_.kind, judged_->job);
  parts_.console.notice(cat("job ", job_.name,
                            " was deleted; reading its logs until its pods stop, ",
                            format_age(longest), " at most (interrupt again to exit at once)"));
  // The rest of their logs is still read, over a slow connection as well.
  if (!rest_) timer_ = loop.after(longest, [this] { give_up_pods(Stage::reading); });
}

// Within their grace period, pods may still save a checkpoint.
void FollowShutdown::give_up_pods(Stage next) {
  const Duration grace = longest_grace(parts_.monitor.pods());
  const bool is_over = grace <= parts_.client.loop().now() - deleted_;
  parts_.console.warn(
      cat("pods of ", job_.name,
          is_over ? " have not stopped" : cat(" have up to ", format_age(grace), " to stop"),
          "; trainctl reads no more of their output"));
  stage_ = next;
  parts_.sources.let_go();
  advance();
}

// A replica being deleted starts no new run; one that never started has nothing to print.
bool FollowShutdown::have_stopped() const {
  const auto& replicas = parts_.monitor.state().replicas;
  return parts_.sources.idle() &&
         std::ranges::none_of(replicas, [this](const ReplicaState& replica) {
           const bool runs = replica.pod.stands() && replica.run.state == RunState::running;
           return runs && parts_.sources.wants(replica.id);
         });
}

void FollowShutdown::on_signal(Code code) {
  if (stage_ == Stage::digest) return delete_job();
  // Nothing is left that it could cut short: it ends the command's next wait.
  if (stage_ == Stage::done && parts_.session.drained()) return;
  const bool may_delete = stage_ == Stage::reading && !has_deleted();
  cause_.verdict = cut_short(code);
  cause_.since = parts_.client.loop().now();
  if (may_delete) {
    flag_ = flag_of_deletion();
    if (!flag_.empty()) {
      limit_the_rest();
      return delete_job();
    }
  }
  hurried_ = true;
  stage_ = Stage::done;
}

bool FollowShutdown::is_limited() const {
  if (cause_.verdict) return false;
  const Code code = cause_.verdict.error().code;
  return cause_.by == EndedBy::deadline || code == Code::timeout || ending_signal(code) != nullptr;
}

void FollowShutdown::limit_the_rest() {
  if (!is_limited()) return;
  Loop& loop = parts_.client.loop();
  rest_ = loop.after(end_of_rest() - loop.now(), [this] { out_of_time(); });
}

Time FollowShutdown::end_of_rest() const {
  return cause_.since + k_rest;
}

std::string FollowShutdown::log_command() const {
  return parts_.options.runnable(cat("trainctl logs ", job_.name));
}

// A node may not answer for ever; the verdict stands without its lines.
void FollowShutdown::give_up_lines() {
  if (is_done()) return;
  parts_.post_mortem.stop_waiting();
  parts_.console.warn(
      cat("the last lines of ", job_.name, " could not be read within --timeout: ", log_command()));
  stage_ = Stage::done;
}

void FollowShutdown::out_of_time() {
  if (is_done()) return;
  parts_.post_mortem.stop_waiting();
  if (stage_ == Stage::digest || stage_ == Stage::deleting) {
    removal_.reset();
    current_.reset();
    return on_deleted(parts_.client.unanswered(
        {Code::unreachable, cat("there was no answer within ", format_age(k_rest))}));
  }
  give_up_pods(Stage::done);
}

// A job of somebody else, or of an earlier pipeline, is not this command's to delete.
std::string_view FollowShutdown::flag_of_deletion() const {
  if (parts_.options.attached) return "";
  return deleting_flag(parts_.options.leave, cause_.verdict, cause_.by,
                       parts_.monitor.state().phase, parts_.options.logs.selection);
}

Leftover FollowShutdown::leftover() const {
  if (!std::holds_alternative<std::monostate>(leftover_)) return leftover_;
  const Status end = verdict();
  if (end || is_final(state().phase)) return {};
  const Code code = end.error().code;
  const bool is_gone = code == Code::removed && state().phase != Phase::suspended;
  const bool is_unknown = code == Code::usage || code == Code::not_found || is_gone;
  return is_unknown ? Leftover() : Leftover(Left{});
}

bool FollowShutdown::has_given_up() const {
  return std::holds_alternative<NotDeleted>(leftover_) ||
         (std::holds_alternative<std::monostate>(leftover_) &&
          is_given_up(verdict(), cause_.by, state().phase, parts_.options.logs.selection));
}

Error FollowShutdown::cut_short(Code code) const {
  if (has_deleted()) {
    return {code, cat("stopped before its last lines were read; job ", job_.name, " was deleted (",
                      flag_, ")")};
  }
  if (stage_ == Stage::deleting) {
    return {code, cat("stopped before it was known whether job ", job_.name, " was deleted"),
            cat("trainctl get ", job_.name)};
  }
  return {code, cat("stopped before the last lines of ", job_.name, " were read"),
          cat("read the rest: trainctl logs ", job_.name)};
}

// Lost lines turn a success into an error, unless the reader of stdout closed it after the verdict.
void FollowShutdown::on_output_lost(Error error) {
  const bool reads = stage_ == Stage::reading || stage_ == Stage::stopping;
  if (reads && !parts_.session.takes_lines()) stop_reading();
  if (error.code == Code::broken_pipe) return;
  if (!cause_.verdict) parts_.console.warn(error.message);
  output_lost_ = std::move(error);
}

void FollowShutdown::stop_reading() {
  const bool is_judged = stage_ == Stage::reading && !has_deleted();
  stage_ = is_judged ? Stage::unread : Stage::done;
  if (!is_judged || parts_.sources.idle()) return advance();
  parts_.post_mortem.fetch_end_of_cut(parts_.monitor.pods(),
                                      parts_.options.logs.options.insecure_backend);
  timer_ = parts_.client.loop().after(k_digest_wait, [this] {
    parts_.post_mortem.stop_waiting();
    advance();
  });
  advance();
}

bool FollowShutdown::leaves_reader() const {
  if (hurried_) return true;
  return !has_deleted() && is_limited();
}

void FollowShutdown::drain() {
  Loop& loop = parts_.client.loop();
  const auto& deadline = parts_.options.deadline;
  timer_.reset();
  if (has_deleted()) {
    timer_ = loop.after(k_last_reading, [this] {
      parts_.console.warn(
          cat("the reader of stdout has not taken the last ", parts_.session.left()));
      hurried_ = true;
    });
  } else if (deadline) {
    timer_ = loop.after(deadline->at - loop.now(), [this] {
      cause_.verdict = Error{Code::timeout, cat("the reader of stdout has not taken the last ",
                                                parts_.session.left())};
      hurried_ = true;
    });
  }
  parts_.session.drain([this] { return leaves_reader(); });
  timer_.reset();
}

Status FollowShutdown::verdict() const {
  if (cause_.verdict && output_lost_) return *output_lost_;
  return cause_.verdict;
}

JobState FollowShutdown::state() const {
  return judged_ ? judged_->state : parts_.monitor.state();
}

Json FollowShutdown::job() const {
  return judged_ ? judged_->job : parts_.monitor.job();
}

}  // namespace trainctl::job
