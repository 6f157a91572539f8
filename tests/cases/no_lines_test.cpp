// The words of `logs` when there is nothing to print, whatever limits are given.
#include <algorithm>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "job_run.h"

namespace trainctl::testing {
namespace no_lines_test {

constexpr const char* k_job =
    "- request: GET /apis/kubeflow.org/v1/namespaces/default/pytorchjobs/ddp\n"
    "  repeat: true\n"
    "  reply: {apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: ddp, namespace: "
    "default, uid: uid-ddp}, spec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: "
    "{containers: [{name: pytorch, image: x}]}}}}, runPolicy: {backoffLimit: 6}}, status: "
    "{conditions: [{type: Created, status: \"True\", lastTransitionTime: "
    "\"2026-01-02T03:00:05Z\"}]}}\n";

// `status`: of the master's pod; "" = there is none.
std::string pods(const std::string& status) {
  const std::string pod = cat(
      "{apiVersion: v1, kind: Pod, metadata: {name: ddp-master-0, namespace: default, uid: u-0, "
      "labels: {training.kubeflow.org/job-name: ddp, training.kubeflow.org/operator-name: "
      "pytorchjob-controller, training.kubeflow.org/replica-type: master, "
      "training.kubeflow.org/replica-index: \"0\"}, ownerReferences: [{apiVersion: "
      "kubeflow.org/v1, kind: PyTorchJob, name: ddp, uid: uid-ddp, controller: true}]}, spec: {",
      status.find("containerStatuses") == std::string::npos ? "" : "nodeName: node-a, ",
      "containers: [{name: pytorch, image: x}]}, status: ", status, "}");
  return cat("- request: GET /api/v1/namespaces/default/pods?limit=500\n  repeat: true\n",
             "  reply: {kind: List, metadata: {resourceVersion: \"8\"}, items: [",
             status.empty() ? "" : pod, "]}\n");
}

std::string container(const std::string& phase, const std::string& state, int restarts = 0) {
  return cat("{phase: ", phase, ", containerStatuses: [{name: pytorch, restartCount: ", restarts,
             ", ", state, "}]}");
}

constexpr const char* k_start_error =
    "terminated: {exitCode: 128, reason: StartError, startedAt: \"1970-01-01T00:00:00Z\", "
    "message: 'exec: \"trian\": executable file not found in $PATH'}";

struct Nothing {
  std::string pod;
  int status;
  std::string why;  // said whatever the limits are; "" = depends on them
};

const std::vector<Nothing> k_nothings = {
    {"", 5, "master-0 of job ddp has no pod and so no log"},
    {"{phase: Pending, conditions: [{type: PodScheduled, status: \"False\", reason: "
     "Unschedulable, message: no GPU}]}",
     1, "master-0 has not started: Unschedulable: no GPU"},
    {container("Pending", "state: {waiting: {reason: PodInitializing}}"), 1,
     "master-0 has not started: PodInitializing"},
    {container("Pending", "state: {waiting: {reason: ImagePullBackOff, message: no image}}"), 1,
     "master-0 has not started: ImagePullBackOff: no image"},
    {container("Pending",
               "state: {waiting: {reason: CreateContainerConfigError, message: no "
               "secret}}"),
     1, "master-0 has not started: CreateContainerConfigError: no secret"},
    {container("Failed", cat("state: {", k_start_error, "}")), 5,
     "master-0 of job ddp could not start"},
    {container(
         "Running",
         cat("state: {waiting: {reason: CrashLoopBackOff}}, lastState: {", k_start_error, "}"), 1),
     5, "master-0 of job ddp could not start"},
    {container("Running", "state: {running: {startedAt: \"2026-01-02T03:01:00Z\"}}"), 0, ""},
    {container("Succeeded", "state: {terminated: {exitCode: 0, reason: Completed}}"), 0, ""},
};

const std::vector<std::vector<std::string>> k_limits = {
    {},
    {"--tail=50"},
    {"--tail=0"},
    {"--tail=-1"},
    {"--since=10m"},
    {"--since=0"},
    {"--since-time=2026-01-02T03:00:00Z"},
    {"--tail=50", "--since=10m"},
    {"--tail=50", "--since-time=2026-01-02T03:00:00Z"},
};

const std::vector<std::vector<std::string>> k_choices = {
    {"pytorch/ddp"}, {"pytorch/ddp/master-0"}, {"pytorch/ddp", "--all"}};

TEST_CASE("logs says why there is nothing to print, under every limit") {
  const std::string log =
      "- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log\n"
      "  repeat: true\n"
      "  text: \"\"\n";
  for (const Nothing& nothing : k_nothings) {
    for (const auto& limits : k_limits) {
      for (const auto& choice : k_choices) {
        std::vector<std::string> command = {"logs"};
        command.insert(command.end(), choice.begin(), choice.end());
        command.insert(command.end(), limits.begin(), limits.end());
        CAPTURE(nothing.why);
        CAPTURE(join(command, " "));
        JobRun run({"no-events"}, cat(k_job, pods(nothing.pod), log));
        CHECK(run(command) == nothing.status);
        CHECK(run.console.stdout_text.empty());
        CAPTURE(run.console.stderr_text);
        CHECK_FALSE(run.console.stderr_text.empty());
        CHECK(run.says(nothing.why));
      }
    }
  }
}

TEST_CASE("logs --previous of what never ran fails as logs does") {
  for (const Nothing& nothing : k_nothings) {
    if (nothing.status == 0) continue;
    CAPTURE(nothing.pod);
    JobRun run({"no-events"},
               cat(k_job, pods(nothing.pod),
                   "- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log\n"
                   "  repeat: true\n"
                   "  status: 400\n"
                   "  reply: {kind: Status, code: 400, message: 'previous terminated container "
                   "\"pytorch\" in pod \"ddp-master-0\" not found'}\n"));
    CHECK(run({"logs", "pytorch/ddp", "--previous"}) != 0);
    CHECK_FALSE(run.console.stderr_text.empty());
  }
}

TEST_CASE("a log that is empty is told from one without lines in the limits") {
  const std::string empty =
      cat(k_job, pods(k_nothings.back().pod),
          "- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log\n  text: \"\"\n");
  struct Row {
    std::vector<std::string> limits;
    const char* says;
  };
  for (const Row& row :
       {Row{{}, "nothing has been printed"}, Row{{"--tail=5"}, "nothing has been printed"},
        Row{{"--tail=0"}, "no lines were asked for (--tail 0)"},
        Row{{"--since=10m"}, "no line was printed since 2026-01-02T02:54:05Z"}}) {
    JobRun run({"no-events"}, empty);
    std::vector<std::string> command = {"logs", "pytorch/ddp"};
    command.insert(command.end(), row.limits.begin(), row.limits.end());
    CHECK(run(command) == 0);
    CHECK(run.console.stderr_text == cat(row.says, '\n'));
  }
}

}  // namespace no_lines_test
}  // namespace trainctl::testing
