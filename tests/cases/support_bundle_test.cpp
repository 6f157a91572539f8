// A bundle goes to strangers: it names what it lacks, and holds no credential of the pods.
#include <doctest/doctest.h>

#include "cases/job_run.h"
#include "support/tar_program.h"

namespace trainctl::testing {
namespace support_bundle_test {

constexpr const char* k_versions = R"(
- request: GET /version
  reply: {gitVersion: v1.34.4}
- request: GET /apis
  reply: {kind: APIGroupList, groups: []}
)";

constexpr const char* k_more = R"(
- request: GET /api/v1/namespaces/default/pods?limit=500
  repeat: true
  items:
    - object: ddp-master-0-failed-3
      metadata:
        resourceVersion: "6"
        managedFields: [{manager: kubelet}]
        annotations:
          kubectl.kubernetes.io/last-applied-configuration:
            '{"spec": {"containers": [{"env": [{"name": "LOGIN", "value": "planted-4"}]}]}}'
      spec:
        containers:
          - name: pytorch
            args: [--api-key, planted-1]
            env: [{name: WANDB_API_KEY, value: planted-2}, {name: NCCL_DEBUG, value: INFO}]
- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log
  repeat: true
  text: |
    2026-01-02T03:04:05.1Z https://ada:planted-3@hub.test
    2026-01-02T03:04:06.1Z RuntimeError: no data
)";

TEST_CASE("a pod's impossible name leads nobody out of the bundle, and writes no line of it") {
  const std::string pods = R"(
- request: GET /api/v1/namespaces/default/pods?limit=500
  repeat: true
  items:
    - {object: ddp-master-0-failed-3, metadata: {name: ../../../../evil}}
    - {object: ddp-master-0-failed-3, metadata: {name: "a\nb\e[2J"}}
)";
  JobRun run({"ddp-failed", "no-events"}, cat(pods, k_versions));
  REQUIRE(run({"support-bundle", "pytorch/ddp", "-o", "-"}) == 0);
  CHECK_FALSE(run.files.files.contains("/work/-"));
  const std::string listed = tar_says(run.console.stdout_text, "-tz");
  CHECK(listed.starts_with("ddp/CONTENTS.txt\n"));
  CHECK(listed.find("pods/") == std::string::npos);
  CHECK(tar_says(run.console.stdout_text, "-xzO").find('\x1b') == std::string::npos);
}

TEST_CASE("a support bundle begins with its contents, is private, and holds no planted secret") {
  JobRun run({"ddp-failed", "no-events"}, cat(k_more, k_versions));
  REQUIRE(run({"support-bundle", "pytorch/ddp", "-o", "/work/ddp.tar.gz"}) == 0);
  CHECK(run.files.private_files.contains("/work/ddp.tar.gz"));
  const std::string bundle = run.files.files["/work/ddp.tar.gz"];
  const std::string listed = tar_says(bundle, "-tz");
  CHECK(listed.starts_with("ddp/CONTENTS.txt\n"));
  for (const char* name : {"why.txt", "report.json", "pods/ddp-master-0.json", "events.jsonl",
                           "needs.txt", "version.json", "config.json", "logs/master-0.log"}) {
    CAPTURE(name);
    CHECK(listed.find(cat("ddp/", name, "\n")) != std::string::npos);
  }
  const std::string contents = tar_says(bundle, "-xzO ddp/CONTENTS.txt");
  CHECK(contents.find("doctor.json: the job does not run\n") != std::string::npos);
  CHECK(contents.find("logs/worker-0.log: ") != std::string::npos);
  const std::string all = tar_says(bundle, "-xzO");
  CHECK(all.find("planted") == std::string::npos);
  CHECK(all.find("managedFields") == std::string::npos);
  for (const char* kept : {"RuntimeError: no data", "WANDB_API_KEY", "NCCL_DEBUG", "INFO",
                           "master-0 exited 3", "v1.34.4"}) {
    CAPTURE(kept);
    CHECK(all.find(kept) != std::string::npos);
  }
}

TEST_CASE("a support bundle shows what processes wait for, but no secret of their command lines") {
  constexpr const char* k_inside = R"(
- request: GET /api/v1/namespaces/default/pods/ddp-worker-0/exec
  protocol: v5.channel.k8s.io
  messages:
    - send:
        - 1
        - |
          submission-1 process 7
          submission-1 state S
          submission-1 command python train.py --lr 0.1 --api-key planted-1 planted2a0123456789abcdef
          submission-1 wchan pipe_read
          submission-1 end
    - send: [3, {status: Success}]
- request: GET /api/v1/namespaces/default/pods/ddp-master-0/log
  text: ""
- request: GET /api/v1/namespaces/default/pods/ddp-worker-0/log
  text: ""
)";
  JobRun run({"ddp-running", "no-events", "no-last-lines", "master-waits-in-all-reduce"},
             cat(k_inside, k_versions));
  run.unique_id = "submission-1";
  REQUIRE(run({"support-bundle", "pytorch/ddp", "-o", "/work/ddp.tar.gz"}) == 0);
  const std::string inside = tar_says(run.files.files["/work/ddp.tar.gz"], "-xzO ddp/doctor.json");
  CHECK(inside.find("python train.py --lr 0.1 --api-key *** ***") != std::string::npos);
  CHECK(inside.find("all_reduce") != std::string::npos);
  CHECK(inside.find("planted") == std::string::npos);
}

TEST_CASE("a bundle of a job that is not there leaves no file") {
  JobRun run({"no-jobs"});
  CHECK(run({"support-bundle", "ddp", "-o", "/work/ddp.tar.gz"}) != 0);
  CHECK_FALSE(run.files.files.contains("/work/ddp.tar.gz"));
}

}  // namespace support_bundle_test
}  // namespace trainctl::testing
