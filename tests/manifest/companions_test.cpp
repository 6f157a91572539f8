// Config maps and secrets in a job's file: what is one, what is refused, and that no value leaks.
#include "manifest/companions.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"

namespace trainctl::testing {
namespace companions_test {

const std::string k_job = "{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: ddp}}";

std::string config_map(const std::string& rest, const std::string& metadata = "name: settings") {
  return cat("{apiVersion: v1, kind: ConfigMap, metadata: {", metadata, "}, ", rest, "}");
}
std::string secret(const std::string& rest) {
  return cat("{apiVersion: v1, kind: Secret, metadata: {name: hub}, ", rest, "}");
}

Result<job::JobFile> read(const std::vector<std::string>& documents) {
  auto values = from_yaml_stream(join(documents, "\n---\n"), "job.yaml");
  REQUIRE(values);
  return job::sort_documents(*std::move(values), "job.yaml");
}

// The fault of one config map or secret; "" when nothing is.
std::string fault(const std::string& document) {
  auto file = read({k_job, document});
  if (!file) return file.error().message;
  const Status checked = job::complete_companions(file->companions, "team");
  return checked ? "" : checked.error().message;
}

TEST_CASE("14.27: the config maps and secrets of a file are found beside its job, in any order") {
  const auto file = read({secret("data: {}"), k_job, config_map("data: {}")});
  REQUIRE(file);
  CHECK(text_at(file->job, "/metadata/name") == "ddp");
  REQUIRE(file->companions.size() == 2);
  CHECK(file->companions[0].title() == "secret/hub");
  CHECK(file->companions[1].title() == "configmap/settings");
  const auto listed = read(
      {cat("{apiVersion: v1, kind: List, items: [", config_map("data: {}"), ", ", k_job, "]}")});
  REQUIRE(listed);
  CHECK(listed->companions.size() == 1);
}

TEST_CASE("14.27: a file without exactly one job, or with more than config maps, is refused") {
  const auto refusal = [](const std::vector<std::string>& documents) {
    const auto file = read(documents);
    if (!file) return file.error().message;
    return file->others.empty() ? "" : job::refuse_others("job.yaml", *file).message;
  };
  CHECK(refusal({}) == "job.yaml: the document is empty");
  CHECK(refusal({config_map("data: {}")}) == "job.yaml: v1 ConfigMap is not a training job");
  CHECK(refusal({k_job, k_job}) ==
        "job.yaml holds more than one job: PyTorchJob ddp and PyTorchJob ddp");
  CHECK(refusal({k_job, "{apiVersion: v1, kind: Service, metadata: {name: board}}"}) ==
        "job.yaml: Service board cannot be created with the job: config maps, secrets and claims "
        "can");
  const std::string service = "{apiVersion: v1, kind: Service, metadata: {name: board}}";
  CHECK(refusal({service, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}", k_job})
            .starts_with("job.yaml: Service board and Deployment web cannot be created"));
  CHECK(refusal({k_job, "[1]"}) != "");
  CHECK(refusal({k_job, "{apiVersion: v2, kind: ConfigMap}"}) != "");
}

TEST_CASE("a TrainingRuntime in the file of a TrainJob comes with it; what others use does not") {
  const std::string api = "apiVersion: trainer.kubeflow.org/v1alpha1";
  const std::string train_job = cat("{", api, ", kind: TrainJob, metadata: {name: ddp}}");
  const std::string rest = "metadata: {name: tuned, labels: {a: b}}, spec: {mlPolicy: {}}}";
  const std::string runtime = cat("{", api, ", kind: TrainingRuntime, ", rest);
  auto file = read({runtime, train_job});
  REQUIRE(file);
  REQUIRE(file->companions.size() == 1);
  CHECK(file->companions[0].title() == "trainingruntime/tuned");
  REQUIRE(job::complete_companions(file->companions, "team"));
  CHECK(text_at(file->companions[0].object, "/metadata/namespace") == "team");

  const auto shared = read({cat("{", api, ", kind: ClusterTrainingRuntime, ", rest), train_job});
  REQUIRE(shared);
  CHECK(job::refuse_others("job.yaml", *shared).message ==
        "job.yaml: ClusterTrainingRuntime tuned cannot be created with the job: it belongs to the "
        "whole cluster");
  const auto of_v1 = read({runtime, k_job});
  REQUIRE(of_v1);
  CHECK(of_v1->companions.empty());
  CHECK(job::refuse_others("job.yaml", *of_v1).message ==
        "job.yaml: TrainingRuntime tuned cannot be created with the job: config maps, secrets and "
        "claims "
        "can");
}

TEST_CASE("14.27: what the server would refuse of a config map is found before anything is sent") {
  CHECK(fault(config_map("data: {a: b, c: null}, binaryData: {d: aGk=}, immutable: true")) == "");
  CHECK(fault(secret("type: Opaque, data: {a: aGk=}, stringData: {b: c}")) == "");
  CHECK(fault(config_map("data: {}", "namespace: team, name: settings")) == "");
  CHECK(fault(config_map("data: {}", "labels: {}")) == "configmap/: metadata.name: is missing");
  CHECK(fault(config_map("data: {}", "name: A")).find("metadata.name: 'A' may hold only") !=
        std::string::npos);
  CHECK(fault(config_map("data: {}", "name: settings, namespace: other")) ==
        "configmap/settings: metadata.namespace: is other, and the job's is team");
  CHECK(fault(config_map("data: {PORT: 8080}")) == "configmap/settings: data.PORT: is not text");
  CHECK(fault(config_map("data: [a]")) == "configmap/settings: data: must hold fields");
  CHECK(fault(config_map("data: {a/b: c}")).find("the key may hold only") != std::string::npos);
  CHECK(fault(config_map("data: {..: c}")).find("begin with '..'") != std::string::npos);
  CHECK(fault(config_map("binaryData: {a: '?'}")) ==
        "configmap/settings: binaryData.a: is not base64");
  CHECK(fault(config_map("dta: {a: b}")) == "configmap/settings: dta: there is no such field");
  CHECK(fault(config_map("data: {}", "name: settings, annotations: [a]")) ==
        "configmap/settings: metadata.annotations: must hold fields");
  CHECK(fault(config_map(cat("data: {a: ", std::string((1U << 20U) + 1, 'x'), "}"))) ==
        "configmap/settings: holds 1048577 bytes; at most 1048576 are allowed");
  CHECK(fault(cat(config_map("data: {}"), "\n---\n", config_map("data: {}"))) ==
        "configmap/settings: is in the file twice");
}

TEST_CASE("14.27: no value of a secret is in an error, ours or the server's") {
  const std::string wrong = fault(secret("data: {token: 'hunter2!'}"));
  CHECK(wrong == "secret/hub: data.token: is not base64");
  const auto file =
      read({k_job, secret("data: {token: aHVudGVyMg==}, stringData: {user: ada99, n: x}"),
            config_map("data: {a: hunter2}")});
  REQUIRE(file);
  const std::string said = "invalid: aHVudGVyMg== hunter2 hunter2 ada99 x";
  CHECK(job::without_data(said, file->companions[0]) == "invalid: *** *** *** *** x");
  CHECK(job::without_data(said, file->companions[1]) == said);
}

}  // namespace companions_test
}  // namespace trainctl::testing
