// What a user is told of a job that the machine of the embedded cluster cannot hold.
#include "work/create/local_manifest.h"

#include <doctest/doctest.h>

#include "job/manifest/claims.h"

namespace trainctl::testing {
namespace TEST_FILE {

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
    CHECK(work::not_kept_locally(*job::find_kind("pytorch"), job, {}, machine) == row.told);
  }
}

TEST_CASE("a claim that comes with the job need not exist on a real cluster") {
  const Json volume = {{"name", "v"}, {"persistentVolumeClaim", {{"claimName", "data"}}}};
  const Json spec = {{"template", {{"spec", {{"volumes", {volume}}}}}}};
  const Json job = {{"spec", {{"pytorchReplicaSpecs", {{"Master", spec}}}}}};
  const auto told = [&job](const std::vector<job::Companion>& companions) {
    return work::not_kept_locally(*job::find_kind("pytorch"), job, companions, Machine{4, 1});
  };
  const Json claim = {{"metadata", {{"name", "data"}}}};
  const Json other = {{"metadata", {{"name", "other"}}}};
  const std::vector<std::string> notice = {
      "the embedded cluster creates claims at first use: on a real one they must exist"};
  CHECK(told({}) == notice);
  CHECK(told({{job::k_claims, other}}) == notice);
  CHECK(told({{job::k_claims, claim}}).empty());
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
