// Users read this before anything is sent: the footprint, and warnings about what will hurt later.
#include "manifest/footprint.h"

#include <doctest/doctest.h>

#include "manifest/rendering.h"
#include "manifest/warnings.h"

namespace footprint_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::kind;
using trainctl::testing::rendered;

std::string footprint_of(const testing::Line& line) {
  return footprint(kind(line.alias), rendered(line));
}

std::vector<std::string> warnings_of(const std::vector<std::string>& flags) {
  return manifest_warnings(kind("pytorch"), rendered({"pytorch", flags}));
}

TEST_CASE("the footprint counts pods, GPUs and processes") {
  CHECK(footprint_of({"pytorch", {}}) == "2 pods (master 1 + worker 1), no GPUs, WORLD_SIZE 2");
  CHECK(footprint_of({"pytorch", {"--workers=3", "--gpu=2", "--master-gpu=1"}}) ==
        "4 pods (master 1 + worker 3), 7 GPUs, WORLD_SIZE 4");
  CHECK(footprint_of({"pytorch", {"--workers=0", "--gpu=1"}}) ==
        "1 pod (master 1), 1 GPU, WORLD_SIZE 1");
  CHECK(footprint_of({"pytorch", {"--nproc-per-node=4"}}) ==
        "2 pods (master 1 + worker 1), no GPUs, WORLD_SIZE 8");
  CHECK(footprint_of({"pytorch", {"--nproc-per-node=auto", "--no-master", "--workers=2"}}) ==
        "2 pods (worker 2), no GPUs, WORLD_SIZE 2");
  CHECK(footprint_of({"pytorch", {"--gpu=1", "--gpu-resource=amd.com/gpu", "--large-shm"}}) ==
        "2 pods (master 1 + worker 1), 2 GPUs, WORLD_SIZE 2");
  CHECK(footprint_of({"pytorch", {"--min-replicas=1", "--max-replicas=4", "--no-master"}}) ==
        "1 pod (worker 1), no GPUs");
  CHECK(footprint_of({"tf", {"--ps=2", "--workers=4"}}) ==
        "7 pods (chief 1 + worker 4 + ps 2), no GPUs");
  CHECK(footprint_of({"jax", {"--workers=4"}}) == "4 pods (worker 4), no GPUs, NUM_PROCESSES 4");
  CHECK(footprint_of({"paddle", {"--workers=2"}}) == "2 pods (worker 2), no GPUs, PADDLE_NNODES 2");
  CHECK(footprint_of({"xgboost", {}}) == "2 pods (master 1 + worker 1), no GPUs, WORLD_SIZE 2");
  CHECK(footprint_of({"mpi", {}}) == "2 pods (launcher 1 + worker 1), no GPUs");
}

TEST_CASE("other devices are no GPUs") {
  CHECK(footprint_of({"pytorch", {"--extended-resource=rdma/hca=4"}}) ==
        "2 pods (master 1 + worker 1), no GPUs, WORLD_SIZE 2");
}

TEST_CASE("a job that may restart for ever is warned about, one that cannot is not") {
  Json manifest = testing::data("pytorchjob-gloo.yaml");
  const auto warnings = manifest_warnings(kind("pytorch"), manifest);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().starts_with("no backoffLimit"));
  CHECK(manifest_warnings(kind("tf"), testing::data("tfjob-ps-workers.yaml")).empty());
  CHECK(warnings_of({"--restart-policy=Always"}).size() == 2);  // master and worker
  CHECK(warnings_of({}).empty());
}

TEST_CASE(
    "plain variables that look like credentials are warned about, by name and never by value") {
  for (const char* name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "GITHUBTOKEN",
                           "api_key", "WANDB_API_KEY", "MY.SECRET"}) {
    CAPTURE(name);
    const auto warnings = warnings_of({cat("--env=", name, "=hunter2")});
    REQUIRE(warnings.size() == 1);  // once, though two roles have it
    CHECK(warnings.front().find(name) != std::string::npos);
    CHECK(warnings.front().find("hunter2") == std::string::npos);
  }
  for (const char* plain :
       {"TOKENIZERS_PARALLELISM=false", "MAX_TOKENS=512", "MONKEY=1", "KEYBOARD=us", "LR=0.1",
        "HF_TOKEN=", "HF_TOKEN_PATH=/hf", "AWS_SHARED_CREDENTIALS_FILE=/aws",
        "GOOGLE_APPLICATION_CREDENTIALS=/gcp.json"}) {
    CAPTURE(plain);
    CHECK(warnings_of({cat("--env=", plain)}).empty());
  }
  CHECK(warnings_of({"--env=HF_TOKEN=$(TOKEN_FROM_FILE)", "--expand"}).empty());
  CHECK(warnings_of({"--env-secret=HF_TOKEN=hub:token"}).empty());
}

TEST_CASE("credentials in values and arguments are warned about in one line, without their value") {
  struct Row {
    std::vector<std::string> flags, words;
    const char* subject;  // "" = no warning
  };
  const Row rows[] = {
      {{"--nproc-per-node=2"}, {"python3", "train.py"}, "WORLD_SIZE counts 2 processes"},
      {{"--nproc-per-node=2"}, {"python3", "-m", "torch.distributed.run", "train.py"}, ""},
      {{"--nproc-per-node=2", "--torchrun"}, {"train.py"}, ""},
      {{"--env=GH=ghp_0123456789hunter2"}, {}, "variable GH looks"},
      {{"--env=URL=https://u:hunter2@h.test/"}, {}, "variable URL looks"},
      {{"--env=HDR=Authorization: Bearer hunter2"}, {}, "variable HDR looks"},
      {{"--env=A_KEY=hunter2", "--env=URL=https://u:hunter2@h.test/"}, {}, "variables A_KEY, URL"},
      {{}, {"train", "--token=hunter2"}, "an argument looks"},
      {{}, {"train", "--password", "hunter2"}, "an argument looks"},
      {{}, {"train", "https://u:hunter2@h.test/"}, "an argument looks"},
      {{}, {"sh", "-c", "DB_PASS=hunter2 train"}, "an argument looks"},
      {{"--env=A_KEY=hunter2"},
       {"train", "--token=hunter2"},
       "variable A_KEY and an argument look"},
      {{}, {"train", "--use-auth-token", "--lr=1"}, ""},
      {{}, {"sh", "-c", "login --token=$TOKEN --key=${KEY} PASS=$(cat /run/pass)"}, ""},
      {{"--expand"}, {"train", "--token=$(TOKEN)", "--password", "$(PW)"}, ""},
      {{"--expand", "--env=URL=https://$(USER):$(PW)@h.test/"}, {}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.subject);
    const auto warnings =
        manifest_warnings(kind("pytorch"), rendered({"pytorch", row.flags, row.words}));
    REQUIRE(warnings.size() == (std::string_view(row.subject).empty() ? 0 : 1));
    if (warnings.empty()) continue;
    CHECK(warnings.front().starts_with(row.subject));
    CHECK(warnings.front().find("hunter2") == std::string::npos);
  }
}

}  // namespace footprint_test
