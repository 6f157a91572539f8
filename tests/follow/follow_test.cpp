// A follower owes its user the whole story when the job ends before the statuses of its pods have
// caught up.
#include <doctest/doctest.h>

#include "follow/following.h"
#include "support/objects.h"

namespace trainctl::job {
namespace follow_test {

using namespace trainctl::testing;

TEST_CASE("a failed job ends with its code, the first failed replica and its last lines") {
  const Json job = pytorch_job(1, "[" + condition("Failed", "True") + "]");
  const Followed followed =
      follow_all(job,
                 {pod("master", 0, terminated(1, "Failed", "c1", "Error", "2026-01-02T03:00:12Z")),
                  pod("worker", 0, terminated(7, "Failed", "c2", "Error", "2026-01-02T03:00:10Z"))},
                 {log_of("ddp-master-0", k_line + "lost my worker\n"),
                  log_of("ddp-worker-0", k_line + "no such file\n")});
  REQUIRE_FALSE(followed.verdict);
  CHECK(followed.verdict.error().code == Code::job_failed);
  CHECK(followed.verdict.error().message == "job ddp failed: worker-0 exited 7");
  CHECK(followed.console.stderr_text.find("worker-0 exited 7; its last lines:\n  no such file\n") !=
        std::string::npos);
}

TEST_CASE("a restart is told with the exit code that led to it, though the next run is over too") {
  const Json job = pytorch_job(0, "[" + condition("Succeeded", "True") + "]");
  const std::string status = R"({phase: Succeeded, containerStatuses: [{name: pytorch,
      containerID: c2, restartCount: 1, state: {terminated: {exitCode: 0, containerID: c2}},
      lastState: {terminated: {exitCode: 9, reason: Error, containerID: c1}}}]})";
  const Followed followed =
      follow_all(job, {pod("master", 0, status)}, {log_of("ddp-master-0", k_line + "again\n")});
  CHECK(followed.verdict);
  CHECK(followed.console.stderr_text.find("master-0 exited 9; restarted (restart 1)\n") !=
        std::string::npos);
}

TEST_CASE("a program that is not there is told as such after restarts, not as failed training") {
  const Json job = pytorch_job(0, "[" + condition("Failed", "True") + "]");
  const std::string status = R"({phase: Running, containerStatuses: [{name: pytorch,
      restartCount: 3, state: {waiting: {reason: CrashLoopBackOff, message: back-off}},
      lastState: {terminated: {exitCode: 128, reason: StartError, message:
        'failed to create task: exec: "trian": executable file not found in $PATH: unknown'}}}]})";
  const Followed followed =
      follow_all(job, {pod("master", 0, status)}, {log_of("ddp-master-0", "")});
  REQUIRE_FALSE(followed.verdict);
  CHECK(followed.verdict.error().code == Code::not_started);
  CHECK(followed.verdict.error().message ==
        "job ddp could not start: pod ddp-master-0: trian: not found in PATH");
}

TEST_CASE(
    "a program that is not there is told as such though the job is known to have failed first") {
  const Json job = pytorch_job(0, "[" + condition("Failed", "True") + "]");
  const std::string status = R"({phase: Failed, containerStatuses: [{name: pytorch, restartCount: 0,
      state: {terminated: {exitCode: 128, reason: StartError, message:
        'failed to create task: exec: "trian": executable file not found in $PATH: unknown'}}}]})";
  Json ended = pod("master", 0, status);
  ended["metadata"]["resourceVersion"] = "21";
  Exchange later;
  later.path = cat(k_ns, "/pods");
  later.query = {{"watch", "true"}};
  later.chunks = {
      {std::chrono::milliseconds(200), dump(Json{{"type", "MODIFIED"}, {"object", ended}}) + "\n"}};
  later.ending = "never";
  const Followed followed =
      follow_all(job, {pod("master", 0, waiting("ContainerCreating"))}, {std::move(later)});
  REQUIRE_FALSE(followed.verdict);
  CHECK(followed.verdict.error().code == Code::not_started);
}

TEST_CASE("a job that is removed with its success has succeeded, and is not called deleted") {
  const Json running = pytorch_job(0, "[" + condition("Running", "True") + "]");
  const Json done = pytorch_job(0, "[" + condition("Succeeded", "True") + "]");
  Exchange removal;
  removal.path = "/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs";
  removal.query = {{"watch", "true"}};
  removal.chunks = {
      {std::chrono::milliseconds(200), dump(Json{{"type", "DELETED"}, {"object", done}}) + "\n"}};
  removal.ending = "never";
  const Followed followed =
      follow_all(running, {pod("master", 0, terminated(0, "Succeeded"))},
                 {std::move(removal), log_of("ddp-master-0", k_line + "done\n")});
  CHECK(followed.verdict);
  CHECK(followed.console.stdout_text == "done\n");
}

TEST_CASE("a job whose image cannot be pulled ends as not started once its time is up") {
  const Json job = pytorch_job(0, "[" + condition("Created", "True") + "]");
  FakeCluster cluster(
      {list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}),
       list(cat(k_ns, "/pods"), {pod("master", 0, waiting("ImagePullBackOff", "no such image"))}),
       list(cat(k_ns, "/events"), {})});
  FollowOptions options;
  options.start_timeout = std::chrono::minutes(5);
  BufferConsole console;
  const auto result = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                 {"ml", "ddp", "job-uid"}, options);
  REQUIRE_FALSE(result.outcome.verdict);
  CHECK(result.outcome.verdict.error().code == Code::not_started);
  CHECK(result.outcome.verdict.error().message.find("pod ddp-master-0") != std::string::npos);
}

TEST_CASE("--fail-fast ends with a dead replica while the rest waits for it for ever") {
  const Json job = pytorch_job(1, "[" + condition("Running", "True") + "]");
  FakeCluster cluster({list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}),
                       list(cat(k_ns, "/pods"), {pod("master", 0, running()),
                                                 pod("worker", 0, terminated(1, "Failed", "c2"))}),
                       list(cat(k_ns, "/events"), {}), log_of("ddp-worker-0", k_line + "bye\n")});
  FollowOptions options;
  options.logs.selection.none = true;
  options.goal.fail_fast = true;
  options.deadline = deadline_after(std::chrono::hours(1), testing::k_begin);
  BufferConsole console;
  const auto result = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                 {"ml", "ddp", "job-uid"}, options);
  REQUIRE_FALSE(result.outcome.verdict);
  CHECK(result.outcome.verdict.error().code == Code::job_failed);
  CHECK(result.outcome.verdict.error().message ==
        "gave up on job ddp, which is Running: worker-0 exited 1 (--fail-fast)");
}

TEST_CASE("a reader of stdout who is slow gets every line, and holds up neither logs nor verdict") {
  const Json job = pytorch_job(0, "[" + condition("Succeeded", "True") + "]");
  std::string log;
  std::string lines;
  for (int i = 0; i < 100; ++i) {
    log += cat(k_line, "line ", i, '\n');
    lines += cat("line ", i, '\n');
  }
  FakeCluster cluster({list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}),
                       list(cat(k_ns, "/pods"), {pod("master", 0, terminated(0, "Succeeded"))}),
                       list(cat(k_ns, "/events"), {}), log_of("ddp-master-0", log)});
  BufferConsole console;
  console.reader_takes = 10;
  const auto result = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                 {"ml", "ddp", "job-uid"}, FollowOptions{});
  CHECK(result.outcome.verdict);
  CHECK(console.stdout_text == lines);
  CHECK(console.stderr_text.find("waiting for the reader of stdout to take the last ") !=
        std::string::npos);
}

TEST_CASE("a pod that is cleaned up while a slow reader takes the last lines is still summed up") {
  const Json job = pytorch_job(1, "[" + condition("Succeeded", "True") + "]");
  const Json worker = pod("worker", 0, running("c1", 1));
  std::string log;
  for (int i = 0; i < 3000; ++i) log += cat(k_line, "line ", i, '\n');
  Exchange watch = list(cat(k_ns, "/pods"), {});
  watch.query = {{"watch", "true"}};
  watch.repeat = false;
  watch.ending = "never";
  const Json deleted{{"type", "DELETED"}, {"object", worker}};
  watch.chunks = {{std::chrono::seconds(8), dump(deleted) + "\n"}};
  FakeCluster cluster(
      {list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}), watch,
       list(cat(k_ns, "/pods"), {pod("master", 0, terminated(0, "Succeeded")), worker}),
       list(cat(k_ns, "/events"), {}), log_of("ddp-master-0", log),
       log_of("ddp-worker-0", "2026-01-02T03:00:03Z step 7\n")});
  BufferConsole console;
  console.reader_takes = 1000;
  const auto result = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                 {"ml", "ddp", "job-uid"}, FollowOptions{});
  CHECK(result.outcome.verdict);
  CHECK(result.state.replicas.back().run.state == RunState::missing);
  CHECK(console.stderr_text.find("worker-0 was restarted 1 time\n") != std::string::npos);
}

TEST_CASE("a reader of stdout who never reads does not outlast --timeout") {
  const Json job = pytorch_job(0, "[" + condition("Succeeded", "True") + "]");
  FakeCluster cluster({list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}),
                       list(cat(k_ns, "/pods"), {pod("master", 0, terminated(0, "Succeeded"))}),
                       list(cat(k_ns, "/events"), {}),
                       log_of("ddp-master-0", k_line + "never read\n")});
  BufferConsole console;
  console.reader_takes = 0;
  FollowOptions options;
  options.deadline = deadline_after(std::chrono::minutes(1), testing::k_begin);
  const auto result = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                 {"ml", "ddp", "job-uid"}, options);
  REQUIRE_FALSE(result.outcome.verdict);
  CHECK(result.outcome.verdict.error().code == Code::timeout);
}

TEST_CASE(
    "with a full disk behind a slow reader logs are held back, and every line still comes once") {
  const Json job = pytorch_job(0, "[" + condition("Succeeded", "True") + "]");
  Exchange log = log_of("ddp-master-0", "");
  log.chunks.clear();
  std::string lines;
  for (int piece = 0; piece < 40; ++piece) {
    std::string text;
    for (int i = 0; i < 500; ++i) {
      const std::string line = cat("line ", piece * 500 + i, ' ', std::string(600, 'x'), '\n');
      text += k_line + line;
      lines += line;
    }
    log.chunks.push_back({std::chrono::milliseconds(10), std::move(text)});
  }
  FakeCluster cluster({list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}),
                       list(cat(k_ns, "/pods"), {pod("master", 0, terminated(0, "Succeeded"))}),
                       list(cat(k_ns, "/events"), {}), std::move(log)});
  BufferConsole console;
  console.reader_takes = 3000;
  FollowOptions options;
  options.logs.places.spool_directory = "/no/such/directory";
  const auto result = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                 {"ml", "ddp", "job-uid"}, options);
  CHECK(result.outcome.verdict);
  CHECK(console.stdout_text.size() == lines.size());
  CHECK(std::string_view(console.stdout_text) == lines);
  CHECK(console.stderr_text.find("no more is read until the reader of stdout catches up") !=
        std::string::npos);
}

}  // namespace follow_test
}  // namespace trainctl::job
