// How a TrainJob is, by conditions that come late, counts of Jobs that rise and fall, and pods.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "manifest/rendering.h"
#include "status/judgement.h"
#include "status/state.h"

namespace train_state_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::yaml;

Json train_job(const std::string& status, const std::string& more = "") {
  const bool suspended = status.find("type: Suspended, status: 'True'") != std::string::npos;
  return yaml(
      cat("{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, metadata: {name: ddp, "
          "namespace: ml, uid: u1, creationTimestamp: '2026-01-02T03:00:00Z'",
          more, "}, spec: {runtimeRef: {name: torch}, trainer: {numNodes: 2}, suspend: ",
          suspended ? "true" : "false", "}, status: {", status, "}}"));
}

std::string condition(const std::string& type, const std::string& status,
                      const std::string& reason = "Reason") {
  return cat("{type: ", type, ", status: '", status, "', reason: ", reason,
             ", message: words, lastTransitionTime: '2026-01-02T03:05:00Z'}");
}

std::string counts(const std::string& fields) {
  return cat("jobsStatus: [{name: node, ", fields, "}]");
}

// `state`: of its container; "" = no node has taken the pod.
Json pod(int index, const std::string& state, const std::string& created = "03:00:01") {
  Json made = yaml(cat(
      "{metadata: {name: ddp-node-0-", index, "-abcde, namespace: ml, uid: pod-", index, created,
      ", creationTimestamp: '2026-01-02T", created, "Z', labels: {",
      "jobset.sigs.k8s.io/jobset-name: ddp, jobset.sigs.k8s.io/replicatedjob-name: node, ",
      "batch.kubernetes.io/job-completion-index: '", index, "'}}, ",
      "spec: {restartPolicy: OnFailure, containers: [{name: node}]}, status: {phase: Pending}}"));
  if (state.empty()) return made;
  made["spec"]["nodeName"] = "a";
  made["status"] = yaml(cat("{phase: Running, containerStatuses: [{name: node, ", state, "}]}"));
  return made;
}

const std::string k_runs = "restartCount: 0, state: {running: {startedAt: '2026-01-02T03:01:00Z'}}";
const std::string k_crashes =
    "restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: "
    "{exitCode: 3, finishedAt: '2026-01-02T03:02:00Z', startedAt: '2026-01-02T03:01:50Z'}}";
const std::string k_no_image = "restartCount: 0, state: {waiting: {reason: ImagePullBackOff}}";

JobState judge_train(const Json& job, const std::vector<Json>& pods = {},
                     const std::vector<Json>& events = {}, const std::vector<Json>& gone = {}) {
  return judge(*find_kind("trainjob"), job, pods, events, gone);
}

Json event(const std::string& kind, const std::string& name, const std::string& reason,
           const std::string& message, const std::string& at = "03:02:00") {
  return {{"type", "Warning"},
          {"reason", reason},
          {"message", message},
          {"lastTimestamp", cat("2026-01-02T", at, "Z")},
          {"involvedObject", {{"kind", kind}, {"name", name}, {"namespace", "ml"}}}};
}

TEST_CASE("a TrainJob's phase is neither that of its last condition nor that of its counts") {
  const std::string complete = condition("Complete", "True"), failed = condition("Failed", "True");
  const std::string suspended = condition("Suspended", "True");
  const std::string resumed = condition("Suspended", "False", "Resumed");
  const auto conditions = [](const std::string& all) { return cat("conditions: [", all, "]"); };
  struct Row {
    const char* what;
    std::string status;
    std::vector<Json> pods;
    Phase phase;
  };
  const std::vector<Row> rows = {
      {"no status yet", "", {}, Phase::submitted},
      {"all counts are zero at first", counts("active: 0"), {}, Phase::pending},
      {"pods wait for a node", counts("active: 1"), {pod(0, ""), pod(1, "")}, Phase::pending},
      {"pods pull their image",
       counts("active: 1"),
       {pod(0, k_no_image), pod(1, k_no_image)},
       Phase::starting},
      {"one of two runs, which the counts do not tell",
       counts("active: 1, ready: 0"),
       {pod(0, k_runs), pod(1, "")},
       Phase::running},
      {"all run, and this user may not see pods",
       counts("active: 1, ready: 1"),
       {},
       Phase::running},
      {"counts are zero between two runs of a container",
       counts("active: 0, ready: 0"),
       {pod(0, k_crashes), pod(1, k_runs)},
       Phase::restarting},
      {"failed before the JobSet starts again", counts("active: 0, failed: 1"), {}, Phase::pending},
      {"its time is up, and counts stay",
       cat(counts("active: 1, ready: 1"), ", ",
           conditions(condition("Failed", "True", "DeadlineExceeded"))),
       {pod(0, k_runs)},
       Phase::failed},
      {"suspended when complete", conditions(cat(complete, ", ", suspended)), {}, Phase::succeeded},
      {"resumed",
       cat(counts("active: 1, ready: 1"), ", ", conditions(resumed)),
       {pod(0, k_runs), pod(1, k_runs)},
       Phase::running},
      {"suspended", cat(counts("suspended: 1"), ", ", conditions(suspended)), {}, Phase::suspended},
      {"failed, whatever came later", conditions(cat(failed, ", ", resumed)), {}, Phase::failed},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(phase_name(judge_train(train_job(row.status), row.pods).phase) == phase_name(row.phase));
  }
  const Json queued = train_job(conditions(suspended), ", labels: {kueue.x-k8s.io/queue-name: lq}");
  CHECK(judge_train(queued).phase == Phase::queued);
}

TEST_CASE("the object that cannot be made tells why a TrainJob has no pods") {
  const Json unseen = train_job("");
  const auto blocker = [](const Json& job, const Json& event, std::vector<Json> pods = {}) {
    const JobState state = judge_train(job, pods, {event});
    return state.blocker ? state.blocker->message : "";
  };
  CHECK(blocker(unseen, event("TrainJob", "ddp", "TrainJobResourcesCreationFailed",
                              "TrainJob resources reconciliation failed: too long")) == "");
  Json own = event("TrainJob", "ddp", "TrainJobResourcesCreationFailed",
                   "TrainJob resources reconciliation failed: too long");
  own["involvedObject"]["uid"] = "u1";
  CHECK(blocker(unseen, own) == "too long");
  const Json begun = train_job(counts("active: 0"));
  CHECK(blocker(begun, event("JobSet", "ddp", "JobCreationFailed", "invalid")) == "invalid");
  CHECK(blocker(begun, event("JobSet", "ddp2", "JobCreationFailed", "invalid")) == "");
  CHECK(blocker(begun, event("Job", "ddp", "FailedCreate", "of a Job beside it")) == "");
  const Json quota = event("Job", "ddp-node-0", "FailedCreate", "Error creating: exceeded quota");
  CHECK(blocker(begun, quota) == "exceeded quota");
  CHECK(blocker(begun, quota, {pod(0, k_runs), pod(1, "", "03:03:00")}) == "");  // made since
  CHECK(blocker(begun, event("Job", "ddp-node-0", "FailedCreate", "former", "02:00:00")) == "");
}

TEST_CASE("an image that came late is not why a TrainJob failed") {
  const std::string conditions =
      cat("conditions: [", condition("Failed", "True", "FailedJobs"), "]");
  const Json pull = event("Pod", "ddp-node-0-1-abcde", "Failed",
                          "Failed to pull image \"registry/train:1\": timeout");
  const JobState state = judge_train(train_job(conditions), {}, {pull});
  CHECK_FALSE(state.first_failed);
  CHECK(state.message == "words");
}

TEST_CASE("a suspended TrainJob waits for nothing that its former pods met") {
  const std::string conditions = cat("conditions: [", condition("Suspended", "True"), "]");
  const Json pull = event("Pod", "ddp-node-0-1-abcde", "Failed",
                          "Failed to pull image \"registry/train:1\": timeout");
  CHECK_FALSE(judge_train(train_job(conditions), {}, {pull}).blocker);
  CHECK_FALSE(judge_train(train_job(conditions), {}, {}, {pod(1, k_no_image)}).blocker);
  CHECK_FALSE(
      judge_train(train_job(counts("active: 0")), {}, {pull}).blocker);  // goes on with others
}

TEST_CASE("a TrainJob that was out of time before its image came could not start") {
  const std::string conditions =
      cat("conditions: [", condition("Failed", "True", "DeadlineExceeded"), "]");
  const Json pull = event("Pod", "ddp-node-0-1-abcde", "Failed",
                          "Failed to pull image \"registry/train:1\": timeout");
  const JobState state = judge_train(train_job(conditions), {}, {pull});
  REQUIRE(state.first_failed);
  CHECK(state.replicas[*state.first_failed].never_started());
}

TEST_CASE("a TrainJob's first failed node is known after all its pods have been deleted") {
  Json first = pod(1, k_crashes), stopped = pod(0, k_runs);
  for (Json* gone : {&first, &stopped}) {
    (*gone)["metadata"]["deletionTimestamp"] = "2026-01-02T03:02:29Z";
    (*gone)["metadata"]["deletionGracePeriodSeconds"] = 30;
  }
  stopped["status"]["phase"] = "Failed";
  stopped["status"]["containerStatuses"][0]["state"] =
      yaml("{terminated: {exitCode: 143, finishedAt: '2026-01-02T03:01:59Z'}}");
  const std::string conditions =
      cat("conditions: [", condition("Failed", "True", "FailedJobs"), "]");
  const JobState state = judge_train(train_job(conditions), {}, {}, {first, stopped});
  REQUIRE(state.first_failed);
  CHECK(state.replicas[*state.first_failed].id.name() == "node-1");
  CHECK(state.replicas[*state.first_failed].last_exit.code == 3);
  CHECK(state.replicas[*state.first_failed].pod.expected_name == "ddp-node-0-1-abcde");
}

TEST_CASE("of the pods of a restarted TrainJob the newest is the replica's") {
  Json before = pod(0, k_crashes), now = pod(0, k_runs, "03:04:00");
  const JobState state = judge_train(train_job(counts("active: 1")), {now, before});
  CHECK(state.replicas[0].run.state == RunState::running);
  CHECK(state.replicas[0].run.restarts == 0);
}

TEST_CASE("a TrainJob that leaves its number of nodes to the runtime has those that there are") {
  Json job = train_job(counts("active: 1"));
  job["spec"]["trainer"].erase("numNodes");
  const JobState state = judge_train(job, {pod(0, k_runs), pod(2, k_runs)});
  REQUIRE(state.replicas.size() == 3);
  CHECK(state.replicas[1].run.state == RunState::missing);
  CHECK(state.replicas[2].rank == 2);
}

}  // namespace train_state_test
