// A user would run a converted job and not know that a field of the old one has no effect any more.
#include "trainer/conversion.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "manifest/manifest.h"
#include "manifest/templates.h"

namespace trainctl::job {
namespace conversion_test {

Json template_of(const Kind& kind) {
  Json manifest = *from_yaml(embedded_template(kind), "template");
  set_at(manifest, "/metadata", {{"name", "ddp"}});
  return manifest;
}

std::vector<std::string> lost(const Kind& kind, const Json& job, OwnRuntime own) {
  const auto result = convert(kind, job, {own});
  REQUIRE(result);
  std::vector<std::string> pointers;
  for (const Loss& loss : result->losses) pointers.push_back(loss.pointer);
  return pointers;
}

bool has(const std::vector<std::string>& pointers, std::string_view pointer) {
  return std::find(pointers.begin(), pointers.end(), pointer) != pointers.end();
}

// All values of the result, as text, to search in.
std::string text_of(const Conversion& result) {
  return cat(dump(result.job), result.runtime ? dump(*result.runtime) : "");
}

TEST_CASE("each field of a pod is in the result or among the losses") {
  const Kind& kind = *find_kind("pytorch");
  const char* fields[] = {"/priorityClassName",
                          "/schedulerName",
                          "/serviceAccountName",
                          "/nodeSelector/zone",
                          "/hostNetwork",
                          "/dnsPolicy",
                          "/securityContext/runAsUser",
                          "/runtimeClassName",
                          "/terminationGracePeriodSeconds",
                          "/containers/0/image",
                          "/containers/0/imagePullPolicy",
                          "/containers/0/workingDir",
                          "/containers/0/resources/limits/cpu",
                          "/containers/0/securityContext/privileged",
                          "/containers/0/tty",
                          "/containers/0/lifecycle/preStop/exec/command",
                          "/containers/0/nobody-knows-it"};
  for (const char* field : fields) {
    CAPTURE(field);
    Json job = template_of(kind);
    for (const char* role : {"Master", "Worker"}) {
      set_at(job, cat("/spec/pytorchReplicaSpecs/", role, "/template/spec", field), "marked");
    }
    const auto with_runtime = convert(kind, job, {});
    REQUIRE(with_runtime);
    CHECK(text_of(*with_runtime).find("marked") != std::string::npos);
    const auto without = convert(kind, job, {OwnRuntime::never});
    REQUIRE(without);
    const std::string pointer = cat("/spec/pytorchReplicaSpecs/Worker/template/spec", field);
    const bool carried = text_of(*without).find("marked") != std::string::npos;
    CHECK(carried != has(lost(kind, job, OwnRuntime::never), pointer));
  }
}

TEST_CASE("a template of each kind loses nothing that has an effect") {
  for (const Kind& kind : operator_kinds()) {
    if (kind.alias == "mpi") continue;
    CAPTURE(kind.alias);
    const auto lost_fields = lost(kind, template_of(kind), OwnRuntime::where_needed);
    const bool has_chief = kind.alias == "tf";
    CHECK(lost_fields.size() == (has_chief ? 1 : 0));
  }
}

TEST_CASE("nodes are counted as the replicas with a rank, and each finds its rank") {
  const Kind& kind = *find_kind("pytorch");
  Json job = template_of(kind);
  set_at(job, "/spec/pytorchReplicaSpecs/Worker/replicas", 3);
  const auto result = convert(kind, job, {});
  REQUIRE(result);
  CHECK(int_at(result->job, "/spec/trainer/numNodes") == 4);
  bool has_rank = false;
  for (const Json& variable : array_at(result->job, "/spec/trainer/env")) {
    if (text_at(variable, "/name") == "WORLD_SIZE") CHECK(text_at(variable, "/value") == "4");
    if (text_at(variable, "/name") == "RANK") has_rank = true;
  }
  CHECK(has_rank);
}

TEST_CASE("fields that the server wrote into a job are no part of a new one") {
  const Kind& kind = *find_kind("jax");
  Json job = template_of(kind);
  for (const char* record : {"/status/conditions", "/metadata/uid", "/metadata/resourceVersion",
                             "/metadata/managedFields", "/metadata/creationTimestamp"}) {
    set_at(job, record, "marked");
  }
  const auto result = convert(kind, job, {});
  REQUIRE(result);
  CHECK(text_of(*result).find("marked") == std::string::npos);
  CHECK(result->losses.empty());
}

TEST_CASE("parameter servers are a loss that is named, for they cannot be nodes") {
  const Kind& kind = *find_kind("tf");
  Json job = template_of(kind);
  set_at(job, "/spec/tfReplicaSpecs/PS", *find(job, "/spec/tfReplicaSpecs/Worker"));
  CHECK(has(lost(kind, job, OwnRuntime::where_needed), "/spec/tfReplicaSpecs/PS"));
}

TEST_CASE("the parts of our own runtimes have names that Trainer 2.4 accepts") {
  constexpr std::size_t k_longest = 20;
  for (const Kind& kind : operator_kinds()) {
    CAPTURE(kind.alias);
    Json job = template_of(kind);
    set_at(job, "/metadata/name", "a-job-whose-name-is-longer-than-that");
    const auto made = convert(kind, job, {.own_runtime = OwnRuntime::always});
    if (!made || !made->runtime) continue;
    const Json& parts = array_at(*made->runtime, "/spec/template/spec/replicatedJobs");
    CHECK_FALSE(parts.empty());
    for (const Json& part : parts) CHECK(text_at(part, "/name").size() <= k_longest);
  }
}

TEST_CASE("an MPIJob's launcher runs the program, and the nodes are its workers") {
  const Kind& kind = *find_kind("mpi");
  Json job = template_of(kind);
  set_at(job, "/spec/slotsPerWorker", 4);
  set_at(job, "/spec/mpiReplicaSpecs/Worker/replicas", 3);
  set_at(job, "/spec/mpiReplicaSpecs/Worker/template/spec/containers/0/resources/limits/cpu", 2);
  const auto made = convert(kind, job, {});
  REQUIRE(made);
  CHECK(int_at(made->job, "/spec/trainer/numNodes") == 3);
  CHECK(int_at(made->job, "/spec/trainer/numProcPerNode") == 4);
  REQUIRE(made->runtime.has_value());
  const Json& jobs = array_at(*made->runtime, "/spec/template/spec/replicatedJobs");
  REQUIRE(jobs.size() == 2);
  const std::string container = "/template/spec/template/spec/containers/0";
  CHECK(int_at(jobs[0], container + "/resources/limits/cpu") == 2);
  CHECK(text_at(jobs[0], container + "/command/0") == "/usr/sbin/sshd");
  CHECK(text_at(jobs[1], "/name") == "launcher");
  // A runtime of the cluster says itself what its nodes are.
  const auto named = convert(kind, job, {.runtime = NamedRuntime{"TrainingRuntime", "mpi"}});
  REQUIRE(named);
  REQUIRE(named->losses.size() == 2);
  CHECK(named->losses[1].pointer ==
        "/spec/mpiReplicaSpecs/Worker/template/spec/containers/0/resourcesPerNode");
}

TEST_CASE("a runtime's arguments do not reach a program that has none of its own") {
  const Kind& kind = *find_kind("pytorch");
  const auto trainer_of = [&](const Json& words, bool runtime_has_arguments) {
    Json job = template_of(kind);
    const std::string container = "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0";
    if (!words.empty()) set_at(job, container + "/command", words);
    NamedRuntime chatty{"TrainingRuntime", "chatty"};
    chatty.has_arguments = runtime_has_arguments;
    const auto made = convert(kind, job, {.runtime = chatty});
    if (!made) return made.error().message;
    const Json& trainer = object_at(made->job, "/spec/trainer");
    return cat(made->starts_through_env ? "told " : "", dump(array_at(trainer, "/command")),
               dump(array_at(trainer, "/args")));
  };
  CHECK(trainer_of({"echo"}, true) == R"(told ["env"]["echo"])");
  // env would take it for a variable, and start nothing.
  CHECK(trainer_of({"./lr=0.1.sh"}, true) ==
        "without arguments of its own, the program would get those of the runtime; trainctl "
        "prevents that by starting it through `env`, which cannot start ./lr=0.1.sh");
  CHECK(trainer_of({"./lr=0.1.sh", "go"}, true) == R"(["./lr=0.1.sh"]["go"])");
  CHECK(trainer_of({"./lr=0.1.sh"}, false) == R"(["./lr=0.1.sh"][])");
  CHECK(trainer_of({"echo"}, false) == R"(["echo"][])");
  CHECK(trainer_of({"echo", "hi"}, true) == R"(["echo"]["hi"])");
  // The program of the runtime, with its own arguments.
  CHECK(trainer_of({}, true) == "[][]");
}

TEST_CASE("an MPIJob of mpi-operator has the policies that the training operator's has") {
  const Kind& kind = *find_kind("mpi");
  Json job = template_of(kind);
  set_at(job, "/spec/runPolicy", {{"backoffLimit", 6}});
  set_at(job, "/spec/cleanPodPolicy", "All");
  set_at(job, "/spec/mainContainer", "mpi");
  const Target target{.becomes = Becomes::successor};
  const auto made = convert(kind, job, target);
  REQUIRE(made);
  CHECK(kind_of(made->job) == successor_of(kind));
  CHECK(text_at(made->job, "/spec/runPolicy/cleanPodPolicy") == "All");
  CHECK(int_at(made->job, "/spec/runPolicy/backoffLimit") == 0);  // may not restart
  CHECK(find(made->job, "/spec/cleanPodPolicy") == nullptr);
  REQUIRE(made->losses.size() == 1);
  CHECK(made->losses[0].pointer == "/spec/mainContainer");
  set_at(job, "/spec/mpiReplicaSpecs/Launcher/restartPolicy", "OnFailure");
  set_at(job, "/spec/mpiReplicaSpecs/Worker/replicas", 0);
  const auto other = convert(kind, job, target);
  REQUIRE(other);
  CHECK(int_at(other->job, "/spec/runPolicy/backoffLimit") == 6);
  CHECK(find(other->job, "/spec/mpiReplicaSpecs/Worker") == nullptr);
  CHECK_FALSE(convert(*find_kind("tf"), template_of(*find_kind("tf")), target));
}

TEST_CASE("a cleanPodPolicy that a TrainJob does not keep is told, wherever the v1 job has it") {
  for (const std::string_view alias : {"pytorch", "mpi"}) {
    for (const char* policy : {"All", "None", "Running"}) {
      CAPTURE(alias);
      CAPTURE(policy);
      const Kind& kind = *find_kind(alias);
      Json job = template_of(kind);
      set_at(job, "/spec/runPolicy/cleanPodPolicy", policy);
      // A JobSet ends what still runs, as Running does.
      CHECK(has(lost(kind, job, OwnRuntime::where_needed), "/spec/runPolicy/cleanPodPolicy") ==
            (std::string_view(policy) != "Running"));
      if (alias != "mpi") continue;
      set_at(job, "/spec/cleanPodPolicy", policy);
      CHECK(has(lost(kind, job, OwnRuntime::where_needed), "/spec/cleanPodPolicy"));
    }
  }
}

}  // namespace conversion_test
}  // namespace trainctl::job
