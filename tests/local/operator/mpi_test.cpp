// An MPIJob as verified on a real cluster and in the operator's source: launcher, workers, events.
#include "local/operator/operator.h"
#include "local/operator/operator_world.h"

namespace trainctl::testing {
namespace mpi_test {

TEST_CASE("an MPIJob has no services and runs with its launcher") {
  World world;
  world.submit(make_job("mpi", "mpi", "{Launcher: {T}, Worker: {replicas: 2, T}}"));
  CHECK(world.names("pods") ==
        std::vector<std::string>{"mpi-launcher", "mpi-worker-0", "mpi-worker-1"});
  CHECK(world.names("services").empty());
  CHECK(world.names("configmaps") == std::vector<std::string>{"mpi-config"});
  CHECK(world.names("serviceaccounts") == std::vector<std::string>{"mpi-launcher"});
  CHECK(world.has_event("mpi", "Normal SuccessfulCreatePod: Created worker pod: mpi-worker-0"));
  world.run("mpi-worker-0");
  world.run("mpi-worker-1");
  CHECK(world.conditions("mpi") == "Created=True");
  CHECK(world.counts("mpi", "Worker") == "active 2");
  const auto map = world.store->get(served("configmaps"), "ml", "mpi-config");
  CHECK(text_at(*map, "/data/discover_hosts.sh") ==
        "#!/bin/sh\necho mpi-worker-0:1\necho mpi-worker-1:1");
  world.run("mpi-launcher");
  CHECK(world.conditions("mpi") == "Created=True Running=True");
  CHECK(world.message("mpi", "Running") == "MPIJob mpi is running.");
  world.end("mpi-launcher", 0);
  CHECK(world.conditions("mpi") == "Created=True Running=False Succeeded=True");
  CHECK(world.message("mpi", "Succeeded") == "MPIJob mpi is successfully completed.");
}

TEST_CASE("a failed launcher fails its MPIJob, with a reason of its own") {
  World world;
  world.submit(
      make_job("mpi", "mpi", "{Launcher: {T}, Worker: {replicas: 1, T}}", "  cleanPodPolicy: All"));
  world.run("mpi-launcher");
  world.end("mpi-launcher", 1);
  CHECK(text_at(world.condition("mpi", "Failed"), "/reason") == "MPIJobMPIJobFailed");
  CHECK(world.message("mpi", "Failed") ==
        "MPIJob mpi is failed because 1 Launcher replica(s) failed.");
  CHECK(world.has_event("mpi", "Warning MPIJobFailed: MPIJob ml/mpi has failed"));
  CHECK(world.names("pods").empty());
}

TEST_CASE("an MPIJob without a launcher never starts, and its event says why") {
  World world;
  world.submit(make_job("mpi", "mpi", "{Worker: {replicas: 1, T}}"));
  world.wait(60s);
  CHECK(world.status("mpi").empty());
  CHECK(world.names("pods").empty());
  CHECK(world.has_event("mpi",
                        "Warning MPIJobFailedValidation: MPIJob failed validation because "
                        "MPIReplicaSpec is not valid: Master ReplicaSpec must be present"));
}

TEST_CASE("an MPIJob's events mention its launcher") {
  World world;
  world.submit(make_job("mpi", "mpi", "{Launcher: {T}}"));
  CHECK(world.has_event("mpi", "Normal MPIJobRunning: launcher pod created success: mpi-launcher"));
  world.run("mpi-launcher");
  CHECK(world.has_event("mpi", "Normal MPIJobRunning: MPIJob ml/mpi is running"));
  CHECK(world.has_event("mpi", "Normal ServiceAccount is exist: ServiceAccount: mpi-launcher"));
  world.end("mpi-launcher", 0);
  CHECK(world.has_event("mpi", "Normal mpijobsSucceeded: MPIJob ml/mpi successfully completed."));
}

}  // namespace mpi_test
}  // namespace trainctl::testing
