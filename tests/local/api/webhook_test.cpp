// The operator's webhooks: every refusal that a real server was heard to give, and who gives none.
#include "local/api/webhook.h"

#include <doctest/doctest.h>

#include "local/api/admitting.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing::local_objects;

const std::string k_master = "/spec/pytorchReplicaSpecs/Master";
const std::string k_worker = "/spec/pytorchReplicaSpecs/Worker";
const std::string k_containers = "spec.pytorchReplicaSpecs[Master].template.spec.containers";

std::string denied(std::string_view kind, const std::string& why) {
  return cat("403 Forbidden: admission webhook \"validator.", kind,
             ".training-operator.kubeflow.org\" denied the request: ", why);
}

std::string pytorch_verdict(const std::vector<Setting>& settings) {
  return verdict(ask(pytorch_job(settings)));
}

// A job of another kind with one good replica block per role.
Json job_of(std::string_view kind, std::string_view map, std::string_view container,
            const std::vector<std::string>& roles) {
  Json job = {{"apiVersion", "kubeflow.org/v1"},
              {"kind", kind},
              {"metadata", {{"name", "ok"}, {"namespace", "default"}}},
              {"spec", {{map, Json::object()}}}};
  const Json containers = Json::array({{{"name", container}, {"image", "busybox:1"}}});
  for (const std::string& role : roles) {
    set_at(job, cat("/spec/", map, '/', role),
           {{"replicas", 1}, {"template", {{"spec", {{"containers", containers}}}}}});
  }
  return job;
}

std::string with(Json job, const std::vector<Setting>& settings, const Json* before = nullptr) {
  for (const Setting& setting : settings) apply(job, setting);
  return verdict(ask(job, before));
}

TEST_CASE("a PyTorchJob is refused for the reasons and in the words of its webhook") {
  const std::string roles = "spec.pytorchReplicaSpecs";
  const std::string no_container =
      k_containers + ": Required value: must have at least one container with name pytorch";
  const std::string one_master = roles + "[Master].replicas: Forbidden: must be 1";
  struct Row {
    std::vector<Setting> settings;
    std::string why;
  };
  const Row rows[] = {
      {{{k_master + "/template/spec/containers/0/name", "\"main\""}}, no_container},
      {{{k_master + "/template/spec/containers/0/name", "\"main\""}, {k_master + "/replicas", "2"}},
       "[" + no_container + ", " + one_master + "]"},
      {{{k_master + "/template/spec/containers", "[]"}},
       "[" + k_containers + ": Required value: must be specified, " + no_container + "]"},
      {{{k_master + "/replicas", ""}}, one_master},
      {{{k_worker + "/replicas", "0"}}, roles + "[Worker].replicas: Forbidden: must be at least 1"},
      {{{k_master + "/template/spec/containers/0/image", ""}},
       k_containers + "[0].image: Required value: must be required"},
      {{{"/spec", ""}}, roles + ": Required value: must be required"},
      {{{"/metadata/name", "\"a.b\""}},
       "metadata.name: Invalid value: \"a.b\": should match: a DNS-1035 label must consist of "
       "lower case alphanumeric characters or '-', start with an alphabetic character, and end "
       "with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation "
       "is '[a-z]([-a-z0-9]*[a-z0-9])?')"},
      {{{"/spec/runPolicy/managedBy", "\"x\""}},
       "spec.runPolicy.managedBy: Unsupported value: \"x\": supported values: "
       "\"kueue.x-k8s.io/multikueue\", \"kubeflow.org/training-operator\""},
      {{{"/spec/elasticPolicy", "{}"}, {k_worker, ""}},
       roles + "[Worker]: Required value: must be configured if elastic policy is used"},
      {{{"/spec/elasticPolicy/nProcPerNode", "2"}, {"/spec/nprocPerNode", "\"2\""}},
       "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode"},
  };
  for (const Row& row : rows) CHECK(pytorch_verdict(row.settings) == denied("pytorchjob", row.why));
  const std::string long_name(64, 'a');
  CHECK(pytorch_verdict({{"/metadata/name", dump(Json(long_name))}}) ==
        denied("pytorchjob", "metadata.name: Invalid value: \"" + long_name +
                                 "\": should match: must be no more than 63 characters"));
}

TEST_CASE("a role in lower case is refused with the roles there are") {
  Json job = pytorch_job({{k_worker, ""}});
  Json& map = job["spec"]["pytorchReplicaSpecs"];
  map["master"] = map["Master"];
  map.erase("Master");
  CHECK(verdict(ask(job)) ==
        denied("pytorchjob",
               "spec.pytorchReplicaSpecs[master]: Unsupported value: \"master\": supported values: "
               "\"Master\", \"Worker\""));
}

TEST_CASE("a denial has no details, by which clients distinguish it from missing rights") {
  const auto answer = ask(pytorch_job({{k_master + "/replicas", "2"}}));
  const auto* error = std::get_if<ApiError>(&answer);
  REQUIRE(error != nullptr);
  CHECK(error->details.is_null());
}

TEST_CASE("the old place of processes per node is taken with a warning") {
  const Admitted job = admitted(pytorch_job({{"/spec/elasticPolicy/nProcPerNode", "2"}}));
  CHECK(job.warnings ==
        std::vector<std::string>{"spec.elasticPolicy.nProcPerNode is deprecated, use "
                                 "spec.nprocPerNode instead"});
}

TEST_CASE("a warning is given with a denial, too") {
  const auto answer = ask(
      pytorch_job({{"/spec/elasticPolicy/nProcPerNode", "2"}, {"/spec/nprocPerNode", "\"2\""}}));
  const auto* error = std::get_if<ApiError>(&answer);
  REQUIRE(error != nullptr);
  CHECK(error->warnings.size() == 1);
}

TEST_CASE("a TFJob may have any role but only one leader") {
  const Json job = job_of("TFJob", "tfReplicaSpecs", "tensorflow", {"Chief", "Worker", "Foo"});
  CHECK(verdict(ask(job)) == "admitted");
  CHECK(with(job, {{"/spec/tfReplicaSpecs/Chief/replicas", "2"}}) == "admitted");
  const Json two = job_of("TFJob", "tfReplicaSpecs", "tensorflow", {"Chief", "Master"});
  CHECK(verdict(ask(two)) ==
        denied("tfjob",
               "spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master "
               "role"));
}

TEST_CASE("an XGBoostJob needs its master, once") {
  const Json workers = job_of("XGBoostJob", "xgbReplicaSpecs", "xgboost", {"Worker"});
  CHECK(verdict(ask(workers)) ==
        denied("xgboostjob", "spec.xgbReplicaSpecs[Master]: Required value: must be present"));
  const Json job = job_of("XGBoostJob", "xgbReplicaSpecs", "xgboost", {"Master", "Worker"});
  CHECK(with(job, {{"/spec/xgbReplicaSpecs/Master/replicas", ""}}) ==
        denied("xgboostjob", "spec.xgbReplicaSpecs[Master].replicas: Forbidden: must be 1"));
  CHECK(with(job, {{"/spec/xgbReplicaSpecs/Worker/replicas", "0"}}) == "admitted");
}

TEST_CASE("Paddle and JAX name their container as their webhooks do") {
  const Json paddle = job_of("PaddleJob", "paddleReplicaSpecs", "main", {"Worker"});
  CHECK(verdict(ask(paddle)) ==
        denied("paddlejob",
               "spec.paddleReplicaSpecs[Worker].template.spec.containers: Required value: must "
               "have at least one container with name \"paddle\""));
  const Json jax = job_of("JAXJob", "jaxReplicaSpecs", "jax", {"Master"});
  CHECK(verdict(ask(jax)) ==
        denied("jaxjob",
               "spec.jaxReplicaSpecs[Master]: Unsupported value: \"Master\": supported "
               "values: \"Worker\""));
}

TEST_CASE("an MPIJob has no webhook: all that its schema takes is admitted") {
  Json job = job_of("MPIJob", "mpiReplicaSpecs", "anything", {"Nonsense"});
  CHECK(with(job, {{"/metadata/name", "\"1.a\""}, {"/spec/runPolicy/managedBy", "\"x\""}}) ==
        "admitted");
}

TEST_CASE("who manages a job cannot change, for the kinds whose webhook looks") {
  const std::string path = "/spec/runPolicy/managedBy";
  const Setting ours{path, "\"kubeflow.org/training-operator\""};
  const Setting theirs{path, "\"kueue.x-k8s.io/multikueue\""};
  const std::string fixed =
      "spec.runPolicy.managedBy: Invalid value: \"kueue.x-k8s.io/multikueue\": field is immutable";
  Json tf = job_of("TFJob", "tfReplicaSpecs", "tensorflow", {"Worker"});
  apply(tf, ours);
  CHECK(with(tf, {theirs}, &tf) == denied("tfjob", fixed));
  CHECK(with(tf, {{path, ""}}, &tf) ==
        denied("tfjob", "spec.runPolicy.managedBy: Invalid value: null: field is immutable"));
  const Json pytorch = pytorch_job({ours});
  CHECK(with(pytorch, {theirs}, &pytorch) == "admitted");
  CHECK(with(job_of("JAXJob", "jaxReplicaSpecs", "jax", {"Worker"}), {{path, "\"x\""}}) ==
        "admitted");
}

}  // namespace TEST_FILE
