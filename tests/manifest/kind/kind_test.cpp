// The table of kinds against the templates, which a real API server accepts.
#include "manifest/kind/kind.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "manifest/check.h"
#include "manifest/manifest.h"
#include "manifest/rendering.h"
#include "manifest/warnings.h"

namespace kind_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::at;
using trainctl::testing::yaml;

TEST_CASE("every kind has a built-in template that is a valid job of that kind") {
  CHECK(operator_kinds().size() == 6);
  for (const Kind& kind : operator_kinds()) {
    CAPTURE(kind.alias);
    const Json manifest = yaml(embedded_template(kind));
    CHECK(kind_of(manifest) == &kind);
    const Status checked = check_manifest(kind, manifest);
    CHECK_MESSAGE(checked.has_value(), (checked ? "" : checked.error().message));
    CHECK(manifest_warnings(kind, manifest).empty());
    CHECK(text_at(manifest, "/metadata/generateName") == std::string(kind.alias) + "-");
  }
}

TEST_CASE("every template's replicas have the defaults that keep jobs from hanging") {
  for (const Kind& kind : operator_kinds()) {
    const Json manifest = yaml(embedded_template(kind));
    CAPTURE(kind.alias);
    CHECK(int_at(manifest, cat(kind.controller.run_policy, "/backoffLimit")) == 6);
    CHECK(text_at(manifest, cat(kind.controller.run_policy, "/cleanPodPolicy")) == "Running");
    const auto replicas = replicas_of(kind, manifest);
    CHECK_FALSE(replicas.empty());
    for (const Replica& replica : replicas) {
      CAPTURE(replica.key);
      const Json& spec = *replica.spec;
      const bool restarts = kind.alias == "pytorch" || kind.alias == "paddle";
      CHECK(text_at(spec, "/restartPolicy") == (restarts ? "OnFailure" : "Never"));
      CHECK(int_at(spec, "/replicas") == 1);
      for (const char* map : {"/annotations", "/labels"}) {
        CHECK(text_at(spec, cat(k_pod_metadata, map, "/sidecar.istio.io~1inject")) == "false");
      }
      const Json* container = find_container(spec, kind.container);
      REQUIRE(container != nullptr);
      CHECK(text_at(*container, "/terminationMessagePolicy") == "FallbackToLogsOnError");
    }
  }
}

TEST_CASE("a kind is found by every name that users and kubectl give it") {
  for (const char* name : {"pytorch", "PyTorchJob", "pytorchjobs", "pytorchjob", "PYTORCHJOB",
                           "pytorchjob.kubeflow.org", "pytorchjobs.kubeflow.org"}) {
    CAPTURE(name);
    REQUIRE(find_kind(name) != nullptr);
    CHECK(find_kind(name)->alias == "pytorch");
  }
  for (const char* name : {"", "torch", "pytorchjobss", "job", "pytorch.kubeflow.org"}) {
    CAPTURE(name);
    CHECK(find_kind(name) == nullptr);
  }
}

TEST_CASE("an object of another group or version is not taken for ours") {
  CHECK(kind_of(yaml("{apiVersion: kubeflow.org/v1, kind: TFJob}")) == find_kind("tf"));
  CHECK(kind_of(yaml("{apiVersion: kubeflow.org/v2beta1, kind: TFJob}")) == nullptr);
  CHECK(kind_of(yaml("{apiVersion: batch/v1, kind: Job}")) == nullptr);
  CHECK(kind_of(Json(3)) == nullptr);
}

TEST_CASE("names of kinds and roles lead to one row only") {
  std::set<std::string_view> names;
  const auto first = first_versions();
  for (const Kind& kind : kinds()) {
    const bool is_first = std::find(first.begin(), first.end(), &kind) != first.end();
    CHECK(names.insert(kind.alias).second == is_first);
    CHECK(names.insert(kind.resource.plural).second == is_first);
    std::set<std::string_view> prefixes;
    for (const Role& role : kind.roles) {
      CHECK(prefixes.insert(role.prefix).second);
      CHECK(find_role(kind, role.name) == &role);
      CHECK(find_role(kind, role.prefix) == &role);
      CHECK(lower(role.name) == role.prefix);  // what the operator writes in the pods' labels
    }
  }
}

TEST_CASE("a name leads to the first version of a kind, and that to the one which succeeds it") {
  const Kind& mpi = *find_kind("mpi");
  CHECK(mpi.resource.version == "v1");
  const Kind* next = successor_of(mpi);
  REQUIRE(next != nullptr);
  CHECK(next == kind_of(yaml("{apiVersion: kubeflow.org/v2beta1, kind: MPIJob}")));
  CHECK(next->alias == mpi.alias);
  CHECK(successor_of(*next) == nullptr);
  CHECK(successor_of(*find_kind("tf")) == nullptr);
}

TEST_CASE("the number of replicas is the operator's when the manifest is silent") {
  const Kind& pytorch = *find_kind("pytorch");
  const Json job = yaml("{spec: {pytorchReplicaSpecs: {Worker: {}}}}");
  CHECK(replica_count(pytorch, job, *find_role(pytorch, "worker")) == 1);
  CHECK(replica_count(pytorch, job, *find_role(pytorch, "master")) == 0);
  const Kind& mpi = *find_kind("mpi");
  const Json mpi_job = yaml("{spec: {mpiReplicaSpecs: {Launcher: {}, Worker: {}}}}");
  CHECK(replica_count(mpi, mpi_job, *find_role(mpi, "launcher")) == 1);
  CHECK(replica_count(mpi, mpi_job, *find_role(mpi, "worker")) == 0);
}

TEST_CASE("pods are selected by job and operator, so that a namesake of another kind is left out") {
  CHECK(pod_selector(find_kind("tf"), "x") ==
        "training.kubeflow.org/job-name=x,training.kubeflow.org/operator-name=tfjob-controller");
  CHECK(pod_selector(find_kind("trainjob"), "x") == "jobset.sigs.k8s.io/jobset-name=x");
  CHECK(pod_selector(successor_of(*find_kind("mpi")), "x") ==
        "training.kubeflow.org/job-name=x,training.kubeflow.org/operator-name=mpi-operator");
  CHECK(pod_selector(find_kind("mpi"), "x") == "training.kubeflow.org/job-name=x");  // of either
}

TEST_CASE("a TrainJob's nodes are counted where it says so, and its other roles when they appear") {
  const Kind& kind = *find_kind("trainjob");
  const Role &node = *find_role(kind, "node"), &launcher = *find_role(kind, "launcher");
  const Json plain = yaml("{spec: {trainer: {numNodes: 3}}}");
  CHECK(replica_count(kind, plain, node) == 3);
  CHECK(has_known_count(kind, plain, node));
  CHECK(replica_count(kind, plain, launcher) == 0);
  const Json silent = yaml("{spec: {runtimeRef: {name: torch}}}");  // the runtime says how many
  CHECK(replica_count(kind, silent, node) == 1);
  CHECK_FALSE(has_known_count(kind, silent, node));
  // The launcher may be one of the three.
  const Json led = yaml(
      "{spec: {trainer: {numNodes: 3}}, status: {jobsStatus: [{name: node}, {name: launcher}]}}");
  CHECK(replica_count(kind, led, launcher) == 1);
  CHECK_FALSE(has_known_count(kind, led, node));
  CHECK(replica_count(kind, yaml("{spec: {trainer: {numNodes: -1}}}"), node) == 0);
}

}  // namespace kind_test
