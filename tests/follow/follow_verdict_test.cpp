// Following ends with a verdict, which blames a replica and tells the user of it.
#include <doctest/doctest.h>

#include "follow/following.h"
#include "support/objects.h"

namespace trainctl::job {
namespace follow_verdict_test {

using namespace trainctl::testing;
using std::chrono::seconds;

const std::string k_running = "[" + condition("Running", "True") + "]";

FollowOptions quiet_wait() {
  FollowOptions options;
  options.logs.selection.none = true;
  options.deadline = deadline_after(std::chrono::hours(1), testing::k_begin);
  return options;
}

FollowOptions saving_wait() {
  FollowOptions options = quiet_wait();
  options.logs.places.save = [](const std::string&, std::string_view) { return Status(); };
  return options;
}

TEST_CASE("waiting for a job that runs in vain tells why, at once and by the verdict") {
  FollowOptions options = quiet_wait();
  options.deadline = deadline_after(seconds(20), testing::k_begin);
  options.what_hinders = [] { return std::string("no space left on /home"); };
  const std::vector<Json> pods = {pod("master", 0, running())};
  const Followed followed = follow(options, pytorch_job(0, k_running), pods, {});
  REQUIRE_FALSE(followed.verdict);
  CHECK(followed.verdict.error().message ==
        "job ddp is still Running after 20s; no space left on /home");
  CHECK(followed.console.stderr_text == "ddp: Running\nddp: no space left on /home\n");
}

TEST_CASE("waiting for a deletion reports none while the job still stands") {
  FollowOptions options = quiet_wait();
  options.goal.wait_for = WaitFor::deleted;
  const Json done = pytorch_job(0, "[" + condition("Failed", "True") + "]");
  const std::vector<Json> pods = {pod("master", 0, terminated(1, "Failed"))};
  CHECK(follow(options, done, pods, {}).verdict.error().code == Code::timeout);
  CHECK(follow(options, done, pods, {watch(std::string(k_jobs), {{seconds(9), "DELETED", done}})})
            .verdict);
}

TEST_CASE("--fail-fast tells what the dead replica printed last, and blames no other") {
  FollowOptions options = quiet_wait();
  options.goal.fail_fast = true;
  const Followed followed =
      follow(options, pytorch_job(1, k_running),
             {pod("master", 0, running()), pod("worker", 0, terminated(7, "Failed", "c2"))},
             {log_of("ddp-worker-0", k_line + "no such file\n")});
  CHECK(followed.verdict.error().code == Code::job_failed);
  CHECK(followed.said("worker-0 exited 7; its last lines:\n  no such file\n"));
  REQUIRE(followed.result.outcome.culprit);
  CHECK(followed.result.outcome.culprit->id.name() == "worker-0");
  CHECK(followed.result.outcome.last_lines == std::vector<std::string>{"no such file"});
}

TEST_CASE("a crash loop is told with the program's last words, not with the node's back-off") {
  Json job = pytorch_job(0, k_running);
  job["spec"]["runPolicy"].erase("backoffLimit");
  const std::string status = R"({phase: Running, containerStatuses: [{name: pytorch,
      containerID: c4, restartCount: 4,
      state: {waiting: {reason: CrashLoopBackOff, message: back-off 40s restarting}},
      lastState: {terminated: {exitCode: 1, reason: Error, containerID: c4}}}]})";
  const Json crashing = pod("master", 0, status);
  const Followed told =
      follow(quiet_wait(), job, {crashing}, {log_of("ddp-master-0", k_line + "Traceback\n")});
  CHECK(told.said("its last lines:\n  Traceback\n"));
  const Followed silent = follow(quiet_wait(), job, {crashing}, {log_of("ddp-master-0", "")});
  CHECK(silent.verdict.error().code == Code::job_failed);
  CHECK(silent.result.outcome.last_lines.empty());
}

TEST_CASE("a job that ran out of memory says what to do about it, also without describe") {
  const Json job = pytorch_job(0, "[" + condition("Failed", "True", "backoff limit") + "]");
  const auto ended = [&job](std::string_view reason) {
    const Json killed = pod("master", 0, terminated(137, "Failed", "c1", reason));
    return follow(quiet_wait(), job, {killed}, {log_of("ddp-master-0", k_line + "epoch 1\n")});
  };
  CHECK(ended("OOMKilled").said("master-0: give it more memory: --memory-limit\n"));
  CHECK(ended("Error").said("master-0: exit 137 may mean out of memory"));
}

TEST_CASE("a log that was deleted with its pod is not offered to be read") {
  const Json job =
      pytorch_job(0, "[" + condition("Failed", "True", "has reached the backoff limit") + "]");
  Json ended = pod("master", 0, terminated(1, "Failed", "c1", "Error", "2026-01-02T03:01:00Z"));
  const auto hint = [&job](const Json& of, const FollowOptions& options) {
    return follow(options, job, {of}, {log_of("ddp-master-0", k_line + "bye\n")})
        .verdict.error()
        .hint;
  };
  CHECK(hint(ended, quiet_wait()) == "its whole log: trainctl logs ddp/master-0");
  ended["status"]["containerStatuses"][0]["restartCount"] = 1;
  ended["status"]["containerStatuses"][0]["lastState"] =
      Json{{"terminated", {{"exitCode", 1}, {"reason", "Error"}}}};
  ended["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:00Z";
  CHECK(hint(ended, quiet_wait()).starts_with("its pod is gone, and its log with it"));
  CHECK(hint(ended, saving_wait()).ends_with("the log of its last run was not read in time"));
  FollowOptions kept;
  kept.logs.places.kept.append = [](std::string_view) { return Status(); };
  kept.logs.places.kept.replace = kept.logs.places.kept.append;
  CHECK(hint(ended, kept) ==
        "its pod is gone; its log as it was printed: trainctl logs ddp/master-0");
}

TEST_CASE("of a restarted replica the log of the run that failed is among those saved") {
  Json failed = pod("master", 0, terminated(1, "Failed", "c2"));
  Json& status = failed["status"]["containerStatuses"][0];
  status["restartCount"] = 1;
  status["lastState"] =
      Json{{"terminated", {{"exitCode", 1}, {"reason", "Error"}, {"containerID", "c1"}}}};
  failed["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:00Z";
  const Json job = pytorch_job(0, "[" + condition("Failed", "True", "backoff limit") + "]");
  const Followed followed =
      follow(saving_wait(), pytorch_job(0, k_running), {pod("master", 0, running())},
             {watch(std::string(k_jobs), {{seconds(4), "MODIFIED", job}}),
              watch(cat(k_ns, "/pods"), {{seconds(2), "MODIFIED", failed}}),
              log_of("ddp-master-0", k_line + "bye\n")});
  CHECK(followed.verdict.error().hint == "its pod is gone, but its log was saved");
}

TEST_CASE("the last lines of one run are not told with the exit code of another") {
  const Json first = pod("master", 0, running());
  Json second = pod("master", 0, terminated(137, "Failed", "c2"));
  second["metadata"]["uid"] = "pod-anew";
  Exchange log = log_of("ddp-master-0", k_line + "of the first\n");
  log.repeat = false;
  log.ending = "never";
  const std::string lost = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,
      "message":"pods \"ddp-master-0\" not found"})";
  const Json failed = pytorch_job(0, "[" + condition("Failed", "True", "backoff limit") + "]");
  FollowOptions options;
  options.logs.places.save = saving_wait().logs.places.save;
  const Followed followed = follow(
      options, pytorch_job(0, k_running), {first},
      {watch(std::string(k_jobs), {{seconds(4), "MODIFIED", failed}}),
       watch(cat(k_ns, "/pods"), {{seconds(2), "DELETED", first}, {seconds(0), "ADDED", second}}),
       log, log_of("ddp-master-0", lost, 404)});
  CHECK(
      followed.said("master-0 exited 137 (SIGKILL); the log of that run was lost; "
                    "the last lines of an earlier run:\n  of the first\n"));
  CHECK(followed.result.outcome.last_lines.empty());
}

TEST_CASE("a restart is told once, also when its pod goes") {
  const std::string before = "{terminated: {exitCode: 3, reason: Error, containerID: c1}}";
  const Json restarted = pod("worker", 0, running("c2", 1, before));
  FollowOptions options = quiet_wait();
  options.deadline = deadline_after(seconds(20), testing::k_begin);
  const Followed followed =
      follow(options, pytorch_job(1, k_running), {pod("master", 0, running()), restarted},
             {watch(cat(k_ns, "/pods"), {{seconds(5), "DELETED", restarted}})});
  const std::string& said = followed.console.stderr_text;
  const auto first = said.find("worker-0 exited 3; restarted (restart 1)");
  REQUIRE(first != std::string::npos);
  CHECK(said.find("restarted (restart 1)", first + 30) == std::string::npos);
}

TEST_CASE("a job that was suspended when we came, and again later, has been suspended by someone") {
  const Json suspended = pytorch_job(0, "[" + condition("Suspended", "True") + "]");
  const Followed followed =
      follow(quiet_wait(), suspended, {},
             {watch(std::string(k_jobs), {{seconds(5), "MODIFIED", pytorch_job(0, k_running)},
                                          {seconds(5), "MODIFIED", suspended}})});
  REQUIRE_FALSE(followed.verdict);
  CHECK(followed.verdict.error().code == Code::removed);
}

TEST_CASE("a replica that goes on printing does not keep a slow reader from the verdict") {
  FollowOptions options;
  options.logs.selection.all = true;
  options.start_timeout = seconds(30);
  Exchange chatty = log_of("ddp-master-0", "");
  chatty.chunks.clear();
  for (int i = 0; i < 3000; ++i) chatty.chunks.push_back({seconds(1), k_line + "step\n"});
  const Json job = pytorch_job(1, k_running);
  FakeCluster cluster({std::move(chatty), list(std::string(k_jobs), {job}),
                       list(cat(k_ns, "/pods"), {pod("master", 0, running()),
                                                 pod("worker", 0, waiting("ImagePullBackOff"))}),
                       list(cat(k_ns, "/events"), {})});
  BufferConsole console;
  console.reader_takes = 1;
  const Time begin = cluster.client->loop().now();
  const auto result = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                 {"ml", "ddp", "job-uid"}, options);
  CHECK(result.outcome.verdict.error().code == Code::not_started);
  CHECK(cluster.client->loop().now() - begin < std::chrono::minutes(30));
}

TEST_CASE("a progress bar that has not ended its line yet is a sign of life, and is shown") {
  FollowOptions options;
  options.deadline = deadline_after(seconds(58), testing::k_begin);
  Exchange log = log_of("ddp-master-0", "");
  log.repeat = false;
  log.ending = "never";
  log.chunks = {{seconds(2), k_line + "begins\n" + k_line + "0%"}};
  for (int part = 1; part < 6; ++part) log.chunks.push_back({seconds(10), cat("\r", part, "0%")});
  const Json job = pytorch_job(0, k_running);
  const std::vector<Json> pods = {pod("master", 0, running())};
  const Followed piped = follow(options, job, pods, {log});
  CHECK_FALSE(piped.said("no new line"));
  CHECK(piped.said("; master-0: "));  // a CI system ends what is silent for long

  FakeCluster cluster({log, list(std::string(k_jobs), {job}), list(cat(k_ns, "/pods"), pods),
                       list(cat(k_ns, "/events"), {})});
  BufferConsole terminal;
  terminal.out_is_tty = terminal.err_is_tty = terminal.redraws = true;
  follow_job(*cluster.client, terminal, *find_kind("pytorch"), {"ml", "ddp", "job-uid"}, options);
  CHECK(terminal.stderr_text.find("master-0: 30%") != std::string::npos);
}

TEST_CASE("a job's run time is its own, not how long somebody watched") {
  Json job = pytorch_job(
      0, "[" + condition("Running", "False") + ", " + condition("Succeeded", "True") + "]");
  job["status"]["startTime"] = "2026-01-02T03:00:00Z";
  job["status"]["completionTime"] = "2026-01-02T04:30:00Z";
  const Followed followed = follow({}, job, {}, {});
  CHECK(followed.said("ddp: Succeeded after 90m"));
}

TEST_CASE("a silence is told half a minute after the last line, and not after the last sign") {
  FollowOptions options;
  options.deadline = deadline_after(seconds(58), testing::k_begin);
  Exchange log = log_of("ddp-master-0", "");
  log.repeat = false;
  log.ending = "never";
  log.chunks = {{seconds(2), "2026-01-02T03:04:07Z begins\n"}};
  const Json job = pytorch_job(0, k_running);
  const std::vector<Json> pods = {pod("master", 0, running())};
  const Followed followed = follow(options, job, pods, {log});
  CHECK(followed.said("no new line for 30s"));

  Exchange old = log;
  old.chunks = {{seconds(2), "2026-01-02T03:02:05Z was printed before anybody followed\n"}};
  CHECK(follow(options, job, pods, {old}).said("no new line for 2m30s"));

  FakeCluster cluster({log, list(std::string(k_jobs), {job}), list(cat(k_ns, "/pods"), pods),
                       list(cat(k_ns, "/events"), {})});
  BufferConsole terminal;
  terminal.out_is_tty = terminal.err_is_tty = terminal.redraws = true;
  follow_job(*cluster.client, terminal, *find_kind("pytorch"), {"ml", "ddp", "job-uid"}, options);
  CHECK(terminal.stderr_text.find("no new line for 29s") == std::string::npos);
  CHECK(terminal.stderr_text.find("1/1 replicas, no new line for 30s") != std::string::npos);
}

TEST_CASE("a saved log says that it is incomplete when its container runs on after the verdict") {
  Json job = pytorch_job(1, "[" + condition("Succeeded", "True") + "]");
  job["spec"]["runPolicy"]["cleanPodPolicy"] = "None";
  Exchange goes_on = log_of("ddp-worker-0", k_line + "1\n");
  goes_on.ending = "never";
  goes_on.query = {{"follow", "true"}};
  const Followed followed = follow(
      saving_wait(), job,
      {pod("master", 0, terminated(0, "Succeeded")), pod("worker", 0, running())},
      {log_of("ddp-master-0", k_line + "done\n"), goes_on, log_of("ddp-worker-0", k_line + "1\n")});
  CHECK(followed.verdict);
  CHECK(
      followed.said("the saved log of worker-0 is incomplete: it still runs; `logs --save-logs` "
                    "saves the rest later\n"));
  CHECK_FALSE(followed.said("saved log of master-0"));
}

}  // namespace follow_verdict_test
}  // namespace trainctl::job
