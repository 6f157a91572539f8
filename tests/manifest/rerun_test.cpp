// Another run must be the job that the user wrote, and not a copy of what the server added to it.
#include "manifest/rerun.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/json.h"
#include "manifest/manifest.h"

namespace trainctl::testing {

namespace rerun_test {

Json parsed(std::string_view text) {
  return *parse_json(text, "test");
}

const job::Kind& pytorch() {
  return *job::find_kind("pytorch");
}

TEST_CASE("a rerun has no trace of the server, and keeps what a user may have written") {
  const Json job = parsed(R"({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
    "metadata": {"name": "ddp", "namespace": "ml", "uid": "u", "resourceVersion": "9",
      "generation": 2, "creationTimestamp": "2026-01-02T03:00:05Z", "finalizers": ["x/y"],
      "ownerReferences": [{"uid": "o"}], "labels": {"team": "vision"},
      "annotations": {"trainctl/submission": "s", "trainctl/code": "{}", "note": "mine",
        "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
    "spec": {"runPolicy": {"suspend": true, "backoffLimit": 3}}, "status": {"conditions": []}})");
  const Json expected = parsed(R"({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
    "metadata": {"namespace": "ml", "labels": {"team": "vision"},
      "annotations": {"trainctl/code": "{}", "note": "mine", "trainctl/rerun-of": "ddp",
        "trainctl/rerun-of-uid": "u"},
      "generateName": "ddp-"},
    "spec": {"runPolicy": {"suspend": false, "backoffLimit": 3}}})");
  CHECK(job::rerun_manifest(pytorch(), job) == expected);
}

TEST_CASE("what is kept of a submitted job has no annotations where only trainctl made some") {
  const Json job = parsed(R"({"metadata": {"name": "ddp", "uid": "u",
    "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"}}})");
  CHECK(job::submitted_manifest(job) == parsed(R"({"metadata": {"name": "ddp"}})"));
}

TEST_CASE("a rerun of a rerun is named after the first run") {
  const Json job = parsed(R"({"metadata": {"name": "ddp-x7k2p", "generateName": "ddp-"}})");
  const Json again = job::rerun_manifest(pytorch(), job);
  CHECK(text_at(again, "/metadata/generateName") == "ddp-");
  CHECK(text_at(again, "/metadata/annotations/trainctl~1rerun-of") == "ddp-x7k2p");
}

TEST_CASE("a rerun of one of several attempts is none of them") {
  const Json job = parsed(R"({"metadata": {"name": "ddp"}, "spec": {"pytorchReplicaSpecs": {
    "Master": {"template": {"spec": {"containers": [{"name": "pytorch", "env": [
      {"name": "TRAINCTL_ATTEMPT", "value": "2"}, {"name": "LR", "value": "1"}]}]}}}}}})");
  const Json again = job::rerun_manifest(pytorch(), job);
  CHECK(again.dump().find("TRAINCTL_ATTEMPT") == std::string::npos);
  CHECK(again.dump().find("LR") != std::string::npos);
}

TEST_CASE("words replace the command where the words of the first run were the command") {
  const auto manifest = [](std::string_view container) {
    return parsed(cat(R"({"spec": {"pytorchReplicaSpecs": {"Master": {"template": {"spec": )",
                      R"({"containers": [{"name": "pytorch", )", container, "}]}}}}}}"));
  };
  CHECK(job::words_were_command(pytorch(), manifest(R"("command": ["sh", "x"])")));
  CHECK_FALSE(job::words_were_command(pytorch(), manifest(R"("command": ["sh"], "args": ["x"])")));
  CHECK_FALSE(job::words_were_command(pytorch(), manifest(R"("args": ["x"])")));
  CHECK_FALSE(job::words_were_command(pytorch(), manifest(R"("image": "i")")));
}

}  // namespace rerun_test

// The program of a further attempt must find the checkpoint of the one before, and stay off the
// node that failed it.
namespace rerun_test {

// A job of one master with these members in its pod and its training container.
Json job_with(std::string_view pod, std::string_view container) {
  return *parse_json(
      cat(R"({"spec": {"pytorchReplicaSpecs": {"Master": {"template": {"spec": {)", pod,
          R"("containers": [{"name": "log"}, {"name": "pytorch")", container, "}]}}}}}}"),
      "test");
}

constexpr std::string_view k_spec = "/spec/pytorchReplicaSpecs/Master/template/spec";

Json variables_of(const Json& manifest) {
  return array_at(manifest, cat(k_spec, "/containers/1/env"));
}

TEST_CASE("every attempt has its number, and the latest one replaces those before") {
  Json manifest = job_with("", R"(, "env": [{"name": "LR", "value": "1"}])");
  job::mark_attempt(pytorch(), manifest, 1);
  job::mark_attempt(pytorch(), manifest, 2);
  CHECK(variables_of(manifest) == parsed(R"([{"name": "LR", "value": "1"},
    {"name": "TRAINCTL_ATTEMPT", "value": "2"}])"));
  CHECK(array_at(manifest, cat(k_spec, "/containers/0/env")).empty());
}

TEST_CASE("a further attempt is told where the one before could write for good") {
  constexpr std::string_view k_volumes = R"("volumes": [
    {"name": "scratch", "emptyDir": {}},
    {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
    {"name": "out", "persistentVolumeClaim": {"claimName": "out"}}], )";
  struct Case {
    std::string_view mounts, path;
  };
  constexpr Case k_cases[] = {
      {R"([{"name": "scratch", "mountPath": "/tmp"}])", ""},
      {R"([{"name": "data", "mountPath": "/data", "readOnly": true}])", ""},
      {R"([{"name": "data", "mountPath": "/data", "readOnly": true},
           {"name": "out", "mountPath": "/out/"}])",
       "/out"},
      // The first one in the user's order, and not in the alphabet's.
      {R"([{"name": "out", "mountPath": "/out"}, {"name": "data", "mountPath": "/data"}])", "/out"},
  };
  for (const Case& one : k_cases) {
    CAPTURE(one.mounts);
    Json manifest = job_with(k_volumes, cat(R"(, "volumeMounts": )", one.mounts));
    job::mark_attempt(pytorch(), manifest, 1);
    CHECK(variables_of(manifest).size() == 1);
    job::mark_attempt(pytorch(), manifest, 2);
    const Json variables = variables_of(manifest);
    CHECK(text_at(variables, "/1/name") == (one.path.empty() ? "" : "TRAINCTL_RESUME_FROM"));
    CHECK(text_at(variables, "/1/value") == one.path);
  }
}

TEST_CASE("a bad node is avoided whichever nodes the job is kept to") {
  const Json avoided =
      parsed(R"({"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["gpu-7"]})");
  const auto terms_of = [](const Json& manifest) {
    return array_at(manifest, cat(k_spec,
                                  "/affinity/nodeAffinity/"
                                  "requiredDuringSchedulingIgnoredDuringExecution/"
                                  "nodeSelectorTerms"));
  };
  Json free = job_with("", "");
  job::avoid_node(pytorch(), free, "gpu-7");
  CHECK(terms_of(free) == Json::array({Json{{"matchExpressions", Json::array({avoided})}}}));

  // A node that matches one of several terms will do, so that each must exclude it.
  Json kept = job_with(R"("affinity": {"nodeAffinity":
    {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
      {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}}}, )",
                       "");
  job::avoid_node(pytorch(), kept, "gpu-7");
  const Json terms = terms_of(kept);
  REQUIRE(terms.size() == 2);
  CHECK(terms[0]["matchExpressions"].size() == 2);
  CHECK(terms[0]["matchExpressions"][1] == avoided);
  CHECK(terms[1]["matchExpressions"][0] == avoided);
  CHECK(terms[1]["matchFields"].size() == 1);
}

TEST_CASE("a policy that a replica leaves out is the default of its role") {
  const auto restarts = [](std::string_view kind, std::string_view key, std::string_view spec) {
    return job::restarts_itself(*job::find_kind(kind),
                                parsed(cat(R"({"spec": {)", key, spec, "}}")));
  };
  constexpr std::string_view k_worker = R"({"Worker": {}})";
  CHECK(restarts("pytorch", R"("pytorchReplicaSpecs": )", k_worker));
  CHECK(restarts("paddle", R"("paddleReplicaSpecs": )", k_worker));
  CHECK_FALSE(restarts("tf", R"("tfReplicaSpecs": )", k_worker));
  CHECK_FALSE(restarts("xgboost", R"("xgbReplicaSpecs": )", k_worker));
  CHECK_FALSE(restarts("jax", R"("jaxReplicaSpecs": )", k_worker));
  CHECK_FALSE(restarts("mpi", R"("mpiReplicaSpecs": )", R"({"Launcher": {}, "Worker": {}})"));
  CHECK(restarts("mpijobs.v2beta1.kubeflow.org", R"("mpiReplicaSpecs": )", R"({"Launcher": {}})"));
  const std::string_view no_retry = R"("runPolicy": {"backoffLimit": 0}, "tfReplicaSpecs": )";
  CHECK_FALSE(restarts("tf", no_retry, R"({"Worker": {"restartPolicy": "OnFailure"}})"));
  CHECK(restarts("tf", no_retry, R"({"Worker": {"restartPolicy": "ExitCode"}})"));
}

TEST_CASE("options to change take the place of a command's own, or follow them") {
  const auto proposed = [](const char* command, std::vector<std::string> changes) {
    Json job = parsed(R"({"spec": {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template":
        {"spec": {"containers": [{"name": "pytorch"}]}}}}}})");
    job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0]["command"] =
        parsed(command);
    return join(job::command_with_options(pytorch(), job, changes), " ");
  };
  const char* const train = R"(["python3", "train.py", "--lr", "0.1", "--amp", "data"])";
  CHECK(proposed(train, {"--lr", "-3e-4"}) == "python3 train.py --lr -3e-4 --amp data");
  CHECK(proposed(train, {"--lr=0.3"}) == "python3 train.py --lr=0.3 --amp data");
  CHECK(proposed(train, {"--amp", "--seed", "7"}) ==
        "python3 train.py --lr 0.1 --amp data --seed 7");
  CHECK(proposed(R"(["python3", "t.py", "--lr=1"])", {"--lr", "2"}) == "python3 t.py --lr 2");
  CHECK(proposed(R"(["sh", "-c", "python3 t.py"])", {"--lr", "2"}).empty());
  CHECK(proposed(R"(["python3", "t.py", "--token=hunter2"])", {"--lr", "2"}).empty());
  CHECK(proposed(R"x(["python3", "t.py", "$(OUT)"])x", {"--lr", "2"}).empty());
}

}  // namespace rerun_test

}  // namespace trainctl::testing
