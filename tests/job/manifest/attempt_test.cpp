// The program of a further attempt must find the checkpoint of the one before, and stay off the
// node that failed it.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/json.h"
#include "job/manifest/manifest.h"
#include "job/manifest/rerun.h"

namespace trainctl::testing {
namespace TEST_FILE {

const job::Kind& pytorch() {
  return *job::find_kind("pytorch");
}

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

Json parsed(std::string_view text) {
  return *parse_json(text, "test");
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

TEST_CASE("a job that is none of several attempts has no trace of one") {
  Json manifest = job_with("", "");
  const Json before = manifest;
  job::mark_attempt(pytorch(), manifest, 3);
  job::unmark_attempt(pytorch(), manifest);
  CHECK(manifest == before);
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

}  // namespace TEST_FILE
}  // namespace trainctl::testing
