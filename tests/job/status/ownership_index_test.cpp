// Many jobs judged together: each by its own pods and events, and by no other's.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "job/status/ownership.h"
#include "job/status/state.h"

namespace trainctl::testing {
namespace TEST_FILE {

using job::OwnershipIndex;

// The operator has seen all of them, except `c`.
Json job_of(const std::string& name) {
  Json object = Json::parse(R"({"kind": "PyTorchJob", "spec": {"pytorchReplicaSpecs": {
      "Master": {"replicas": 1, "template": {"spec": {"containers": [{"name": "pytorch"}]}}}}}})");
  object["metadata"] = {{"name", name}, {"namespace", "default"}, {"uid", "uid-" + name}};
  if (name != "c") object["status"]["conditions"] = {{{"type", "Created"}, {"status", "True"}}};
  return object;
}

job::JobState judge(const OwnershipIndex& all, const std::string& name) {
  const Json job = job_of(name);
  return job::judge(all.evidence(*job::find_kind("pytorch"), job));
}

Json master_of(const std::string& name, const std::vector<std::string>& owners) {
  Json pod = Json::parse(R"({"spec": {"nodeName": "node-a"}, "status": {"phase": "Pending"}})");
  pod["metadata"] = {{"name", name + "-master-0"}, {"uid", "pod-" + name}};
  pod["metadata"]["labels"] = {{"training.kubeflow.org/job-name", name},
                               {"training.kubeflow.org/replica-type", "master"},
                               {"training.kubeflow.org/replica-index", "0"}};
  for (const std::string& owner : owners) {
    pod["metadata"]["ownerReferences"].push_back({{"uid", "uid-" + owner}});
  }
  return pod;
}

Json not_mounted(const std::string& name, const std::string& why) {
  return {{"type", "Warning"},
          {"reason", "FailedMount"},
          {"message", why},
          {"involvedObject", {{"kind", "Pod"}, {"uid", "pod-" + name}}}};
}

Json cannot_create(const std::string& name, const std::string& why) {
  return {{"type", "Warning"},
          {"reason", "FailedCreatePod"},
          {"message", why},
          {"involvedObject", {{"kind", "PyTorchJob"}, {"uid", "uid-" + name}}}};
}

TEST_CASE("each of many jobs is judged by its own pods and events") {
  const std::vector<Json> pods = {master_of("a", {"a"}), master_of("b", {"b"})};
  const std::vector<Json> events = {
      not_mounted("b", "no volume for b"), cannot_create("c", "quota of an hour ago"),
      not_mounted("a", "no volume for a"), cannot_create("c", "quota of c"),
      not_mounted("gone", "nobody's")};
  OwnershipIndex all;
  for (const Json& event : events) all.add_event(event);
  for (const Json& pod : pods) all.add_pod(pod);

  const auto trouble = [&all](const std::string& name) {
    const auto blocker = judge(all, name).blocker;
    return blocker ? blocker->message : "";
  };
  CHECK(trouble("a") == "no volume for a");
  CHECK(trouble("b") == "no volume for b");
  // Of several the last, as they came.
  CHECK(trouble("c") == "quota of c");
  CHECK(trouble("d").empty());
}

TEST_CASE("a namesake's pod is not the job's, and an owner named twice has one pod") {
  const std::vector<Json> pods = {master_of("a", {"a-of-yesterday"}),
                                  master_of("b", {"b", "c", "b"})};
  OwnershipIndex all;
  for (const Json& pod : pods) all.add_pod(pod);
  const auto uids = [&all](const std::string& name) {
    std::string text;
    for (const auto& replica : judge(all, name).replicas) text += replica.pod.uid + ';';
    return text;
  };
  CHECK(uids("a") == ";");
  CHECK(uids("b") == "pod-b;");
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
