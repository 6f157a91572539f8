// Another run must be the job that the user wrote, and not a copy of what the server added to it.
#include "job/manifest/rerun.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/json.h"

namespace trainctl::testing {
namespace TEST_FILE {

Json parsed(std::string_view text) {
  return *parse_json(text, "test");
}

const job::Kind& pytorch() {
  return *job::find_kind("pytorch");
}

TEST_CASE("a rerun has no trace of the server, and keeps what a user may have written") {
  const Json job = parsed(R"({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
    "metadata": {"name": "ddp", "namespace": "ml", "uid": "u", "resourceVersion": "9",
      "generation": 2, "creationTimestamp": "2026-01-02T03:00:05Z", "finalizers": ["x/y"],
      "ownerReferences": [{"uid": "o"}], "labels": {"team": "vision"},
      "annotations": {"trainctl/submission": "s", "trainctl/code": "{}", "note": "mine",
        "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
    "spec": {"runPolicy": {"suspend": true, "backoffLimit": 3}}, "status": {"conditions": []}})");
  const Json expected = parsed(R"({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
    "metadata": {"namespace": "ml", "labels": {"team": "vision"},
      "annotations": {"trainctl/code": "{}", "note": "mine", "trainctl/rerun-of": "ddp"},
      "generateName": "ddp-"},
    "spec": {"runPolicy": {"suspend": false, "backoffLimit": 3}}})");
  CHECK(job::rerun_manifest(pytorch(), job) == expected);
}

TEST_CASE("a rerun of a rerun is named after the first run") {
  const Json job = parsed(R"({"metadata": {"name": "ddp-x7k2p", "generateName": "ddp-"}})");
  const Json again = job::rerun_manifest(pytorch(), job);
  CHECK(text_at(again, "/metadata/generateName") == "ddp-");
  CHECK(text_at(again, "/metadata/annotations/trainctl~1rerun-of") == "ddp-x7k2p");
}

TEST_CASE("a rerun of one of several attempts is none of them") {
  const Json job = parsed(R"({"metadata": {"name": "ddp"}, "spec": {"pytorchReplicaSpecs": {
    "Master": {"template": {"spec": {"containers": [{"name": "pytorch", "env": [
      {"name": "TRAINCTL_ATTEMPT", "value": "2"}, {"name": "LR", "value": "1"}]}]}}}}}})");
  const Json again = job::rerun_manifest(pytorch(), job);
  CHECK(again.dump().find("TRAINCTL_ATTEMPT") == std::string::npos);
  CHECK(again.dump().find("LR") != std::string::npos);
}

TEST_CASE("words replace the command where the words of the first run were the command") {
  const auto manifest = [](std::string_view container) {
    return parsed(cat(R"({"spec": {"pytorchReplicaSpecs": {"Master": {"template": {"spec": )",
                      R"({"containers": [{"name": "pytorch", )", container, "}]}}}}}}"));
  };
  CHECK(job::words_were_command(pytorch(), manifest(R"("command": ["sh", "x"])")));
  CHECK_FALSE(job::words_were_command(pytorch(), manifest(R"("command": ["sh"], "args": ["x"])")));
  CHECK_FALSE(job::words_were_command(pytorch(), manifest(R"("args": ["x"])")));
  CHECK_FALSE(job::words_were_command(pytorch(), manifest(R"("image": "i")")));
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
