// A followed job whose reader goes, or whose reports cannot be written.
#include <doctest/doctest.h>

#include "job_run.h"

namespace trainctl::testing {
namespace following_test {

TEST_CASE("`| head` under --on-interrupt=cancel takes the job along, and says so") {
  const std::string log =
      "- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log\n"
      "  repeat: true\n"
      "  text: \"2026-01-02T03:04:05.1Z epoch 1\\n2026-01-02T03:04:05.6Z epoch 2\\n\"\n"
      "- request: DELETE /apis/kubeflow.org/v1/namespaces/default/pytorchjobs/ddp\n";
  const std::vector<std::string> command = {"logs", "-f", "pytorch/ddp", "--on-interrupt=cancel"};
  JobRun run({"ddp-running", "no-events"}, log + "  reply: {kind: Status, status: Success}\n");
  run.console.pipe_breaks_after = 8;
  CHECK(run(command) == 141);
  CHECK(run.console.stdout_text == "epoch 1\n");
  CHECK(run.says("the reader of stdout went away; job ddp was deleted (--on-interrupt=cancel)"));

  // That the deletion is really sent: a server that refuses it is heard.
  JobRun refused({"ddp-running", "no-events"},
                 log + "  status: 500\n  repeat: true\n  reply: {kind: Status, message: no}\n");
  refused.console.pipe_breaks_after = 8;
  CHECK(refused(command) == 141);
  CHECK(refused.says("warning: "));
  CHECK_FALSE(refused.says("was deleted"));
}

TEST_CASE("`| head` without --on-interrupt=cancel leaves the job alone") {
  JobRun run({"ddp-succeeded", "no-events"},
             "- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log\n"
             "  repeat: true\n"
             "  text: \"2026-01-02T03:04:05.1Z epoch 1\\n2026-01-02T03:04:05.6Z epoch 2\\n\"\n");
  run.console.pipe_breaks_after = 8;
  CHECK(run({"logs", "pytorch/ddp"}) == 141);
  CHECK_FALSE(run.says("deleted"));
}

// Its lines come while the log is read: a reader that goes after the first has not seen the last.
constexpr const char* k_long_log =
    "- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log?tailLines=20\n"
    "  repeat: true\n"
    "  text: \"2026-01-02T03:04:06.1Z Traceback\\n2026-01-02T03:04:07.1Z no data\\n\"\n"
    "- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log\n"
    "  lines: [0s epoch 1, 1s epoch 2, 1s Traceback, 1s no data]\n";

TEST_CASE("the last lines of a digest are the last ones also when stdout took only the first") {
  JobRun run({"ddp-failed", "no-events"}, k_long_log);
  run.console.pipe_breaks_after = 8;
  CHECK(run({"logs", "-f", "pytorch/ddp"}) == 3);
  CHECK(run.console.stdout_text == "epoch 1\n");
  CHECK(run.says("its last lines:\n  Traceback\n  no data\n"));
  CHECK_FALSE(run.says("epoch"));
}

TEST_CASE(
    "`logs -f | head` of a job that has ended has its verdict, whichever answer comes first") {
  for (const auto late : {0, 3}) {
    for (const auto& [world, status] :
         std::vector<std::pair<std::string, int>>{{"ddp-failed", 3}, {"ddp-succeeded", 0}}) {
      CAPTURE(late);
      CAPTURE(world);
      JobRun run({world, "no-events"}, k_long_log);
      for (Exchange& each : run.exchanges) {
        const bool is_answer = each.path.ends_with("/pytorchjobs");
        if (is_answer) each.chunks.front().after = std::chrono::seconds(late);
      }
      run.console.pipe_breaks_after = 8;
      CHECK(run({"logs", "-f", "pytorch/ddp"}) == status);
    }
  }
}

TEST_CASE("a report that cannot be written after all leaves the verdict's exit status") {
  struct Row {
    const char* world;
    int status;
  };
  for (const Row& row : {Row{"ddp-failed", 3}, Row{"ddp-succeeded", 0}}) {
    JobRun run({row.world, "no-events"});
    run.files.write_fails_with = "No space left on device";
    CHECK(run({"wait", "pytorch/ddp", "--result-file=report.json", "--junit=junit.xml"}) ==
          row.status);
    CHECK(run.says("warning: cannot write report.json: No space left on device"));
    CHECK(run.says("warning: cannot write junit.xml: No space left on device"));
  }
}

TEST_CASE("the hint in a report means the job that the report is about") {
  JobRun run({"ddp-failed", "no-events"});
  CHECK(run({"wait", "pytorch/ddp", "--context=c", "--result-file=report.json"}) == 3);
  const std::string& report = run.files.files["report.json"];
  CHECK(report.find("trainctl logs --context c ddp/master-0") != std::string::npos);
  CHECK(run.says("trainctl logs --context c ddp/master-0"));

  JobRun nobody({"no-namesakes"});
  CHECK(nobody({"wait", "pytorch/other", "--context=c", "--result-file=report.json"}) == 5);
  const std::string& gone = nobody.files.files["report.json"];
  CHECK(gone.find("trainctl get --context c") != std::string::npos);
}

}  // namespace following_test
}  // namespace trainctl::testing
