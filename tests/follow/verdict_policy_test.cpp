// When following ends and with what, as a table: a job's state, what following is for, the
// decision.
#include "follow/verdict_policy.h"

#include <doctest/doctest.h>

#include "status/judging.h"
#include "support/objects.h"

namespace trainctl::job {

namespace verdict_policy_test {

using namespace trainctl::testing;

const Kind& pytorch() {
  return *find_kind("pytorch");
}

ReplicaId replica(const std::string& name) {
  return *find_replica(pytorch(), pytorch_job(1), name);
}

// "goes on", "awaits the culprit", or how it ends: "ends ok after 2s", "ends failed (worker-0)
// after 45s"; or when it is given up: "gives up in 5s: failed (worker-0)".
std::string words(const Decision& decision) {
  if (std::holds_alternative<AwaitsCulprit>(decision)) return "awaits the culprit";
  if (std::holds_alternative<GoesOn>(decision)) return "goes on";
  if (const auto* up = std::get_if<GivesUp>(&decision)) {
    return cat("gives up in ", format_age(up->patience), ": ",
               exit_word(up->end.verdict.error().code), " (", up->end.culprit->id.name(), ")");
  }
  const Ends& end = std::get<Ends>(decision);
  const std::string_view how = end.verdict ? "ok" : exit_word(end.verdict.error().code);
  const std::string culprit = end.culprit ? cat(" (", end.culprit->id.name(), ")") : "";
  return cat("ends ", how, culprit, " after ", format_age(end.grace));
}

Json job_with(std::string_view condition_type, std::string_view clean_up = "Running") {
  Json job = pytorch_job(1, cat('[', condition(condition_type, "True"), ']'));
  job["spec"]["runPolicy"]["cleanPodPolicy"] = std::string(clean_up);
  return job;
}

struct Row {
  const char* what;
  FollowGoal goal;
  Json job;
  std::vector<Json> pods;
  const char* decision;
};

const Json k_master_runs = pod("master", 0, running());
const Json k_master_done = pod("master", 0, terminated(0, "Succeeded"));
const Json k_worker_runs = pod("worker", 0, running());
const Json k_worker_died = pod("worker", 0, terminated(7, "Failed"));
const Json k_worker_done = pod("worker", 0, terminated(0, "Succeeded"));
const Json k_worker_loops = pod("worker", 0, R"({phase: Running, containerStatuses: [{name: pytorch,
    containerID: c4, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}},
    lastState: {terminated: {exitCode: 1, reason: Error, containerID: c4,
    finishedAt: "2026-01-02T03:03:00Z"}}}]})");

Json not_executable(int restarts) {
  return pod("worker", 0,
             cat(R"({phase: Running, containerStatuses: [{name: pytorch,
    containerID: c4, restartCount: )",
                 restarts, R"(, state: {waiting: {reason: CrashLoopBackOff}},
    lastState: {terminated: {exitCode: 128, reason: StartError, containerID: c4,
    message: 'exec: "pyhton3": executable file not found in $PATH'}}}]})"));
}

// A pod that had ended before it is not waited for: its grace is 0.
Json deleted(Json pod, int grace = 30) {
  pod["metadata"]["deletionTimestamp"] = "2026-01-02T03:04:00Z";
  pod["metadata"]["deletionGracePeriodSeconds"] = grace;
  return pod;
}

Json without_limit(Json job) {
  job["spec"]["runPolicy"].erase("backoffLimit");
  return job;
}

std::vector<Row> rows() {
  const auto both = [](const Json& worker) { return std::vector<Json>{k_master_runs, worker}; };
  const FollowGoal verdict;
  const FollowGoal fail_fast{.fail_fast = true};
  const FollowGoal all{.require_all = true};
  const FollowGoal worker{.only = replica("worker-0")};
  const auto wait = [](WaitFor what) { return FollowGoal{.wait_for = what}; };
  return {
      {"a running job", verdict, job_with("Running"), both(k_worker_runs), "goes on"},
      {"--require-all-replicas, all well",
       all,
       job_with("Succeeded", "None"),
       {pod("master", 0, terminated(0, "Succeeded")), k_worker_done},
       "ends ok after 2s"},
      {"one failed", all, job_with("Succeeded", "None"), both(k_worker_died),
       "ends failed (worker-0) after 2s"},
      {"one crashed", all, job_with("Succeeded", "None"), both(k_worker_loops),
       "ends failed (worker-0) after 2s"},
      {"one waited for its restart when clean-up deleted it", all, job_with("Succeeded", "Running"),
       both(deleted(k_worker_loops)), "ends failed (worker-0) after 45s"},
      {"one may fail yet", all, job_with("Succeeded", "None"), both(k_worker_runs), "goes on"},
      {"one is gone", all, job_with("Succeeded", "None"), {k_master_done}, "awaits the culprit"},
      {"nobody requires all", verdict, job_with("Succeeded", "None"), both(k_worker_died),
       "ends ok after 2s"},
      {"its end", verdict, job_with("Succeeded", "None"), {}, "ends ok after 2s"},
      {"with pods to stop", verdict, job_with("Succeeded"), {}, "ends ok after 45s"},
      {"a failure", verdict, job_with("Failed", "None"), both(k_worker_died),
       "ends failed (worker-0) after 2s"},
      {"a failure before its pod's", verdict, job_with("Failed"), both(k_worker_runs),
       "awaits the culprit"},
      {"wait --for=failed", wait(WaitFor::failed), job_with("Failed"), {}, "ends ok after 0s"},
      {"that succeeds",
       wait(WaitFor::failed),
       job_with("Succeeded", "None"),
       {},
       "ends error after 2s"},
      {"wait --for=running", wait(WaitFor::running), job_with("Running"), {}, "ends ok after 0s"},
      {"that fails", wait(WaitFor::running), job_with("Failed", "None"), both(k_worker_died),
       "ends failed (worker-0) after 2s"},
      {"wait --for=deleted", wait(WaitFor::deleted), job_with("Failed"), {}, "goes on"},
      {"suspended by someone", verdict, job_with("Suspended"), {}, "ends removed after 2s"},
      {"a replica's end", worker, job_with("Running"), both(k_worker_done), "ends ok after 2s"},
      {"a replica's failure", worker, job_with("Running"), both(k_worker_died),
       "ends failed (worker-0) after 2s"},
      {"that of a pod that is being deleted", worker, job_with("Running"),
       both(deleted(k_worker_died, 0)), "goes on"},
      {"another's",
       {.only = replica("master-0")},
       job_with("Running"),
       both(k_worker_died),
       "goes on"},
      {"a death that the operator may heal", verdict, job_with("Running"), both(k_worker_died),
       "goes on"},
      {"a program that is missing", verdict, job_with("Running"), both(not_executable(1)),
       "goes on"},
      {"at the third attempt", verdict, job_with("Running"), both(not_executable(2)),
       "gives up in 2s: not-started (worker-0)"},
      {"in a pod that is being deleted", verdict, job_with("Running"),
       both(deleted(not_executable(2))), "goes on"},
      {"--fail-fast", fail_fast, job_with("Running"), both(k_worker_died),
       "gives up in 5s: failed (worker-0)"},
      {"--fail-fast, and its pod is being deleted", fail_fast, job_with("Running"),
       both(deleted(k_worker_loops)), "goes on"},
      {"a crash loop that ends by itself", verdict, job_with("Running"), both(k_worker_loops),
       "goes on"},
      {"one that does not", verdict, without_limit(job_with("Running")), both(k_worker_loops),
       "gives up in 2s: failed (worker-0)"},
      {"beside a leader that has ended well",
       verdict,
       without_limit(job_with("Running")),
       {k_master_done, k_worker_loops},
       "goes on"},
      {"--fail-fast beside it",
       fail_fast,
       job_with("Running"),
       {k_master_done, k_worker_died},
       "goes on"},
  };
}

TEST_CASE("when following ends, and whom it blames") {
  for (const Row& row : rows()) {
    CAPTURE(row.what);
    const JobState state = judge_job(row.job, row.pods);
    CHECK(words(VerdictPolicy(pytorch(), row.goal).decide(row.job, state)) == row.decision);
  }
}

// After its run that began with so many restarts, a second of the clock's minute.
Json worker_failed(int restarts, int second, std::string_view line) {
  return pod("worker", 0,
             cat("{phase: Running, startTime: '2026-01-02T03:00:10Z', containerStatuses: "
                 "[{name: pytorch, containerID: c, restartCount: ",
                 restarts,
                 ", state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: "
                 "{exitCode: 1, reason: Error, containerID: c, startedAt: '2026-01-02T03:00:",
                 second, "Z', finishedAt: '2026-01-02T03:00:", second,
                 "Z', message: \"Traceback\\n", line, "\\n\"}}}]}"));
}

TEST_CASE(
    "a program that fails twice at once and alike is no longer waited for, where that is asked") {
  const Json job = job_with("Running");
  const auto after = [&job](FollowGoal goal, std::initializer_list<Json> runs) {
    VerdictPolicy policy(pytorch(), goal);
    std::string last;
    for (const Json& run : runs) last = words(policy.decide(job, judge_job(job, {run})));
    return last;
  };
  const FollowGoal here{.ends_repeats = true};
  const Json first = worker_failed(0, 10, "SyntaxError: invalid syntax");
  const Json again = worker_failed(1, 12, "SyntaxError: invalid syntax");
  CHECK(after(here, {first}) == "goes on");
  const char* const k_gives_up = "gives up in 2s: failed (worker-0)";
  CHECK(after(here, {first, again}) == k_gives_up);
  CHECK(after(here, {first, again, worker_failed(2, 25, "ConnectionError")}) == "goes on");
  CHECK(after(here, {first, again, k_worker_runs}) == "goes on");
  CHECK(after({}, {first, again}) == "goes on");
  CHECK(after(here, {again}) == "goes on");
  CHECK(after(here, {first, worker_failed(1, 12, "ConnectionError")}) == "goes on");
  CHECK(after(here, {first, worker_failed(1, 40, "SyntaxError: invalid syntax")}) == k_gives_up);
  // A time or a process is not another error.
  CHECK(after(here, {worker_failed(0, 10, "[12:01] boom"), worker_failed(1, 12, "[12:02] boom")}) ==
        k_gives_up);
  const auto silent = [](int restarts, int second) {
    Json worker = worker_failed(restarts, second, "");
    worker["status"]["containerStatuses"][0]["lastState"]["terminated"].erase("message");
    return worker;
  };
  CHECK(after(here, {silent(0, 10), silent(1, 12)}) == k_gives_up);
  const auto long_run = [](Json worker) {
    Json& end = worker["status"]["containerStatuses"][0]["lastState"]["terminated"];
    end["startedAt"] = "2026-01-02T03:00:00Z";
    return worker;
  };
  CHECK(after(here, {long_run(silent(0, 10)), long_run(silent(1, 12))}) == "goes on");
  // Without steps, a run that lasts clearly longer came further.
  CHECK(after(here, {first, long_run(worker_failed(1, 40, "SyntaxError: invalid syntax"))}) ==
        "goes on");
  CHECK(after(here, {first, silent(1, 12)}) == "goes on");
  // Whoever deletes a pod ends its program.
  CHECK(after(here, {first, deleted(again)}) == "goes on");
}

TEST_CASE("a program that fails alike, but further on each time, is not given up") {
  const Json job = job_with("Running");
  const auto decided = [&job](std::optional<double> first, std::optional<double> second) {
    const auto steps = [&](const job::ReplicaId&, int attempt) {
      return attempt == 1 ? first : second;
    };
    VerdictPolicy policy(pytorch(), {.ends_repeats = true}, steps);
    policy.decide(job, judge_job(job, {worker_failed(0, 10, "ValueError")}));
    return words(policy.decide(job, judge_job(job, {worker_failed(1, 40, "ValueError")})));
  };
  CHECK(decided(100, 100) == "gives up in 2s: failed (worker-0)");
  CHECK(decided(100, std::nullopt) == "gives up in 2s: failed (worker-0)");
  CHECK(decided(100, 101) == "goes on");
  CHECK(decided(std::nullopt, 1) == "goes on");
}

// A program that no run of could begin, after so many restarts.
Json worker_not_started(int restarts, int second) {
  Json worker = worker_failed(restarts, second, "no such file");
  Json& end = worker["status"]["containerStatuses"][0]["lastState"]["terminated"];
  end["reason"] = "StartError";
  end["exitCode"] = 128;
  return worker;
}

TEST_CASE("a program that cannot be started is no crash loop, however often that is tried") {
  const Json job = job_with("Running");
  VerdictPolicy policy(pytorch(), {.ends_repeats = true});
  policy.decide(job, judge_job(job, {worker_not_started(0, 10)}));
  const auto decision = policy.decide(job, judge_job(job, {worker_not_started(1, 12)}));
  CHECK(words(decision) == "gives up in 2s: not-started (worker-0)");
}

TEST_CASE("a replica that fails twice and alike is no reason to give up a leader that works") {
  const Json job = job_with("Running");
  VerdictPolicy policy(pytorch(), {.ends_repeats = true});
  policy.decide(job, judge_job(job, {k_master_runs, worker_failed(0, 10, "SyntaxError")}));
  const auto beside = [&](const Json& master) {
    return words(policy.decide(job, judge_job(job, {master, worker_failed(1, 12, "SyntaxError")})));
  };
  CHECK(beside(k_master_runs) == "goes on");
  CHECK(beside(k_master_done) == "goes on");
  CHECK(beside(pod("master", 0, terminated(1, "Failed"))) == "gives up in 2s: failed (worker-0)");
}

TEST_CASE("a failure without a culprit is a verdict once nobody waits for one") {
  VerdictPolicy policy(pytorch(), {});
  const Json job = job_with("Failed", "None");
  policy.give_up_culprit();
  CHECK(words(policy.decide(job, judge_job(job))) == "ends failed after 2s");
}

TEST_CASE("a job that was suspended when it was found is waited for until it has run") {
  VerdictPolicy policy(pytorch(), {});
  const Json suspended = job_with("Suspended");
  const JobState state = judge_job(suspended);
  policy.first_look(state);
  CHECK(words(policy.decide(suspended, state)) == "goes on");
  const Json running = job_with("Running");
  policy.decide(running, judge_job(running, {k_master_runs, k_worker_runs}));
  CHECK(words(policy.decide(suspended, state)) == "ends removed after 2s");
}

TEST_CASE("a job that is gone was never there, was deleted, or is what was waited for") {
  const auto end = [](WaitFor what, const Json& job) {
    return words(VerdictPolicy(pytorch(), {.wait_for = what}).end_gone(job, "ml", "ddp"));
  };
  CHECK(end(WaitFor::verdict, Json()) == "ends not-found after 2s");
  CHECK(end(WaitFor::verdict, job_with("Running")) == "ends removed after 2s");
  CHECK(end(WaitFor::deleted, job_with("Running")) == "ends ok after 0s");
}

// The message of the operator about worker-0, which it makes anew: it tells of an exit each time it
// looks.
std::vector<Json> told_of_worker(int restarts, int exits, int code, std::string_view last) {
  Json restarted = event("job-uid", "Warning", "PyTorchJobRestarting",
                         "job ddp is restarting because Worker replica(s) failed.", last);
  restarted["count"] = restarts;
  Json exited = event("job-uid", "Normal", "ExitedWithCode",
                      cat("Pod: ml.ddp-worker-0 exited with code ", code), last);
  exited["firstTimestamp"] = "2026-01-02T03:00:05Z";
  exited["count"] = exits;
  return {restarted, exited};
}

TEST_CASE("pods that fail and are made anew without end are a crash loop, whatever the limit") {
  const Json failed = pod("worker", 0, terminated(137, "Failed"));
  const char* k_begin = "2026-01-02T03:00:05Z";
  const char* k_at_once = "2026-01-02T03:00:17Z";
  const char* k_late = "2026-01-02T03:20:17Z";
  struct Loop {
    const char* what;
    int restarts, exits, code;
    const char* last;
    std::vector<Json> pods;
    const char* decision;
    Phase phase;
  };
  const char* k_ends = "gives up in 0s: failed (worker-0)";
  const Loop k_loops[] = {
      {"the fourth failure", 3, 9, 137, k_at_once, {failed}, k_ends, Phase::restarting},
      {"its pod is gone", 4, 9, 137, k_at_once, {}, k_ends, Phase::restarting},
      {"the third", 2, 9, 137, k_at_once, {failed}, "goes on", Phase::running},
      {"the fifth pod runs", 4, 9, 137, k_at_once, {k_worker_runs}, "goes on", Phase::restarting},
      {"slow failures", 3, 9, 137, k_late, {failed}, "goes on", Phase::running},
      {"one pod, told four times", 4, 4, 143, k_begin, {k_worker_runs}, "goes on", Phase::running},
      {"other workers' failures", 9, 1, 137, k_at_once, {failed}, "goes on", Phase::running},
      {"pods that succeeded", 9, 9, 0, k_at_once, {k_worker_runs}, "goes on", Phase::running}};
  for (const Loop& loop : k_loops) {
    CAPTURE(loop.what);
    std::vector<Json> pods = loop.pods;
    pods.push_back(k_master_runs);
    const Json job = job_with("Running");
    const JobState state =
        judge_job(job, pods, told_of_worker(loop.restarts, loop.exits, loop.code, loop.last));
    CHECK(words(VerdictPolicy(pytorch(), {}).decide(job, state)) == loop.decision);
    CHECK(phase_name(state.phase) == phase_name(loop.phase));
  }
}

TEST_CASE(
    "of replicas that fail together, the operator's event names the culprit, if it may come") {
  const Json job = job_with("Failed");
  const Json master_died = pod("master", 0, terminated(7, "Failed"));
  const std::vector<Json> pods = {master_died, k_worker_died};
  Json exit =
      event("job-uid", "Normal", "ExitedWithCode", "Pod: ml.ddp-worker-0 exited with code 7");
  exit["firstTimestamp"] = exit["lastTimestamp"];
  const JobState untold = judge_job(job, pods), told = judge_job(job, pods, {exit});
  VerdictPolicy live(pytorch(), {});
  live.first_look(judge_job(job_with("Running"), pods));
  CHECK(words(live.decide(job, untold)) == "awaits the culprit");
  CHECK(words(live.decide(job, told)) == "ends failed (worker-0) after 45s");
  live.give_up_culprit();
  CHECK(words(live.decide(job, untold)) == "ends failed (master-0) after 45s");
  // Of a job that is over the events are old, too.
  VerdictPolicy late(pytorch(), {});
  late.first_look(untold);
  CHECK(words(late.decide(job, untold)) == "awaits the culprit");
  late.take_events();
  CHECK(words(late.decide(job, untold)) == "ends failed (master-0) after 45s");
}

}  // namespace verdict_policy_test

// The fate of a job that goes on when nobody waits for it any more.
namespace verdict_policy_test {

using namespace trainctl::testing;

constexpr LeaveRules k_leave{}, k_delete{OnGiveUp::remove, OnInterrupt::cancel};
constexpr std::string_view k_cancel = "--on-interrupt=cancel", k_give_up = "--on-give-up=delete";

std::string_view flag(Code code, const LeaveRules& rules, Phase phase = Phase::running,
                      const std::string& replica = "") {
  LogSelection selection;
  selection.replica = replica;
  return deleting_flag(rules, Error{code, ""}, EndedBy::judgement, phase, selection);
}

TEST_CASE("a job is deleted by the flag that says so, and left alone otherwise") {
  for (const Code code : {Code::interrupted, Code::terminated, Code::broken_pipe}) {
    CHECK(flag(code, k_delete) == k_cancel);
    CHECK(flag(code, k_leave).empty());
    CHECK(flag(code, {.on_give_up = OnGiveUp::remove}).empty());
  }
  for (const Code code : {Code::timeout, Code::not_started, Code::job_failed, Code::unreachable}) {
    CHECK(flag(code, k_delete) == k_give_up);
    CHECK(flag(code, k_leave).empty());
    CHECK(flag(code, {.on_interrupt = OnInterrupt::cancel}).empty());
  }
  for (const Code code : {Code::usage, Code::not_found, Code::removed}) {
    CHECK(flag(code, k_delete).empty());
  }
}

TEST_CASE(
    "a silent job is deleted only by the flag about silence, or as any job that is given up") {
  const Error silent{Code::timeout, ""};
  const auto flag = [&silent](const LeaveRules& rules) {
    return deleting_flag(rules, silent, EndedBy::silence, Phase::running, {});
  };
  CHECK(flag({.on_stall = OnStall::remove}) == "--on-stall=delete");
  CHECK(flag({.on_give_up = OnGiveUp::remove}) == k_give_up);
  CHECK(flag({.on_interrupt = OnInterrupt::cancel}).empty());
  CHECK(is_given_up(silent, EndedBy::silence, Phase::running, {}));
}

TEST_CASE("lines that cannot be written any more do not give up the job, and interrupt following") {
  for (const Code code : {Code::error, Code::broken_pipe}) {
    const Error lost{code, "cannot write to stdout: No space left on device"};
    const auto flag = [&lost](const LeaveRules& rules) {
      return deleting_flag(rules, lost, EndedBy::lost_output, Phase::running, {});
    };
    CHECK(flag({.on_give_up = OnGiveUp::remove}).empty());
    CHECK(flag({.on_interrupt = OnInterrupt::cancel}) == k_cancel);
    CHECK_FALSE(is_given_up(lost, EndedBy::lost_output, Phase::running, {}));
  }
}

TEST_CASE("a verdict is no giving up: the job's own, and that of the replica asked for") {
  CHECK(flag(Code::job_failed, k_delete, Phase::failed).empty());
  CHECK(flag(Code::interrupted, k_delete, Phase::succeeded).empty());
  CHECK(flag(Code::job_failed, k_delete, Phase::running, "worker-0").empty());
  CHECK(flag(Code::timeout, k_delete, Phase::running, "worker-0") == k_give_up);
  CHECK(deleting_flag(k_delete, {}, EndedBy::judgement, Phase::running, {}).empty());
}

TEST_CASE("pods that take long to stop are given their own grace period") {
  using std::chrono::seconds;
  const Kind& pytorch = *find_kind("pytorch");
  Json job = pytorch_job(1);
  CHECK(longest_stop(pytorch, job) == seconds(45));
  Json& specs = job["spec"]["pytorchReplicaSpecs"];
  specs["Worker"]["template"]["spec"]["terminationGracePeriodSeconds"] = 600;
  specs["Master"]["template"]["spec"]["terminationGracePeriodSeconds"] = 5;
  CHECK(longest_stop(pytorch, job) == seconds(615));
  job["spec"]["pytorchReplicaSpecs"].erase("Worker");
  CHECK(longest_stop(pytorch, job) == seconds(20));
}

}  // namespace verdict_policy_test

}  // namespace trainctl::job
