// Whole lines to whole manifests.
#include "manifest/render.h"

#include <doctest/doctest.h>

#include "manifest/check.h"
#include "manifest/flags/builders.h"
#include "manifest/footprint.h"
#include "manifest/rendering.h"

namespace render_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::absent;
using trainctl::testing::at;
using trainctl::testing::kind;
using trainctl::testing::Line;
using trainctl::testing::refusal;
using trainctl::testing::rendered;
using trainctl::testing::yaml;

const std::string k_master = "/spec/pytorchReplicaSpecs/Master";
const std::string k_worker = "/spec/pytorchReplicaSpecs/Worker";
const std::string k_container = "/template/spec/containers/0";

// Everything of `part` is in `whole`; lists have the same length.
bool holds(const Json& whole, const Json& part) {
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      if (!whole.is_object() || !whole.contains(key) || !holds(whole[key], value)) return false;
    }
    return true;
  }
  if (!part.is_array()) return whole == part;
  if (!whole.is_array() || whole.size() != part.size()) return false;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (!holds(whole[i], part[i])) return false;
  }
  return true;
}

void check_seed(const char* file, const Line& line) {
  CAPTURE(file);
  const Json manifest = rendered(line);
  CHECK_MESSAGE(holds(manifest, testing::data(file)), dump(manifest, 2));
  CHECK(check_manifest(kind(line.alias), manifest).has_value());
}

TEST_CASE("the manifests people write by hand come out of a line, field for field") {
  check_seed("tfjob-ps-workers.yaml",
             {"tf",
              {"--name=distributed-tensorflow-job", "--ps=2", "--workers=4", "--no-master",
               "--image=gcr.io/kubeflow-ci/tf-dist-mnist-test:1.0"}});
  check_seed("pytorchjob-gloo.yaml", {"pytorch",
                                      {"--name=distributed-pytorch-job", "--workers=2",
                                       "--image=gcr.io/kubeflow-ci/pytorch-dist-mnist_test:1.0"},
                                      {"--backend", "gloo"}});
  check_seed("pytorchjob-gpu.yaml",
             {"pytorch",
              {"--name=pytorch-dist-mnist-gloo", "--workers=1", "--gpu=1",
               "--image=k8scc01covidacr.azurecr.io/scribner-pytorch_dist_mnist_gloo:latest",
               "--image-pull-secret=image-pull-secret"},
              {"--backend", "gloo"}});
}

TEST_CASE("a switch with =false is as if it was not typed") {
  const Json without = rendered({"pytorch", {"--name=x", "--workers=2"}, {"python3", "a.py"}});
  for (const Flag& flag : flags()) {
    const bool is_switch = flag.value_name.empty() && flag.instead.empty();
    // Kubernetes has a default of its own for a field: =false sets it.
    if (!is_switch || !flag.pointer.empty()) continue;
    if (!flag.kinds.empty() && flag.kinds.find("pytorch") == std::string_view::npos) continue;
    CAPTURE(flag.name);
    CHECK(rendered({"pytorch",
                    {"--name=x", "--workers=2", cat("--", flag.name, "=false")},
                    {"python3", "a.py"}}) == without);
  }
}

TEST_CASE("--command=false makes arguments of what was the command of an earlier run") {
  RenderInput input = trainctl::testing::render_input(
      {"pytorch", {"--name=x", "--command=false"}, {"--epochs", "3"}});
  input.words_were_command = true;
  const auto manifest = render(input);
  REQUIRE(manifest);
  CHECK(at(*manifest, k_worker + k_container + "/args") == yaml("[--epochs, '3']"));
  CHECK(find(*manifest, k_worker + k_container + "/command") == nullptr);
}

TEST_CASE("the tutorial's PyTorch line gives a master and a worker with a GPU each") {
  const Json manifest = rendered({"pytorch",
                                  {"--name=distributed-training-pytorch", "--workers=1", "--gpu=1",
                                   "--image=docker.io/USER/distributed_training_pytorch"}});
  CHECK(footprint(kind("pytorch"), manifest) ==
        "2 pods (master 1 + worker 1), 2 GPUs, WORLD_SIZE 2");
  for (const std::string& role : {k_master, k_worker}) {
    CHECK(at(manifest, role + "/replicas") == 1);
    CHECK(at(manifest, role + k_container + "/resources") == yaml("{limits: {nvidia.com/gpu: 1}}"));
    CHECK(at(manifest, role + k_container + "/image") ==
          "docker.io/USER/distributed_training_pytorch");
  }
  CHECK(check_manifest(kind("pytorch"), manifest).has_value());
}

TEST_CASE("the tutorial's TensorFlow line gives two workers with a GPU each and no chief") {
  const Json manifest = rendered({"tf",
                                  {"--name=distributed-training-tf", "--workers=2", "--gpu=1",
                                   "--image=docker.io/USER/x", "--no-master"}});
  CHECK(footprint(kind("tf"), manifest) == "2 pods (worker 2), 2 GPUs");
  CHECK(at(manifest, "/spec/tfReplicaSpecs").size() == 1);
  CHECK(at(manifest, "/spec/tfReplicaSpecs/Worker/replicas") == 2);
  CHECK(check_manifest(kind("tf"), manifest).has_value());
}

TEST_CASE("a PyTorch job without a master has the rendezvous its workers need") {
  const Json manifest = rendered({"pytorch", {"--no-master", "--workers=3"}});
  CHECK(absent(manifest, k_master));
  const Json& env = at(manifest, k_worker + k_container + "/env");
  CHECK(dump(env).find("\"WORLD_SIZE\",\"value\":\"3\"") != std::string::npos);
  CHECK(absent(rendered({"pytorch", {}}), k_worker + k_container + "/env"));
}

TEST_CASE("--no-master is refused where the operator needs the leader") {
  CHECK(refusal({"xgboost", {"--no-master"}}) ==
        "--no-master: XGBoostJobs cannot run without a master");
  CHECK(refusal({"mpi", {"--no-master"}}) == "--no-master: MPIJobs cannot run without a launcher");
  CHECK(refusal({"jax", {"--no-master"}}).empty());
  CHECK(refusal({"tf", {"--no-master", "--chief=1"}}) == "--chief: contradicts --no-master");
}

TEST_CASE("a flag for one role wins over the one for all, wherever it is typed") {
  for (const auto& flags : {std::vector<std::string>{"--master-image=m", "--image=a"},
                            std::vector<std::string>{"--image=a", "--master-image=m"}}) {
    const Json manifest = rendered({"pytorch", flags});
    CHECK(at(manifest, k_master + k_container + "/image") == "m");
    CHECK(at(manifest, k_worker + k_container + "/image") == "a");
  }
}

TEST_CASE("a flag for a role the job does not have is refused, not dropped") {
  CHECK(refusal({"pytorch", {"--no-master", "--master-image=m"}}) ==
        "--master-image: this job has no master");
  CHECK(refusal({"tf", {"--ps-image=m"}}) == "--ps-image: this job has no ps");
  CHECK(testing::try_render({"tf", {"--master-image=m"}}).error().hint ==
        "its roles are chief, worker");
  CHECK(refusal({"tf", {"--ps-image=m", "--ps=1"}}).empty());
}

TEST_CASE("another claim for one role leaves nothing of the common one attached") {
  const Json manifest = rendered({"pytorch", {"--pvc=a:/data:ro", "--master-pvc=b:/data"}});
  CHECK(at(manifest, k_master + "/template/spec/volumes") ==
        yaml("[{name: mount-data, persistentVolumeClaim: {claimName: b}}]"));
  CHECK(at(manifest, k_master + k_container + "/volumeMounts") ==
        yaml("[{mountPath: /data, name: mount-data}]"));
}

TEST_CASE("paths that look alike as volume names stay two volumes") {
  const Json manifest =
      rendered({"pytorch",
                {"--pvc=a:/a/b", "--pvc=b:/a-b", "--pvc=c:/a_b", "--pvc=d:/A/b", "--pvc=e:/a.b"}});
  CHECK(at(manifest, k_worker + "/template/spec/volumes").size() == 5);
  CHECK(check_manifest(kind("pytorch"), manifest).has_value());
}

TEST_CASE("a GPU job gets a sized /dev/shm, unless something is mounted there already") {
  const Json memory = yaml("[{name: dshm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}]");
  CHECK(at(rendered({"pytorch", {"--gpu=1"}}), k_worker + "/template/spec/volumes") == memory);
  CHECK(absent(rendered({"pytorch", {}}), k_worker + "/template/spec/volumes"));
  CHECK(absent(rendered({"pytorch", {"--gpu=0"}}), k_worker + "/template/spec/volumes"));
  const Json sized = rendered({"pytorch", {"--gpu=1", "--shm-size=9Gi"}});
  CHECK(at(sized, k_worker + "/template/spec/volumes/0/emptyDir/sizeLimit") == "9Gi");
  const Json own = rendered({"pytorch", {"--gpu=1", "--pvc=shm:/dev/shm"}});
  CHECK(at(own, k_worker + "/template/spec/volumes").size() == 1);
}

TEST_CASE("an MPI launcher runs the command and holds no GPU; the workers hold them and wait") {
  const Json manifest =
      rendered({"mpi", {"--workers=2", "--gpu=4"}, {"mpirun", "-np", "8", "python3", "t.py"}});
  const std::string launcher = "/spec/mpiReplicaSpecs/Launcher";
  const std::string worker = "/spec/mpiReplicaSpecs/Worker";
  CHECK(at(manifest, launcher + k_container + "/args").size() == 5);
  CHECK(absent(manifest, worker + k_container + "/args"));
  CHECK(absent(manifest, launcher + k_container + "/resources"));
  CHECK(at(manifest, worker + k_container + "/resources/limits/nvidia.com~1gpu") == 4);
  CHECK(footprint(kind("mpi"), manifest) == "3 pods (launcher 1 + worker 2), 8 GPUs");
  const Json wanted = rendered({"mpi", {"--launcher-gpu=1"}});
  CHECK(at(wanted, launcher + k_container + "/resources/limits/nvidia.com~1gpu") == 1);
}

TEST_CASE("words stay words: arguments by default, the whole command with --command") {
  const std::vector<std::string> words = {"sh", "-c", "echo \"$HOME\" | wc", "", "a b"};
  const Json args = rendered({"pytorch", {}, words});
  CHECK(at(args, k_worker + k_container + "/args") == Json(words));
  CHECK(absent(args, k_worker + k_container + "/command"));
  const Json command = rendered({"pytorch", {"--command"}, words});
  CHECK(at(command, k_master + k_container + "/command") == Json(words));
  CHECK(absent(command, k_master + k_container + "/args"));
  CHECK(refusal({"pytorch", {"--command"}}) == "--command: there is no program after --");
  CHECK(refusal({"pytorch", {"--arg=x"}, {"y"}}) == "--arg and -- both give the arguments");
}

TEST_CASE("counts add and remove roles, and a new role starts as the workers are") {
  const Json manifest =
      rendered({"tf", {"--ps=2", "--workers=0", "--image=i", "--ps-cpu=1", "--chief=1"}});
  CHECK(absent(manifest, "/spec/tfReplicaSpecs/Worker"));
  CHECK(at(manifest, "/spec/tfReplicaSpecs/PS/replicas") == 2);
  CHECK(at(manifest, "/spec/tfReplicaSpecs/PS/restartPolicy") == "Never");
  CHECK(at(manifest, "/spec/tfReplicaSpecs/PS" + k_container + "/image") == "i");
  CHECK(absent(manifest, "/spec/tfReplicaSpecs/Chief" + k_container + "/resources"));
  CHECK(refusal({"pytorch", {"--workers=0"}}).empty());
}

TEST_CASE("without a name the server makes one, from the prefix or the kind's") {
  CHECK(at(rendered({"tf", {}}), "/metadata/generateName") == "tf-");
  CHECK(at(rendered({"tf", {"--job-name-prefix=exp-"}}), "/metadata/generateName") == "exp-");
  const Json both = rendered({"tf", {"--job-name-prefix=exp", "--name=x"}});
  CHECK(at(both, "/metadata/name") == "x");
  CHECK(absent(both, "/metadata/generateName"));
  RenderInput input = testing::render_input({});
  input.manifest.erase("metadata");
  CHECK(at(*render(input), "/metadata/generateName") == "pytorch-");
}

TEST_CASE("the owner's label is valid whatever the owner is called") {
  RenderInput input = testing::render_input({});
  const auto owner = [&input](const std::string& name) {
    input.owner = name;
    return text_at(*render(input), "/metadata/labels/trainctl~1owner", "none");
  };
  CHECK(owner("ada") == "ada");
  CHECK(owner("DOMAIN\\ada lovelace") == "DOMAIN-ada-lovelace");
  CHECK(owner("_ada_") == "ada");
  CHECK(owner("\xc3\xa4\xc3\xb6") == "none");
  CHECK(owner("") == "none");
  CHECK(owner(std::string(100, 'x')) == std::string(63, 'x'));
}

TEST_CASE("overlays come before flags, and labels of the user's stay") {
  RenderInput input = testing::render_input({"pytorch", {"--image=flag"}});
  input.overlays = {
      yaml("{metadata: {labels: {app.kubernetes.io/managed-by: me}}, spec: "
           "{pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{name: "
           "pytorch, image: overlay, workingDir: /w}]}}}}}}")};
  input.ns = "team";
  const Json manifest = *render(input);
  CHECK(at(manifest, k_worker + k_container + "/image") == "flag");
  CHECK(at(manifest, k_worker + k_container + "/workingDir") == "/w");
  CHECK(at(manifest, "/metadata/labels/app.kubernetes.io~1managed-by") == "me");
  CHECK(at(manifest, "/metadata/namespace") == "team");
}

TEST_CASE("--set reaches any field, typed as YAML types it") {
  const Json manifest =
      rendered({"pytorch",
                {},
                {},
                {"/spec/runPolicy/suspend=true", "/metadata/labels/a~1b=x=y",
                 "/spec/nprocPerNode=\"2\"", "/spec/runPolicy/backoffLimit=3",
                 "/metadata/annotations/list=[1, 2]", k_worker + k_container + "/image=set"}});
  CHECK(at(manifest, "/spec/runPolicy/suspend") == true);
  CHECK(at(manifest, "/metadata/labels/a~1b") == "x=y");
  CHECK(at(manifest, "/spec/nprocPerNode") == "2");
  CHECK(at(manifest, "/spec/runPolicy/backoffLimit") == 3);
  CHECK(at(manifest, "/metadata/annotations/list") == "[1, 2]");
  CHECK(at(manifest, k_worker + k_container + "/image") == "set");
  for (const char* bad : {"spec/x=1", "/spec/x", "/spec/x=", "", "=1"}) {
    CHECK(refusal({"pytorch", {}, {}, {bad}}).starts_with("--set: "));
  }
}

TEST_CASE("a user's own manifest is changed by the given flags and nothing else") {
  RenderInput input = testing::render_input({"pytorch", {}});
  input.manifest = testing::data("pytorchjob-gpu.yaml");
  input.is_template = false;
  const Json original = input.manifest;
  CHECK(*render(input) == original);

  input.flags = {testing::flag_use(*input.kind, "--workers=3")};
  Json expected = original;
  set_at(expected, k_worker + "/replicas", 3);
  CHECK(*render(input) == expected);
}

TEST_CASE("a user's manifest of odd shape is patched or left for the check, never a crash") {
  for (const char* text : {"{}", "[]", "text", "{spec: 3}", "{spec: {pytorchReplicaSpecs: []}}",
                           "{spec: {pytorchReplicaSpecs: {Worker: null, Master: 3}}}",
                           "{metadata: [], spec: {pytorchReplicaSpecs: {Worker: {template: {spec: "
                           "{containers: {}}}}}}}"}) {
    CAPTURE(text);
    RenderInput input = testing::render_input(
        {"pytorch", {"--image=x", "--label=a=b", "--pvc=c:/d", "--gpu=1", "--no-master"}, {"w"}});
    input.manifest = yaml(text);
    input.is_template = false;
    const auto manifest = render(input);
    REQUIRE(manifest.has_value());
    CHECK_FALSE(check_manifest(*input.kind, *manifest).has_value());
  }
}

}  // namespace render_test
