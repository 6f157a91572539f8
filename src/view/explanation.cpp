// One function for each group of phases; they share the words that verdicts and `describe` use.
#include "view/explanation.h"

#include <algorithm>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "follow/failure_cause.h"
#include "follow/post_mortem.h"
#include "follow/verdict_words.h"
#include "logs/significant_lines.h"
#include "metrics/metric_words.h"
#include "status/blockers.h"
#include "status/exit_words.h"
#include "status/pod_state.h"
#include "view/job_table.h"
#include "view/viewer.h"

namespace trainctl::view {
namespace {

constexpr std::size_t k_most_details = 3;

std::string first_remedy(const job::JobState& state) {
  const std::vector<std::string> all = remedies(state);
  return all.empty() ? "" : all.front();
}

std::string words_of(const job::JobState& state) {
  return printable_line(state.message.empty() ? state.reason : state.message);
}

// "; master-0: restarted 2 times, and exited 1 before"; "" where no replica was.
std::string restarts_words(const std::vector<job::ReplicaState>& all) {
  const auto again = std::ranges::find_if(
      all, [](const job::ReplicaState& one) { return one.restarts_of_program() > 0; });
  if (again == all.end()) return "";
  return cat(
      "; ", again->id.name(), ": restarted ", plural(again->restarts_of_program(), "time"),
      again->last_exit.code ? cat(", and ", job::exit_words(again->last_exit), " before") : "");
}

// Between two attempts, also before the kubelet says that it backs off.
bool waits_after_failure(const job::ReplicaState& replica) {
  return replica.pod.stands() && replica.run.state == job::RunState::waiting &&
         replica.last_exit.is_failure() && !replica.never_started();
}

// The job's status may say Running while its pods are started again, as after a reboot of the node.
std::string running_words(const job::JobState& state) {
  const auto& all = state.replicas;
  const auto in = [&all](job::RunState wanted) {
    return std::ranges::count(all, wanted,
                              [](const job::ReplicaState& one) { return one.run.state; });
  };
  const auto succeeded = in(job::RunState::succeeded);
  if (succeeded == std::ssize(all))
    return "all replicas have succeeded; the operator has not said so";
  const std::string count =
      cat(in(job::RunState::running), " of ", plural(std::ssize(all), "replica"), " running",
          succeeded > 0 ? cat(", ", succeeded, " succeeded") : "");
  const auto absent = std::ranges::find_if(
      all, [](const job::ReplicaState& one) { return !one.run.runs_or_succeeded(); });
  if (absent == all.end()) return cat(count, restarts_words(all));
  if (waits_after_failure(*absent)) {
    return cat(count, "; ", absent->id.name(), ' ', job::exit_words(absent->last_exit),
               " and starts again");
  }
  const std::string why = absent->run.reason.empty()
                              ? std::string(run_state_name(absent->run.state))
                              : absent->run.reason;
  return cat(count, "; ", absent->id.name(), ": ", why);
}

// `command` takes the job's name and is the next step when there is no remedy.
Explanation explain_alive(const work::JobSnapshot& snapshot, std::string_view command) {
  Explanation why{words_of(snapshot.state), {}, first_remedy(snapshot.state)};
  if (why.cause.empty()) why.cause = running_words(snapshot.state);
  if (why.next.empty()) why.next = cat(command, snapshot.job.name());
  return why;
}

// A traceback ends with what went wrong.
void add_last_line(const job::ReplicaState& replica, Explanation& why) {
  if (replica.never_started() || replica.last_exit.words.empty()) return;
  const std::vector<std::string> lines = job::significant_lines(replica.last_exit.words);
  if (const std::string line = job::cuda_oom_line(lines); !line.empty()) {
    why.details.push_back(cat("a GPU ran out of memory: ", printable_line(line)));
    why.next = job::k_cuda_oom_remedy;
    return;
  }
  const std::string last = job::error_line(replica.last_exit.words);
  if (!last.empty()) why.details.push_back("its last line: " + last);
}

// The node waits before it starts the program again, so that its log is that of the run that
// failed.
Explanation explain_restarting(const work::JobSnapshot& snapshot, Time now) {
  const job::JobState& state = snapshot.state;
  Explanation why = explain_alive(snapshot, "trainctl events ");
  auto failed = std::ranges::find_if(state.replicas, waits_after_failure);
  if (failed == state.replicas.end() && state.first_failed) {
    failed = state.replicas.begin() + static_cast<std::ptrdiff_t>(*state.first_failed);
  }
  if (failed == state.replicas.end() || state.blocker) return why;
  why.next = cat("its whole log: trainctl logs ", snapshot.job.name(), "/", failed->id.name());
  add_last_line(*failed, why);
  if (std::string remedy = first_remedy(state); !remedy.empty()) why.next = std::move(remedy);
  if (const auto next = job::restart_time(*failed); next && *next > now) {
    why.details.push_back(cat("attempt ", failed->run.restarts.value_or(0) + 2, " starts in about ",
                              format_age(*next - now)));
  }
  return why;
}

// The log of a replica, or the words left of it.
std::string log_of(const work::JobSnapshot& snapshot, const job::ReplicaState& replica) {
  return cat(
      replica.pod.stands() ? "its whole log: " : "its pod is gone; what is left of its log: ",
      "trainctl logs ", snapshot.job.name(), '/', replica.id.name());
}

// The log of a replica that has failed in a job that succeeded without it, else of the leader.
std::string next_log(const work::JobSnapshot& snapshot) {
  const auto& replicas = snapshot.state.replicas;
  const auto failed = std::ranges::find_if(replicas, [](const job::ReplicaState& one) {
    return one.last_exit.is_failure() || one.run.state == job::RunState::failed;
  });
  return failed == replicas.end() ? cat("trainctl logs ", snapshot.job.name())
                                  : log_of(snapshot, *failed);
}

Explanation explain_succeeded(const work::JobSnapshot& snapshot) {
  const job::JobState& state = snapshot.state;
  const bool has_pod =
      std::ranges::any_of(state.replicas, [](const auto& each) { return each.pod.stands(); });
  const Halves sentence = split_once(job::success_sentence(snapshot.job.object, state), ':');
  return {std::string(trim(sentence.second)),
          job::ReplicaHistory().summary(*snapshot.job.kind, snapshot.job.object, state),
          has_pod ? next_log(snapshot) : ""};
}

Explanation explain_failed(const work::JobSnapshot& snapshot) {
  const job::JobState& state = snapshot.state;
  const job::ReplicaState* culprit =
      state.first_failed ? &state.replicas[*state.first_failed] : nullptr;
  const Error failure = job::job_failed(snapshot.job.object, state, culprit);
  Explanation why{failure.message, {}, first_remedy(state)};
  if (culprit == nullptr) {
    why.next = cat(
        snapshot.events.empty() ? "what is left of its log: trainctl logs " : "trainctl events ",
        snapshot.job.name());
    return why;
  }
  add_last_line(*culprit, why);
  if (std::string followed = job::failed_after_words(state); !followed.empty()) {
    why.details.push_back(std::move(followed));
  }
  if (!why.next.empty()) return why;
  why.next = log_of(snapshot, *culprit);
  return why;
}

Explanation explain_suspended(const work::JobSnapshot& snapshot) {
  const std::vector<std::string> steps =
      split(snapshot.job.kind->controller.suspend.substr(1), '/');
  return {cat("it was suspended by a user, not by a queue (", join(steps, "."), ")"),
          {},
          cat("trainctl resume ", snapshot.job.name())};
}

std::string eviction_line(const job::Eviction& eviction, const std::string& preemptor, Time now) {
  const std::string ago =
      eviction.since ? cat(" ", format_age(now - *eviction.since), " ago") : std::string();
  if (eviction.reason == "Preempted") {
    return cat("it was preempted", ago,
               preemptor.empty() ? cat(": ", eviction.message) : cat(" by ", preemptor));
  }
  const std::string again =
      eviction.requeued_at && *eviction.requeued_at > now
          ? cat("; it is considered again in ", format_age(*eviction.requeued_at - now))
          : std::string();
  return cat("it was evicted", ago, " (", eviction.reason, "): ", eviction.message, again);
}

std::string next_in_queue(const work::JobSnapshot& snapshot, const job::QueueStanding& standing) {
  if (standing.eviction && standing.eviction->reason == "PodsReadyTimeout") {
    return cat("its pods took too long to start, often because of a large image: trainctl events ",
               snapshot.job.name());
  }
  if (!standing.hint.empty()) return standing.hint;
  if (standing.admission == job::Admission::paused) {
    return cat("put it back into the queue: trainctl resume ", snapshot.job.name());
  }
  return cat("it starts by itself: trainctl logs -f ", snapshot.job.name());
}

// When the job's own controller refuses the change with which Kueue starts a job, only Kueue's log
// says so.
bool is_overdue(const job::QueueStanding& standing, Time now) {
  constexpr Duration k_patience = std::chrono::seconds(30);
  return standing.admitted_at && now - *standing.admitted_at > k_patience;
}

Explanation explain_overdue(const work::QueueLookup& queue, Time now) {
  return {cat("queue ", queue.queue, " admitted it ",
              format_age(now - *queue.standing->admitted_at), " ago, but it is still suspended"),
          {},
          "Kueue cannot start the job, and Kueue's log says why: ask the administrator of the "
          "cluster's queues"};
}

Explanation explain_queued(const work::JobSnapshot& snapshot, const work::QueueLookup& queue,
                           Time now) {
  if (!queue.standing) {
    const Error& unknown = queue.standing.error();
    return {cat(words_of(snapshot.state), "; ", unknown.message), {}, unknown.hint};
  }
  const job::QueueStanding& standing = *queue.standing;
  if (is_overdue(standing, now)) return explain_overdue(queue, now);
  Explanation why{
      cat("queue ", queue.queue, ": ", standing.cause), {}, next_in_queue(snapshot, standing)};
  if (queue.position) {
    why.details.push_back(cat("it is number ", *queue.position, " in queue ", queue.queue));
  }
  if (standing.eviction) {
    why.details.push_back(eviction_line(*standing.eviction, queue.preemptor, now));
  }
  return why;
}

// Jobs of kinds that Kueue does not manage run without admission.
void add_missed_queue(const work::QueueLookup& queue, Explanation& why) {
  if (queue.standing || queue.standing.error().code != Code::not_found) return;
  why.details.push_back(
      cat("queue ", queue.queue, " did not admit it: ", queue.standing.error().message));
}

constexpr std::string_view k_if_silent = "; if nothing comes: ";

Explanation explain_running(const work::JobSnapshot& snapshot, Time now) {
  if (std::ranges::any_of(snapshot.state.replicas, waits_after_failure)) {
    return explain_restarting(snapshot, now);
  }
  constexpr std::string_view k_follow = "trainctl logs -f ";
  Explanation why = explain_alive(snapshot, k_follow);
  if (why.next.starts_with(k_follow)) {
    why.next += cat(k_if_silent, "trainctl doctor ", snapshot.job.name());
  }
  return why;
}

Explanation explain_phase(const work::JobSnapshot& snapshot,
                          const std::optional<work::QueueLookup>& queue, Time now) {
  switch (snapshot.state.phase) {
    case job::Phase::succeeded:
      return explain_succeeded(snapshot);
    case job::Phase::failed:
      return explain_failed(snapshot);
    case job::Phase::running:
      return explain_running(snapshot, now);
    case job::Phase::restarting:
      return explain_restarting(snapshot, now);
    case job::Phase::suspended:
      return explain_suspended(snapshot);
    case job::Phase::queued:
      if (queue) return explain_queued(snapshot, *queue, now);
      [[fallthrough]];
    case job::Phase::submitted:
    case job::Phase::pending:
    case job::Phase::starting:
      return explain_alive(snapshot, "trainctl events ");
  }
  return {};
}

// A job that waits may get such a node, and one that failed there was lost to it.
void add_refusing_node(const std::vector<job::RefusingNode>& nodes, const job::JobState& state,
                       Explanation& why) {
  using enum job::Phase;
  const bool waits = state.phase == pending || state.phase == starting || state.phase == restarting;
  for (const job::RefusingNode& node : nodes) {
    const bool has_failed_there = state.phase == failed && state.first_failed &&
                                  state.replicas[*state.first_failed].pod.node == node.name;
    if (!waits && !has_failed_there) continue;
    if (why.details.size() < k_most_details) why.details.push_back(node.advice());
    return;
  }
}

}  // namespace

Explanation explain(const work::JobSnapshot& snapshot,
                    const std::optional<work::QueueLookup>& queue, Time now) {
  const job::JobState& state = snapshot.state;
  Explanation why = explain_phase(snapshot, queue, now);
  const std::string deletion = job::deletion_words(snapshot.job.object);
  if (job::is_final(state.phase) && !deletion.empty()) why.details.push_back(deletion);
  if (!snapshot.worker.empty())
    why.details.insert(why.details.begin(), cat("it runs on cluster ", snapshot.worker));
  add_refusing_node(snapshot.refusing, state, why);
  const bool may_run = state.phase != job::Phase::queued && !job::is_final(state.phase);
  if (queue && may_run) add_missed_queue(*queue, why);
  return why;
}

void add_hindrance(const std::string& hindrance, const job::JobState& state, Explanation& why) {
  using job::Phase;
  const bool has_begun = state.phase == Phase::starting || state.phase == Phase::running ||
                         state.phase == Phase::restarting;
  if (hindrance.empty() || !has_begun) return;
  why.details.push_back(hindrance);
  if (state.phase == Phase::running)
    why.next = "make room on that disk: the job continues by itself";
}

void add_training(const job::MetricRecord& metrics, const job::JobState& state, Explanation& why) {
  if (!metrics.network.empty()) why.details.push_back(printable_line(metrics.network));
  const std::string not_finite = job::not_finite_words(metrics);
  if (state.phase == job::Phase::succeeded) {
    if (!not_finite.empty()) why.cause += ", but " + not_finite;
    return;
  }
  const auto advice = why.next.find(k_if_silent);
  if (metrics.silence && advice != std::string::npos)
    why.next.erase(0, advice + k_if_silent.size());
  const std::string trouble = job::trouble_words(metrics);
  if (!trouble.empty()) why.details.insert(why.details.begin(), trouble);
}

std::string explanation_text(const Viewer& viewer, const work::JobSnapshot& snapshot,
                             const Explanation& why) {
  const job::JobState& state = snapshot.state;
  const Console& console = viewer.console;
  // Labels, reasons and names of queues are the server's words.
  const auto line = [&console](std::string_view name, const std::string& words) {
    if (words.empty()) return std::string();
    const std::string text = printable_line(words);
    constexpr std::size_t k_indent = 9;
    std::string begin = cat("  ", name, ":");
    begin.resize(k_indent, ' ');
    const auto width = static_cast<std::size_t>(console.width);
    return cat(begin, console.out_is_tty ? wrapped(text, k_indent, width) : text, "\n");
  };
  const std::string phase =
      console.painted(job::phase_name(state.phase), phase_colour(state.phase));
  const std::string age = state.since ? format_age(viewer.now - *state.since) : "";
  const bool is_over = job::is_final(state.phase);
  std::string text = cat(printable_line(snapshot.job.name()),
                         is_over       ? " "
                         : age.empty() ? " is "
                                       : " has been ",
                         phase);
  if (!age.empty()) text += is_over ? cat(" ", age, " ago") : cat(" for ", age);
  text += "\n";
  text += line("cause", why.cause);
  for (const std::string& detail : why.details) text += line("and", detail);
  if (why.later) text += line("and", cat("it ", work::words_of(*why.later)));
  return text + line("next", viewer.runnable(why.next));
}

Json explanation_report(const Viewer& viewer, const work::JobSnapshot& snapshot,
                        const Explanation& why, const std::optional<work::QueueLookup>& queue) {
  const job::JobState& state = snapshot.state;
  Json report = {{"apiVersion", "trainctl/v1"},
                 {"kind", "Explanation"},
                 {"name", snapshot.job.name()},
                 {"namespace", snapshot.job.ns()},
                 {"jobKind", snapshot.job.kind->resource.kind},
                 {"phase", job::phase_name(state.phase)},
                 {"cause", why.cause}};
  if (state.since) report["since"] = format_time(*state.since);
  if (!state.reason.empty()) report["reason"] = state.reason;
  if (!why.details.empty()) report["details"] = why.details;
  if (!why.next.empty()) report["next"] = viewer.runnable(why.next);
  if (why.later) {
    report["laterRun"] = {{"name", why.later->name}, {"phase", job::phase_name(why.later->phase)}};
  }
  if (!queue) return report;
  Json& of_queue = report["queue"];
  of_queue = {{"name", queue->queue}};
  if (queue->standing) of_queue["admission"] = job::admission_name(queue->standing->admission);
  if (queue->position) of_queue["position"] = *queue->position;
  return report;
}

}  // namespace trainctl::view
