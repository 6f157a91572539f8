// The rest of the logs is read once the job has ended.
#include <doctest/doctest.h>

#include "follow/following.h"
#include "support/objects.h"

namespace trainctl::job {
namespace follow_rest_test {

using namespace trainctl::testing;

TEST_CASE("lines of a worker whose status still says it waits are not lost to clean-up") {
  const Json job = pytorch_job(1, "[" + condition("Succeeded", "True") + "]");
  const Followed followed = follow_all(
      job,
      {pod("master", 0, terminated(0, "Succeeded")), pod("worker", 0, waiting("PodInitializing"))},
      {log_of("ddp-master-0", k_line + "done\n"),
       log_of("ddp-worker-0", k_line + "hello from the worker\n")});
  CHECK(followed.verdict);
  CHECK(followed.console.stdout_text.find("[worker-0] hello from the worker\n") !=
        std::string::npos);
  CHECK(followed.console.stdout_text.find("[master-0] done\n") != std::string::npos);
}

TEST_CASE("a worker that never started does not hold up the verdict") {
  const Json job = pytorch_job(1, "[" + condition("Succeeded", "True") + "]");
  const std::string refusal =
      R"({"kind":"Status","status":"Failure","reason":"BadRequest","code":400,"message":
          "container \"pytorch\" in pod \"ddp-worker-0\" is waiting to start: PodInitializing"})";
  const Followed followed = follow_all(
      job,
      {pod("master", 0, terminated(0, "Succeeded")), pod("worker", 0, waiting("PodInitializing"))},
      {log_of("ddp-master-0", k_line + "done\n"), log_of("ddp-worker-0", refusal, 400)});
  CHECK(followed.verdict);
  CHECK(followed.console.stdout_text == "[master-0] done\n");
}

TEST_CASE("a connection that is down when the verdict comes does not cost the last lines") {
  const Json job = pytorch_job(0, "[" + condition("Succeeded", "True") + "]");
  Exchange down = log_of("ddp-master-0", "");
  down.repeat = false;
  down.ending = "refused";
  const Followed followed =
      follow_all(job, {pod("master", 0, terminated(0, "Succeeded"))},
                 {down, down, down, down, log_of("ddp-master-0", k_line + "accuracy 0.98\n")});
  CHECK(followed.verdict);
  CHECK(followed.console.stdout_text == "accuracy 0.98\n");
}

TEST_CASE("a log that breaks off again after it could be read is told to break off again") {
  const Json job = pytorch_job(0, "[" + condition("Running", "True") + "]");
  const auto broken = [](std::string text) {
    Exchange log = log_of("ddp-master-0", std::move(text));
    log.repeat = false;
    log.ending = "reset";
    return log;
  };
  const std::string second = "2026-01-02T03:00:12.000000001Z two\n";
  Exchange last = log_of("ddp-master-0", second);
  last.ending = "never";
  FollowOptions options;
  options.deadline = deadline_after(std::chrono::minutes(1), testing::k_begin);
  const Followed followed = follow(options, job, {pod("master", 0, running())},
                                   {broken(k_line + "one\n"), broken(second), last});
  const std::string& told = followed.console.stderr_text;
  const std::string_view interrupted = "log of ddp-master-0 interrupted";
  const std::size_t first = told.find(interrupted);
  REQUIRE(first != std::string::npos);
  CHECK(told.find(interrupted, first + 1) != std::string::npos);
}

// The job has succeeded, while a worker's status says that it runs. `stream`: the worker's log
// until its connection is lost. `then`: what is answered about it later.
Followed follow_running_worker(Exchange stream, std::vector<Exchange> then) {
  const Json job = pytorch_job(1, "[" + condition("Succeeded", "True") + "]");
  stream.repeat = false;
  stream.query = {{"follow", "true"}};
  stream.ending = "reset";
  then.insert(then.begin(), {std::move(stream), log_of("ddp-master-0", k_line + "done\n")});
  return follow_all(job,
                    {pod("master", 0, terminated(0, "Succeeded")), pod("worker", 0, running())},
                    std::move(then));
}

TEST_CASE(
    "a pod that came and went while nobody could watch is not told with the next one's lines") {
  const Json job = pytorch_job(0, "[" + condition("Running", "True") + "]");
  const auto made = [](std::string_view uid, std::string_view status) {
    Json one = pod("master", 0, status);
    one["metadata"]["uid"] = uid;
    return one;
  };
  const Json first = made("a", running("c-a"));
  const Json between = made("b", terminated(138, "Failed", "c-b", "Error", "2026-01-02T03:00:20Z"));
  const Json last = made("c", running("c-c"));
  Exchange lost = watch(cat(k_ns, "/pods"), {});
  lost.ending = "reset";
  lost.ends_after = std::chrono::seconds(5);
  const Duration at_once{};
  const Exchange resumed = watch(cat(k_ns, "/pods"), {{at_once, "DELETED", first},
                                                      {at_once, "ADDED", between},
                                                      {at_once, "DELETED", between},
                                                      {at_once, "ADDED", last}});
  Exchange log = log_of("ddp-master-0", k_line + "of the first\n");
  log.repeat = false;
  log.ending = "never";
  Exchange by_name = list(cat(k_ns, "/pods"), {last});
  by_name.query = {{"fieldSelector", "metadata.name=ddp-master-0"}};
  Exchange no_run_before = log_of("ddp-master-0", "", 400);
  no_run_before.query = {{"previous", "true"}};
  FollowOptions options;
  options.logs.selection.all = true;
  options.deadline = deadline_after(std::chrono::minutes(2), testing::k_begin);
  const Followed followed =
      follow(options, job, {first},
             {lost, resumed, by_name, no_run_before, log,
              log_of("ddp-master-0", "2026-01-02T03:00:20.900000001Z of the last\n")});
  CHECK(followed.console.stdout_text == "of the first\nof the last\n");
  CHECK(followed.said("its pod was deleted meanwhile"));
}

TEST_CASE("a worker that goes on after the verdict is read up to now, and not waited for") {
  Exchange stream = log_of("ddp-worker-0", "");
  stream.ends_after = std::chrono::milliseconds(1900);
  const Followed followed =
      follow_running_worker(stream, {log_of("ddp-worker-0", "2026-01-02T03:00:03Z step 7\n")});
  CHECK(followed.verdict);
  CHECK(followed.console.stdout_text == "[master-0] done\n[worker-0] step 7\n");
}

TEST_CASE("lines of a restarted worker after the verdict do not come under the run before") {
  Exchange before = log_of("ddp-worker-0", "2026-01-02T03:00:04Z step 8\n");
  before.query = {{"previous", "true"}};
  const Followed followed = follow_running_worker(
      log_of("ddp-worker-0", "2026-01-02T03:00:03Z step 7\n"),
      {before, log_of("ddp-worker-0", "2026-01-02T03:00:09Z step 7 again\n")});
  CHECK(followed.console.stdout_text == "[master-0] done\n[worker-0] step 7\n");
  CHECK(followed.console.stderr_text.find("possible gap in the log of ddp-worker-0") !=
        std::string::npos);
}

// Its stdout takes so many bytes, and then no more, as on a full disk.
class FullDisk : public BufferConsole {
 public:
  explicit FullDisk(std::size_t room) : room_(room) {}

 private:
  Status write_out(std::string_view bytes) override {
    if (stdout_text.size() + bytes.size() <= room_) return BufferConsole::write_out(bytes);
    return Error{Code::error, "cannot write to stdout: No space left on device", ""};
  }

  std::size_t room_;
};

FollowResult follow_onto(Console& console, const char* phase, int exit_code) {
  const Json job = pytorch_job(0, cat("[", condition(phase, "True"), "]"));
  const bool ok = exit_code == 0;
  const std::string state = terminated(exit_code, ok ? "Succeeded" : "Failed");
  const std::string log = cat(k_line, "epoch 1\n", k_line, "epoch 2\n", k_line, "epoch 3\n");
  FakeCluster cluster({list("/apis/kubeflow.org/v1/namespaces/ml/pytorchjobs", {job}),
                       list(cat(k_ns, "/pods"), {pod("master", 0, state)}),
                       list(cat(k_ns, "/events"), {}), log_of("ddp-master-0", log)});
  return follow_job(*cluster.client, console, *find_kind("pytorch"), {"ml", "ddp", "job-uid"},
                    FollowOptions{});
}

TEST_CASE("15.7: lines that a full disk did not take after the verdict are no success") {
  FullDisk console(8);
  console.reader_takes = 8;
  const FollowResult lost = follow_onto(console, "Succeeded", 0);
  REQUIRE_FALSE(lost.outcome.verdict);
  CHECK(lost.outcome.verdict.error().code == Code::error);
  CHECK(lost.outcome.verdict.error().message.find("No space left") != std::string::npos);
}

TEST_CASE("15.7: a job that failed has failed, and the lines that were lost are said") {
  FullDisk console(8);
  console.reader_takes = 8;
  const FollowResult lost = follow_onto(console, "Failed", 1);
  REQUIRE_FALSE(lost.outcome.verdict);
  CHECK(lost.outcome.verdict.error().code == Code::job_failed);
  CHECK(console.stderr_text.find("No space left") != std::string::npos);
}

TEST_CASE("a full disk under stdout does not delete a job that goes on") {
  FullDisk console(8);
  console.reader_takes = 8;
  FollowOptions options;
  options.leave.on_give_up = OnGiveUp::remove;
  const Json job = pytorch_job(0, "[" + condition("Running", "True") + "]");
  FakeCluster cluster({list(std::string(k_jobs), {job}),
                       list(cat(k_ns, "/pods"), {pod("master", 0, running())}),
                       list(cat(k_ns, "/events"), {}),
                       log_of("ddp-master-0", cat(k_line, "epoch 1\n", k_line, "epoch 2\n"))});
  const FollowResult lost = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                       {"ml", "ddp", "job-uid"}, options);
  REQUIRE_FALSE(lost.outcome.verdict);
  CHECK(lost.outcome.verdict.error().message.find("No space left") != std::string::npos);
  CHECK(lost.outcome.verdict.error().hint.find("the job continues") != std::string::npos);
  CHECK_FALSE(lost.deleted());
  CHECK_FALSE(lost.given_up);
}

TEST_CASE("a job that fails as its last lines meet a full disk has failed") {
  FullDisk console(8);
  console.reader_takes = 8;
  const Json job = pytorch_job(0, "[" + condition("Running", "True") + "]");
  const Json failed = pytorch_job(0, "[" + condition("Failed", "True") + "]");
  const Duration soon = std::chrono::seconds(1);
  FakeCluster cluster(
      {watch(std::string(k_jobs), {{soon, "MODIFIED", failed}}),
       watch(cat(k_ns, "/pods"), {{soon, "MODIFIED", pod("master", 0, terminated(1, "Failed"))}}),
       list(std::string(k_jobs), {job}), list(cat(k_ns, "/pods"), {pod("master", 0, running())}),
       list(cat(k_ns, "/events"), {}),
       log_of("ddp-master-0", cat(k_line, "epoch 1\n", k_line, "epoch 2\n"))});
  const FollowResult lost = follow_job(*cluster.client, console, *find_kind("pytorch"),
                                       {"ml", "ddp", "job-uid"}, FollowOptions{});
  REQUIRE_FALSE(lost.outcome.verdict);
  CHECK(lost.outcome.verdict.error().code == Code::job_failed);
  CHECK(console.stderr_text.find("No space left") != std::string::npos);
}

}  // namespace follow_rest_test
}  // namespace trainctl::job
