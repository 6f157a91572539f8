// Notices about a job that the machine of the embedded cluster cannot hold.
#include "work/create/local_manifest.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "manifest/companions.h"

namespace trainctl::testing {
namespace local_manifest_test {

TEST_CASE("29.16: requests beyond the machine are told, with both figures") {
  struct Row {
    const char* resources;
    std::vector<std::string> told;
  };
  const Row rows[] = {
      {R"({"requests": {"cpu": "1", "memory": "2Gi"}})", {}},
      {R"({"requests": {"cpu": "1500m"}})",
       {"the job requests 5 CPUs and this machine has 4: its replicas share them"}},
      {R"({"requests": {"memory": "3Gi"}})",
       {"the job requests 9 GiB of memory and this machine has 8: the kernel may kill it"}},
      {R"({"requests": {"memory": "9Ei"}})",
       {"the job requests 8589935 GiB of memory and this machine has 8: the kernel may kill it"}},
      {R"({"requests": {"cpu": "many", "memory": 7}})", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.resources);
    const Json spec = {
        {"template",
         {{"spec",
           {{"containers",
             {{{"name", "pytorch"}, {"resources", *parse_json(row.resources, "test")}}}}}}}}};
    Json workers = spec;
    workers["replicas"] = 2;
    const Json job = {{"spec", {{"pytorchReplicaSpecs", {{"Master", spec}, {"Worker", workers}}}}}};
    const Machine machine{4, std::int64_t{8} << 30};
    CHECK(work::not_kept_locally(*job::find_kind("pytorch"), job, {}, {}, machine) == row.told);
  }
}

TEST_CASE("a claim that comes with the job need not exist on a real cluster") {
  const Json volume = {{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "data"}}}};
  const Json spec = {{"template", {{"spec", {{"volumes", {volume}}}}}}};
  const Json job = {{"spec", {{"pytorchReplicaSpecs", {{"Master", spec}}}}}};
  const auto told = [&job](const std::vector<job::DependentObject>& companions) {
    return work::not_kept_locally(*job::find_kind("pytorch"), job, companions, {}, Machine{4, 1});
  };
  const Json claim = {{"metadata", {{"name", "data"}}}};
  const Json other = {{"metadata", {{"name", "other"}}}};
  const std::vector<std::string> notice = {
      "the embedded cluster creates claims at first use: on a real one they must exist"};
  CHECK(told({}) == notice);
  CHECK(told({{job::k_claims, other}}) == notice);
  CHECK(told({{job::k_claims, claim}}).empty());
}

TEST_CASE("replicas that share a machine share its cores, where nobody chose the threads") {
  const char* const k_notice =
      "the replicas share 16 cores: each gets OMP_NUM_THREADS=2; -e OMP_NUM_THREADS=N sets another "
      "number";
  struct Row {
    int workers;
    const char* container;
    std::map<std::string, std::string, std::less<>> caller;
    std::string threads;
    bool told;
  };
  const Row rows[] = {
      {7, R"({"args": ["python3", "train.py"]})", {}, "2", true},
      {0, R"({"args": ["python3", "train.py"]})", {}, "", false},
      {99, R"({"args": ["python3", "train.py"]})", {}, "1", false},
      {7, R"({"env": [{"name": "OMP_NUM_THREADS", "value": "5"}]})", {}, "5", false},
      {7, R"({"envFrom": [{"configMapRef": {"name": "all"}}]})", {}, "", false},
      {7, R"({"args": ["train"]})", {{"OMP_NUM_THREADS", "3"}}, "3", false},
      {7, R"({"args": ["torchrun", "train.py"]})", {}, "", false},
      {7, R"({"args": ["python3", "-m", "torch.distributed.run"]})", {}, "", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.container);
    CAPTURE(row.workers);
    Json container = *parse_json(row.container, "test");
    container["name"] = "pytorch";
    const Json spec = {{"template", {{"spec", {{"containers", {container}}}}}}};
    Json workers = spec;
    workers["replicas"] = row.workers;
    Json job = {{"spec", {{"pytorchReplicaSpecs", {{"Master", spec}, {"Worker", workers}}}}}};
    const Machine machine{16, std::int64_t{8} << 30};
    work::localize(*job::find_kind("pytorch"), Environment(row.caller), "/w", machine, job);
    const Json& env =
        array_at(job, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/env");
    const std::string threads = env.empty() ? "" : text_at(env, "/0/value");
    CHECK(threads == row.threads);
    const auto told = work::not_kept_locally(*job::find_kind("pytorch"), job, {},
                                             Environment(row.caller), machine);
    const bool is_told = std::ranges::find(told, k_notice) != told.end();
    CHECK(is_told == row.told);
  }
}

}  // namespace local_manifest_test
}  // namespace trainctl::testing
