// Logs of pods that are gone before they were read: told, or read where the cluster keeps them.
#include <doctest/doctest.h>

#include "follow/following.h"
#include "support/objects.h"

namespace trainctl::job {
namespace gone_pods_test {

using namespace trainctl::testing;

constexpr std::string_view k_kept = "/trainctl/ended-pods/job-uid";
constexpr std::string_view k_gone =
    R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,
        "message":"pods \"ddp-worker-0\" not found"})";
constexpr std::string_view k_waits =
    R"({"kind":"Status","status":"Failure","reason":"BadRequest","code":400,"message":
        "container \"pytorch\" in pod \"ddp-worker-0\" is waiting to start: PodInitializing"})";

Exchange once(Exchange exchange) {
  exchange.repeat = false;
  return exchange;
}

Exchange kept_log(std::string text) {
  Exchange log = log_of("ddp-worker-0", std::move(text));
  log.query = {{"podUID", "pod-worker-0"}};
  return log;
}

// A job that has succeeded; `worker`: how its pod is found, if it is.
Followed follow_succeeded(std::vector<Json> worker, std::vector<Exchange> answers,
                          bool kept = false) {
  FollowOptions options;
  options.logs.selection.all = true;
  if (kept) options.logs.options.kept_pods = k_kept;
  std::vector<Json> pods = {pod("master", 0, terminated(0, "Succeeded"))};
  pods.insert(pods.end(), worker.begin(), worker.end());
  answers.push_back(log_of("ddp-master-0", k_line + "done\n"));
  return follow(options, pytorch_job(1, "[" + condition("Succeeded", "True") + "]"),
                std::move(pods), std::move(answers));
}

const std::string k_read = "[worker-0] hello\n";

bool printed_worker(const Followed& followed) {
  return followed.console.stdout_text.find(k_read) != std::string::npos;
}

TEST_CASE("the log of a pod that came and went before it was watched is read where it is kept") {
  Exchange kept;
  kept.path = k_kept;
  kept.chunks = {{{}, dump(Json::array({pod("worker", 0, terminated(0, "Succeeded"))}))}};
  const Followed followed = follow_succeeded({}, {kept, kept_log(k_line + "hello\n")}, true);
  CHECK(followed.verdict);
  CHECK(printed_worker(followed));
  CHECK_FALSE(followed.said("gone"));
  CHECK_FALSE(followed.said("gap"));
}

TEST_CASE("a pod that is gone before its log was asked for is told, or read where it is kept") {
  const Json worker = pod("worker", 0, waiting("PodInitializing"));
  const Followed lost =
      follow_succeeded({worker}, {log_of("ddp-worker-0", std::string(k_gone), 404)});
  CHECK(lost.verdict);
  CHECK(lost.said("possible gap in the log of ddp-worker-0: its pod was deleted"));
  CHECK(printed_worker(follow_succeeded({worker}, {kept_log(k_line + "hello\n")}, true)));
}

TEST_CASE(
    "a container that runs after all, before its pod goes, is told, or read where it is kept") {
  const Json worker = pod("worker", 0, waiting("PodInitializing"));
  const Json last = pod("worker", 0, terminated(0, "Succeeded"));
  const Exchange changes =
      watch(cat(k_ns, "/pods"), {{std::chrono::milliseconds(600), "DELETED", last}});
  const Exchange waits = once(log_of("ddp-worker-0", std::string(k_waits), 400));
  const Followed lost = follow_succeeded(
      {worker}, {changes, waits, waits, waits, log_of("ddp-worker-0", std::string(k_gone), 404)});
  CHECK(lost.said("possible gap in the log of ddp-worker-0: its pod was deleted"));
  const Followed read = follow_succeeded(
      {worker}, {changes, waits, waits, waits, kept_log(k_line + "hello\n")}, true);
  CHECK(printed_worker(read));
  CHECK_FALSE(read.said("gap"));
}

TEST_CASE("a job may be over while its pods still seem not to run: none of their lines is lost") {
  Json unscheduled = pod("worker", 0, R"({"phase":"Pending"})");
  unscheduled["spec"].erase("nodeName");
  const Exchange log = log_of("ddp-worker-0", k_line + "hello\n");
  for (const std::vector<Json>& before : {std::vector<Json>{}, std::vector<Json>{unscheduled}}) {
    std::vector<Json> now = {pod("worker", 0, terminated(0, "Succeeded"))};
    std::vector<Json> listed = before;
    listed.push_back(pod("master", 0, terminated(0, "Succeeded")));
    const Followed followed = follow_succeeded(
        now, {once(list(cat(k_ns, "/pods"), listed)), watch(cat(k_ns, "/pods"), {}), log});
    CHECK(followed.verdict);
    CHECK(printed_worker(followed));
    CHECK_FALSE(followed.said("gone"));
  }
}

TEST_CASE("a pod whose deletion says that it never ran leaves no gap") {
  const Json worker = pod("worker", 0, waiting("PodInitializing"));
  const Exchange changes =
      watch(cat(k_ns, "/pods"), {{std::chrono::milliseconds(600), "DELETED", worker}});
  const Exchange waits = log_of("ddp-worker-0", std::string(k_waits), 400);
  for (const bool kept : {false, true}) {
    const Followed followed = follow_succeeded({worker}, {changes, waits}, kept);
    CHECK(followed.verdict);
    CHECK_FALSE(followed.said("gap"));
  }
}

TEST_CASE("the rest of a log that is kept is read when the pod goes between two requests") {
  const Json worker = pod("worker", 0, running());
  const Exchange changes =
      watch(cat(k_ns, "/pods"), {{std::chrono::milliseconds(100), "DELETED", worker}});
  Exchange cut = once(log_of("ddp-worker-0", k_line + "hello\n"));
  cut.ending = "reset";
  Exchange rest = kept_log(cat(k_line, "hello\n", "2026-01-02T03:00:06Z", " and bye\n"));
  const Followed followed = follow_succeeded({worker}, {changes, cut, rest}, true);
  CHECK(printed_worker(followed));
  CHECK(followed.console.stdout_text.find("[worker-0] and bye\n") != std::string::npos);
  CHECK_FALSE(followed.said("gap"));
}

// The words of a follower about a worker in a job that succeeded at 03:01:00, when it sees these
// states of the pod one after another; the pod is gone in the end.
std::string said_of_worker(const std::vector<Json>& states) {
  std::vector<Change> changes;
  const std::chrono::milliseconds soon(100);
  for (std::size_t i = 1; i < states.size(); ++i) changes.push_back({soon, "MODIFIED", states[i]});
  Json last = states.back();
  last["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:01Z";
  last["metadata"]["deletionGracePeriodSeconds"] = 0;
  changes.push_back({soon, "DELETED", last});
  changes.push_back({std::chrono::minutes(1), "ADDED", pod("other", 0, running())});
  const Followed followed =
      follow_succeeded({states.front()},
                       {watch(cat(k_ns, "/pods"), std::move(changes)), log_of("ddp-worker-0", "")});
  const std::string& said = followed.console.stderr_text;
  const auto at = said.find("worker-0 ");
  return at == std::string::npos ? said : said.substr(at, said.find('\n', at) - at);
}

TEST_CASE(
    "a replica that kills itself just before its job succeeds is told alike, however early one "
    "looks") {
  struct Row {
    int code;
    std::string finished, said;
  };
  const std::string killed = "worker-0 exited 137 (SIGKILL); the job still succeeded";
  const std::string stopped = "worker-0 was stopped by clean-up (cleanPodPolicy Running)";
  for (const Row& row :
       {Row{137, "2026-01-02T03:00:59Z", killed}, Row{137, "2026-01-02T03:01:01Z", killed},
        Row{137, "2026-01-02T03:01:31Z", stopped}, Row{143, "2026-01-02T03:01:01Z", stopped},
        Row{0, "2026-01-02T03:01:02Z",
            "worker-0 exited 0 as clean-up deleted its pod (cleanPodPolicy Running)"}}) {
    CAPTURE(row.finished);
    const Json at_work = pod("worker", 0, running());
    Json deleted = pod("worker", 0, terminated(row.code, "Running", "c1", "Error", row.finished));
    const Json ended = deleted;
    deleted["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:31Z";
    deleted["metadata"]["deletionGracePeriodSeconds"] = 30;
    CHECK(said_of_worker({deleted}) == row.said);
    CHECK(said_of_worker({at_work, deleted}) == row.said);
    if (row.said == killed) CHECK(said_of_worker({at_work, ended, deleted}) == row.said);
  }
}

TEST_CASE("a worker that clean-up stops tells how far it was") {
  Json worker = pod("worker", 0, running());
  worker["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:31Z";
  worker["metadata"]["deletionGracePeriodSeconds"] = 30;
  const Followed followed = follow_succeeded(
      {worker}, {watch(cat(k_ns, "/pods"), {{std::chrono::seconds(1), "DELETED", worker}}),
                 log_of("ddp-worker-0", cat(k_line, "step 22/60 loss 0.5\n"))});
  CHECK(followed.said("worker-0 was stopped by clean-up at step 22 (cleanPodPolicy Running)"));
}

TEST_CASE("the last lines of a worker whose end only an event tells are those that were read") {
  const Json worker = pod("worker", 0, running());
  const std::chrono::seconds later(1);
  FollowOptions options;
  options.logs.selection.all = true;
  const Json works = pytorch_job(1, "[" + condition("Running", "True") + "]");
  const Json failed = pytorch_job(1, "[" + condition("Failed", "True") + "]");
  const Json end =
      event("job-uid", "Normal", "ExitedWithCode", "Pod: ml.ddp-worker-0 exited with code 3");
  const Followed followed =
      follow(options, works, {pod("master", 0, running()), worker},
             {watch(cat(k_ns, "/pods"), {{later, "DELETED", worker}}),
              watch(std::string(k_jobs), {{later * 2, "MODIFIED", failed}}),
              list(cat(k_ns, "/events"), {end}), log_of("ddp-worker-0", k_line + "boom\n"),
              log_of("ddp-master-0", k_line + "step\n")});
  REQUIRE(followed.result.outcome.culprit);
  CHECK_FALSE(followed.result.outcome.culprit->last_exit.run);
  CHECK(followed.result.outcome.last_lines == std::vector<std::string>{"boom"});
}

TEST_CASE("a worker whose pod ends by clean-up is not told to have failed by itself") {
  Json worker = pod("worker", 0, running());
  worker["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:31Z";
  worker["metadata"]["deletionGracePeriodSeconds"] = 30;
  Json last = pod("worker", 0, terminated(1, "Failed", "c1", "Error", "2026-01-02T03:01:02Z"));
  last["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:01Z";
  last["metadata"]["deletionGracePeriodSeconds"] = 0;
  const std::chrono::milliseconds soon(100);
  for (const bool is_gone : {false, true}) {
    std::vector<Change> changes = {{soon, "MODIFIED", last}};
    if (is_gone) changes.push_back({soon, "DELETED", last});
    FollowOptions options;
    const Json job = pytorch_job(1, "[" + condition("Failed", "True") + "]");
    const Followed followed =
        follow(options, job, {pod("master", 0, terminated(1, "Failed")), worker},
               {watch(cat(k_ns, "/pods"), std::move(changes)), log_of("ddp-worker-0", ""),
                log_of("ddp-master-0", k_line + "boom\n")});
    REQUIRE(followed.result.state.replicas.size() == 2);
    const ReplicaState& stopped = followed.result.state.replicas[1];
    CHECK(stopped.run.state != RunState::failed);
    if (is_gone) CHECK_FALSE(stopped.last_exit.code);
  }
}

TEST_CASE("29.2: of several restarts that are reported in one burst, every run is read") {
  const std::string ended = R"({phase: Succeeded, containerStatuses: [{name: pytorch,
      containerID: c3, restartCount: 2, state: {terminated: {exitCode: 0, containerID: c3}},
      lastState: {}}]})";
  const std::string crashed = "{terminated: {exitCode: 137, reason: Error, containerID: c1}}";
  Exchange pods =
      watch(cat(k_ns, "/pods"),
            {{std::chrono::seconds(5), "MODIFIED", pod("worker", 0, running("c2", 1, crashed))},
             {{}, "MODIFIED", pod("worker", 0, ended)}});
  const std::string burst = pods.chunks[0].data + pods.chunks[1].data;
  pods.chunks = {{std::chrono::seconds(5), burst}};
  std::vector<Exchange> answers = {pods};
  for (const char* run : {"c1", "c2", "c3"}) {
    Exchange log = log_of("ddp-worker-0", cat(k_line, "of ", run, "\n"));
    log.query = {{"containerID", run}};
    answers.push_back(log);
  }
  answers.push_back(log_of("ddp-master-0", k_line + "done\n"));
  answers.push_back(
      watch(std::string(k_jobs), {{std::chrono::seconds(9), "MODIFIED",
                                   pytorch_job(1, "[" + condition("Succeeded", "True") + "]")}}));
  FollowOptions options;
  options.logs.selection.all = true;
  options.logs.options.kept_pods = k_kept;
  const Followed followed =
      follow(options, pytorch_job(1, "[" + condition("Running", "True") + "]"),
             {pod("master", 0, running("m1")), pod("worker", 0, running())}, std::move(answers));
  CHECK(followed.verdict);
  CHECK_FALSE(followed.said("gap"));
  for (const char* run : {"c1", "c2", "c3"}) {
    CAPTURE(run);
    CHECK(followed.console.stdout_text.find(cat("[worker-0] of ", run, "\n")) != std::string::npos);
  }
}

}  // namespace gone_pods_test
}  // namespace trainctl::job
