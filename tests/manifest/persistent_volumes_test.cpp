// Which volumes of a job outlive its pods, and what the pod that reads them holds.
#include "manifest/persistent_volumes.h"

#include <doctest/doctest.h>

namespace trainctl::job {
namespace persistent_volumes_test {

Json read(std::string_view text) {
  return *parse_json(text, "test");
}

const Json k_spec = read(R"json({
  "priorityClassName": "high", "tolerations": [{"key": "gpu"}], "serviceAccountName": "trainer",
  "nodeSelector": {"gpu": "a100"},
  "volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "data"}},
              {"name": "b", "persistentVolumeClaim": {"claimName": "deep"}},
              {"name": "n", "nfs": {"server": "s", "path": "/p"}},
              {"name": "k", "secret": {"secretName": "token"}},
              {"name": "e", "emptyDir": {}}],
  "containers": [{"name": "pytorch", "image": "i",
    "env": [{"name": "TOKEN", "value": "s3cret"}], "envFrom": [{"secretRef": {"name": "token"}}],
    "securityContext": {"privileged": true, "runAsUser": 1000,
                        "capabilities": {"add": ["SYS_ADMIN"], "drop": ["ALL"]}},
    "volumeMounts": [{"name": "a", "mountPath": "/data/", "subPath": "run"},
                     {"name": "b", "mountPath": "/data/deep", "mountPropagation": "Bidirectional"},
                     {"name": "b", "mountPath": "/each", "subPathExpr": "$(POD)"},
                     {"name": "n", "mountPath": "/nfs"}, {"name": "k", "mountPath": "/token"},
                     {"name": "e", "mountPath": "/dev/shm"}]}]})json");

std::vector<LastingMount> mounts() {
  return lasting_mounts(k_spec, k_spec["containers"][0]);
}

TEST_CASE("a path is found in the volume that holds it, and in no secret or scratch space") {
  const auto all = mounts();
  CHECK(all.size() == 4);
  CHECK(mount_of(all, "/data/model")->claim == "data");
  CHECK(mount_of(all, "/data/deep")->claim == "deep");
  CHECK(mount_of(all, "/data/deeper")->claim == "data");
  CHECK(mount_of(all, "/nfs/x")->claim.empty());
  CHECK(mount_of(all, "/database") == nullptr);
  CHECK(mount_of(all, "/token") == nullptr);
  CHECK_FALSE(mount_of(all, "/each/x")->is_told);
  CHECK(mounts_for(all, "/data").size() == 2);
  CHECK(mounts_for(all, "/data/deep/x").size() == 1);
}

TEST_CASE("the pod that reads volumes has nothing of the job's secrets, rights or environment") {
  HelperOrder order{"trainctl-fetch-1", "ml",           "ada", "1 2 here", "",
                    "node-b",           {{"uid", "u"}}, {},    {}};
  order.plan = PodPlan{"master", k_spec, k_spec["containers"][0]};
  order.mounts = mounts_for(mounts(), "/data");
  const Json pod = helper_pod(order);
  const std::string text = dump(pod);
  for (const char* word : {"s3cret", "token", "TOKEN", "privileged", "SYS_ADMIN", "a100", "high",
                           "Bidirectional", "emptyDir"}) {
    CAPTURE(word);
    CHECK(text.find(word) == std::string::npos);
  }
  CHECK(find(pod, "/spec/automountServiceAccountToken")->get<bool>() == false);
  CHECK(int_at(pod, "/spec/activeDeadlineSeconds") == 86400);
  CHECK(find(pod, "/spec/containers/0/volumeMounts")->size() == 2);
  for (const Json& mount : array_at(pod, "/spec/containers/0/volumeMounts")) {
    CHECK(true_at(mount, "/readOnly"));
  }
  CHECK(text_at(pod, "/spec/containers/0/volumeMounts/0/subPath") == "run");
  CHECK(int_at(pod, "/spec/containers/0/securityContext/runAsUser") == 1000);
  CHECK(text_at(pod, "/spec/tolerations/0/key") == "gpu");
  CHECK(text.find("node-b") != std::string::npos);
}

TEST_CASE("a volume that says it is two things brings none but its claim into the helper pod") {
  Json spec = k_spec;
  for (Json& volume : spec["volumes"]) volume["hostPath"] = {{"path", "/"}};
  spec["volumes"][1]["persistentVolumeClaim"] = nullptr;
  spec["volumes"][0]["persistentVolumeClaim"]["more"] = {{"hostPath", "/"}};
  spec["securityContext"] = read(R"({"runAsUser": 1000, "fsGroup": 7, "runAsGroup": "root",
    "supplementalGroups": [8, 9], "sysctls": [{"name": "kernel.shm_rmid_forced"}],
    "seLinuxOptions": {"type": "spc_t", "level": "s0:c1"}, "windowsOptions": {"hostProcess": true},
    "seccompProfile": {"type": "Unconfined"}, "appArmorProfile": {"type": "Unconfined"}})");
  spec["tolerations"][0]["more"] = "hostPath";
  HelperOrder order{"trainctl-fetch-1", "ml", "ada", "1 2 here", "", "", {{"uid", "u"}}, {}, {}};
  order.plan = PodPlan{"master", spec, spec["containers"][0]};
  order.mounts = lasting_mounts(spec, spec["containers"][0]);
  CHECK(order.mounts.size() == 2);
  const Json pod = helper_pod(order);
  const std::string text = dump(pod);
  for (const char* word : {"hostPath", "more", "sysctls", "spc_t", "windowsOptions", "Unconfined",
                           "secret", "emptyDir"}) {
    CAPTURE(word);
    CHECK(text.find(word) == std::string::npos);
  }
  CHECK(pod.at("/spec/securityContext"_json_pointer) ==
        read(R"({"runAsUser": 1000, "seLinuxOptions": {"level": "s0:c1"}, "fsGroup": 7,
                 "supplementalGroups": [8, 9]})"));
}

TEST_CASE("29.16: a directory of the node is found, and read without creating it") {
  const Json spec = read(R"({"volumes": [
      {"name": "d", "hostPath": {"path": "/srv/data", "type": "DirectoryOrCreate"}},
      {"name": "r", "hostPath": {"path": "../etc"}},
      {"name": "t", "hostPath": {"path": "/etc"}, "secret": {"secretName": "token"}}],
    "containers": [{"volumeMounts": [{"name": "d", "mountPath": "/data"},
      {"name": "r", "mountPath": "/r"}, {"name": "t", "mountPath": "/t"}]}]})");
  const auto found = lasting_mounts(spec, spec["containers"][0]);
  REQUIRE(found.size() == 1);
  CHECK(found[0].node_path == "/srv/data");
  CHECK(found[0].volume == read(R"({"name": "d", "hostPath": {"path": "/srv/data"}})"));
  CHECK(true_at(found[0].mount, "/readOnly"));
}

TEST_CASE("a job's pods are known by its own templates, or by the JobSet made of it") {
  const Json job = {{"spec",
                     {{"pytorchReplicaSpecs",
                       {{"Worker", {{"template", {{"spec", k_spec}}}}},
                        {"Master", {{"template", {{"spec", k_spec}}}}}}}}}};
  const auto plans = pod_plans(*find_kind("pytorch"), job);
  REQUIRE(plans.size() == 2);
  CHECK(plans[0].role == "master");
  CHECK(text_at(plans[0].container, "/image") == "i");
  const Json set = {
      {"spec",
       {{"replicatedJobs",
         {{{"name", "node"}, {"template", {{"spec", {{"template", {{"spec", k_spec}}}}}}}}}}}}};
  const auto others = pod_plans_of_job_set(*find_kind("trainjob"), set);
  REQUIRE(others.size() == 1);
  CHECK(others[0].role == "node");
  CHECK(lasting_mounts(others[0].spec, others[0].container).size() == 4);
}

}  // namespace persistent_volumes_test
}  // namespace trainctl::job
