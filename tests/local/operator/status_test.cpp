// How conditions replace one another, and each kind's own rules of running, failing and succeeding.
#include "local/operator/status.h"

#include "local/operator/operator_world.h"

namespace trainctl::testing {
namespace status_test {

using namespace local;

std::string types(const JobStatus& status) {
  std::vector<std::string> found;
  for (const Condition& each : status.conditions) found.push_back(cat(each.type, '=', each.status));
  return join(found, " ");
}

JobStatus with(const std::vector<Condition>& conditions) {
  JobStatus status;
  for (const Condition& each : conditions) set_condition(status, each);
  return status;
}

Condition set(std::string_view type, std::string_view status, std::string_view time = "1") {
  const std::string text(time);
  return {std::string(type), std::string(status), cat("Job", type), "m", text, text};
}

TEST_CASE("conditions drive one another out as the operator has it") {
  const struct {
    std::vector<Condition> conditions;
    std::string_view expected;
  } rows[] = {
      {{set("Created", "True"), set("Running", "True")}, "Created=True Running=True"},
      {{set("Running", "True"), set("Restarting", "True")}, "Restarting=True"},
      {{set("Restarting", "True"), set("Running", "True")}, "Running=True"},
      {{set("Running", "True"), set("Succeeded", "True")}, "Running=False Succeeded=True"},
      {{set("Running", "True"), set("Failed", "True")}, "Running=False Failed=True"},
      {{set("Succeeded", "True"), set("Failed", "True")}, "Succeeded=True Failed=True"},
      {{set("Failed", "True"), set("Succeeded", "True")}, "Failed=True"},
      {{set("Created", "True"), set("Running", "True"), set("Created", "True")},
       "Created=True Running=True"},
      {{set("Suspended", "True"), set("Running", "True"), set("Suspended", "False")},
       "Running=True Suspended=False"},
  };
  for (const auto& row : rows) CHECK(types(with(row.conditions)) == row.expected);
}

TEST_CASE("a condition's transition time is that of its status, not of its reason") {
  Condition other = set("Running", "True", "2");
  other.reason = "Other";
  const JobStatus status = with({set("Running", "True", "1"), other});
  CHECK(status.conditions[0].updated == "2");
  CHECK(status.conditions[0].transitioned == "1");
}

TEST_CASE("a status is written as it was read") {
  const Json job = from_text(
      "{status: {completionTime: \"2026-01-02T03:04:09Z\", conditions: [{lastTransitionTime: a, "
      "lastUpdateTime: b, message: m, reason: r, status: \"True\", type: Failed}], "
      "replicaStatuses: {Master: {}, Worker: {active: 1, failed: 2, selector: s, succeeded: 3}}, "
      "startTime: \"2026-01-02T03:04:05Z\"}}");
  CHECK(dump(status_json(read_status(job))) == dump(job["status"]));
}

// A job with some of its pods ended, as one pass sees it.
struct Ending {
  std::string_view what, alias, replicas, spec;
  std::vector<std::pair<std::string_view, int>> ended;  // all others run
  std::string_view conditions, type, message;
};

void check_endings(const std::vector<Ending>& rows) {
  for (const Ending& row : rows) {
    CAPTURE(row.what);
    World world;
    world.submit(make_job(row.alias, "j", std::string(row.replicas), row.spec));
    for (const std::string& pod : world.names("pods")) world.run(pod);
    for (const auto& [pod, code] : row.ended) world.end_unseen(pod, code);
    world.wait();
    CHECK(world.conditions("j") == row.conditions);
    CHECK(world.message("j", row.type) == row.message);
  }
}

constexpr std::string_view k_run = "Created=True Running=True";
constexpr std::string_view k_good = "Created=True Running=False Succeeded=True";
constexpr std::string_view k_bad = "Created=True Running=False Failed=True";

TEST_CASE("TFJob: chief, worker 0 or all workers decide") {
  const std::string_view ps = "{PS: {T}, Worker: {replicas: 2, T}}";
  const std::string_view chief = "{Chief: {T}, Worker: {T}, Evaluator: {T}}";
  const std::string_view all = "  successPolicy: AllWorkers";
  const std::string_view done = "TFJob ml/j successfully completed.";
  const std::string_view runs = "TFJob ml/j is running.";
  check_endings({
      {"runs", "tf", ps, "", {}, k_run, "Running", runs},
      {"worker 0", "tf", ps, "", {{"j-worker-0", 0}}, k_good, "Succeeded", done},
      {"worker 1 alone", "tf", ps, "", {{"j-worker-1", 0}}, k_run, "Running", runs},
      {"not yet all", "tf", ps, all, {{"j-worker-0", 0}}, k_run, "Running", runs},
      {"all", "tf", ps, all, {{"j-worker-0", 0}, {"j-worker-1", 0}}, k_good, "Succeeded", done},
      {"chief", "tf", chief, "", {{"j-chief-0", 0}}, k_good, "Succeeded", done},
      {"a worker beside a chief", "tf", chief, "", {{"j-worker-0", 0}}, k_run, "Running", runs},
      {"worker and evaluator",
       "tf",
       "{Worker: {T}, Evaluator: {T}}",
       "",
       {{"j-worker-0", 0}},
       k_good,
       "Succeeded",
       done},
      {"a worker fails",
       "tf",
       chief,
       "",
       {{"j-worker-0", 5}},
       k_bad,
       "Failed",
       "TFJob ml/j has failed because 1 Worker replica(s) failed."},
      {"a server fails",
       "tf",
       ps,
       "",
       {{"j-ps-0", 5}},
       k_bad,
       "Failed",
       "TFJob ml/j has failed because 1 PS replica(s) failed."},
      {"a dynamic worker fails",
       "tf",
       chief,
       "  enableDynamicWorker: true",
       {{"j-worker-0", 5}},
       k_run,
       "Running",
       runs},
      {"chief done, worker failed",
       "tf",
       chief,
       "",
       {{"j-chief-0", 0}, {"j-worker-0", 5}},
       "Created=True Running=False Succeeded=True Failed=True",
       "Failed",
       "TFJob ml/j has failed because 1 Worker replica(s) failed."},
      {"single worker",
       "tf",
       "{Worker: {T}}",
       "",
       {{"j-worker-0", 4}},
       k_bad,
       "Failed",
       "TFJob ml/j has failed because 1 Worker replica(s) failed."},
  });
}

TEST_CASE("a TFJob whose worker is being restarted says so although its chief runs") {
  World world;
  world.submit(make_job("tf", "j", "{Chief: {T}, Worker: {restartPolicy: ExitCode, T}}"));
  world.run("j-chief-0");
  world.end("j-worker-0", 143);
  CHECK(world.has_event("j",
                        "Warning TFJobRestarting: job j is restarting because Worker "
                        "replica(s) failed."));
  CHECK(!world.has_event("j",
                         "Normal TFJobFailed: TFJob ml/j has failed because 1 Worker "
                         "replica(s) failed."));
  CHECK(world.conditions("j") == k_run);
}

TEST_CASE("XGBoost, Paddle and JAX end by their own rules") {
  const std::string_view led =
      "{Master: {replicas: 1, restartPolicy: Never, T}, "
      "Worker: {replicas: 2, restartPolicy: Never, T}}";
  const std::string_view two = "{Worker: {replicas: 2, restartPolicy: Never, T}}";
  check_endings({
      {"xgboost runs", "xgboost", led, "", {}, k_run, "Running", "XGBoostJob j is running."},
      {"xgboost master",
       "xgboost",
       led,
       "",
       {{"j-master-0", 0}},
       k_good,
       "Succeeded",
       "XGBoostJob j is successfully completed."},
      {"xgboost worker fails",
       "xgboost",
       led,
       "",
       {{"j-worker-1", 2}},
       k_bad,
       "Failed",
       "XGBoostJob j is failed because 1 Worker replica(s) failed."},
      {"paddle master",
       "paddle",
       led,
       "",
       {{"j-master-0", 0}},
       k_good,
       "Succeeded",
       "PaddleJob j is successfully completed."},
      {"paddle workers",
       "paddle",
       two,
       "",
       {{"j-worker-0", 0}, {"j-worker-1", 0}},
       k_good,
       "Succeeded",
       "PaddleJob ml/j successfully completed."},
      {"paddle worker 0 alone",
       "paddle",
       two,
       "",
       {{"j-worker-0", 0}},
       k_run,
       "Running",
       "PaddleJob ml/j is running."},
      {"jax workers",
       "jax",
       two,
       "",
       {{"j-worker-0", 0}, {"j-worker-1", 0}},
       k_good,
       "Succeeded",
       "JAXJob ml/j successfully completed."},
      {"jax worker fails",
       "jax",
       two,
       "",
       {{"j-worker-1", 2}},
       k_bad,
       "Failed",
       "JAXJob j is failed because 1 Worker replica(s) failed."},
  });
}

TEST_CASE("a very short XGBoost master was Running all the same") {
  World world;
  world.submit(make_job("xgboost", "j", "{Master: {replicas: 1, T}}"));
  world.end("j-master-0", 0);
  CHECK(world.conditions("j") == k_good);
}

TEST_CASE("only PyTorch, Paddle and JAX give a selector") {
  for (const std::string_view alias : {"pytorch", "paddle", "jax", "tf"}) {
    CAPTURE(alias);
    World world;
    world.submit(make_job(alias, "j", "{Worker: {T}}"));
    const bool given = !text_at(world.status("j"), "/replicaStatuses/Worker/selector").empty();
    CHECK(given == (alias != "tf"));
  }
}

}  // namespace status_test
}  // namespace trainctl::testing
