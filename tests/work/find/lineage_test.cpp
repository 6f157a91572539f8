// Labels and annotations that anybody in the namespace can write must not make a job the user's.
#include "work/find/lineage.h"

#include <map>

#include <doctest/doctest.h>

#include "history/history.h"
#include "kube/object/metadata.h"
#include "manifest/rerun.h"
#include "support/fake_access.h"
#include "support/fakes.h"
#include "work/find/job_lists.h"

namespace trainctl::work {
namespace lineage_test {

const job::Kind& pytorch() {
  return *job::find_kind("pytorch");
}

const std::string k_proof = kube::annotation_pointer(job::k_lineage_annotation);

Environment with(const char* variable, const char* value) {
  return Environment(std::map<std::string, std::string, std::less<>>{{variable, value}});
}

Environment with_key(const char* key) {
  return with("TRAINCTL_LINEAGE_KEY", key);
}

struct User {
  explicit User(Environment environment) : access(console, files, loop, std::move(environment)) {}
  FoundJob submits(Json job) {
    return {&pytorch(), with_proof(access, pytorch(), "default", std::move(job), "abcde"), ""};
  }
  testing::BufferConsole console;
  testing::MemoryFiles files;
  testing::FakeLoop loop;
  testing::FakeAccess access;
};

Json pod_spec() {
  return {{"containers",
           {{{"name", "pytorch"},
             {"image", "registry/train:1"},
             {"command", {"python", "train.py"}},
             {"env", {{{"name", "LR"}, {"value", "0.1"}}}},
             {"volumeMounts", {{{"name", "data"}, {"mountPath", "/data"}}}}}}},
          {"volumes", {{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", "data"}}}}}}};
}

Json member() {
  return {{"metadata",
           {{"name", "sweep-2"},
            {"namespace", "default"},
            {"uid", "uid-2"},
            {"labels", {{"trainctl/array", "sweep"}, {"trainctl/array-index", "2"}}},
            {"annotations",
             {{"trainctl/array-size", "3"},
              {"trainctl/rerun-of", "sweep-1"},
              {"trainctl/rerun-of-uid", "uid-1"}}}}},
          {"spec",
           {{"pytorchReplicaSpecs",
             {{"Worker", {{"replicas", 1}, {"template", {{"spec", pod_spec()}}}}}}}}}};
}

TEST_CASE("a job that a stranger made of a member's labels and proof does not count") {
  User ada(with_key("key-of-ada"));
  const FoundJob own = ada.submits(member());
  REQUIRE(has_proof(ada.access, own));
  const std::string proof = text_at(own.object, k_proof);
  struct Forgery {
    const char* pointer;
    Json value;
  };
  const std::vector<Forgery> forgeries = {
      {"/metadata/name", "cover"},
      {"/metadata/name", "sweep-22"},
      {"/metadata/name", ""},
      {"/metadata/namespace", "other"},
      {"/metadata/namespace", ""},
      {"/metadata/labels/trainctl~1array", "sweep2"},
      {"/metadata/labels/trainctl~1array", ""},
      {"/metadata/labels/trainctl~1array-index", "1"},
      {"/metadata/labels/trainctl~1array-index", "02"},
      {"/metadata/labels/trainctl~1array-index", nullptr},
      {"/metadata/annotations/trainctl~1array-size", "1000000"},
      {"/metadata/annotations/trainctl~1array-size", "2"},
      {"/metadata/annotations/trainctl~1array-size", nullptr},
      {"/metadata/annotations/trainctl~1rerun-of", "sweep-0"},
      {"/metadata/annotations/trainctl~1rerun-of", nullptr},
      {"/metadata/annotations/trainctl~1rerun-of-uid", "uid-0"},
      {"/metadata/annotations/trainctl~1rerun-of-uid", nullptr},
      {"/metadata/annotations/trainctl~1lineage", nullptr},
      {"/metadata/annotations/trainctl~1lineage", ""},
      {"/metadata/annotations/trainctl~1lineage", "0"},
      {"/metadata/annotations/trainctl~1lineage", proof + " "},
      {"/metadata/annotations/trainctl~1lineage", {proof}},
  };
  for (const Forgery& forgery : forgeries) {
    CAPTURE(forgery.pointer);
    CAPTURE(dump(forgery.value));
    FoundJob forged = own;
    set_at(forged.object, forgery.pointer, forgery.value);
    CHECK_FALSE(has_proof(ada.access, forged));
  }
  FoundJob other_kind = own;
  other_kind.kind = job::find_kind("tf");
  CHECK_FALSE(has_proof(ada.access, other_kind));
}

// Whoever may create jobs can wait until the name is free, and copy label and annotations.
TEST_CASE("a copied proof does not run a stranger's program as mine") {
  User ada(with_key("key-of-ada"));
  const FoundJob own = ada.submits(member());
  const std::string pods = "/spec/pytorchReplicaSpecs/Worker/template/spec";
  const std::string container = cat(pods, "/containers/0");
  struct Change {
    std::string pointer;
    Json value;
  };
  const std::vector<Change> changes = {
      {cat(container, "/image"), "evil:1"},
      {cat(container, "/command"), Json{"python", "evil.py"}},
      {cat(container, "/args"), Json{"--evil"}},
      {cat(container, "/args"), Json{""}},
      {cat(container, "/env/0/name"), "PYTHONPATH"},
      {cat(container, "/env/0/value"), "/evil"},
      {cat(container, "/envFrom"), Json{{{"secretRef", {{"name", "evil"}}}}}},
      {cat(container, "/volumeMounts/0/mountPath"), "/usr"},
      {cat(container, "/volumeMounts/0/subPath"), "evil"},
      {cat(container, "/workingDir"), "/evil"},
      {cat(container, "/lifecycle/postStart/exec/command"), Json{"evil"}},
      {cat(container, "/securityContext/privileged"), true},
      {cat(pods, "/initContainers"), Json{{{"name", "evil"}, {"image", "evil:1"}}}},
      {cat(pods, "/volumes/0/persistentVolumeClaim/claimName"), "evil"},
      {cat(pods, "/serviceAccountName"), "admin"},
      {cat(pods, "/hostPID"), true},
      {cat(pods, "/securityContext/runAsUser"), 0},
      {"/spec/pytorchReplicaSpecs/Worker/template/metadata/annotations/"
       "container.apparmor.security.beta.kubernetes.io~1pytorch",
       "unconfined"},
      {"/spec/pytorchReplicaSpecs/Master/template/spec", pod_spec()},
  };
  for (const Change& change : changes) {
    CAPTURE(change.pointer);
    FoundJob forged = own;
    set_at(forged.object, change.pointer, change.value);
    CHECK_FALSE(has_proof(ada.access, forged));
  }
  ada.access.identity = "another cluster";
  CHECK_FALSE(has_proof(ada.access, own));
}

TEST_CASE("a member stays the user's when server and queue have completed it") {
  User ada(with_key("key-of-ada"));
  FoundJob own = ada.submits(member());
  const std::string pods = "/spec/pytorchReplicaSpecs/Worker/template/spec";
  set_at(own.object, cat(pods, "/nodeSelector/pool"), "spot");
  set_at(own.object, cat(pods, "/tolerations"), Json{{{"key", "spot"}}});
  set_at(own.object, cat(pods, "/schedulingGates"), Json{{{"name", "kueue.x-k8s.io/topology"}}});
  set_at(own.object, cat(pods, "/containers/0/securityContext"), nullptr);
  set_at(own.object, "/spec/pytorchReplicaSpecs/Worker/template/metadata/labels/a", "b");
  set_at(own.object,
         "/spec/pytorchReplicaSpecs/Worker/template/metadata/annotations/kueue.x-k8s.io~1pod-set",
         "worker");
  set_at(own.object, "/spec/pytorchReplicaSpecs/Worker/replicas", 5);
  set_at(own.object, "/spec/runPolicy/suspend", false);
  CHECK(has_proof(ada.access, own));
}

TEST_CASE("steps of a pipeline know each other's jobs by the key they share, others do not") {
  User ada(with_key("key-of-ada")), step(with_key("key-of-ada")), eve(with_key("key-of-eve"));
  const FoundJob own = ada.submits(member());
  CHECK(has_proof(step.access, own));
  CHECK_FALSE(has_proof(eve.access, own));
  CHECK_FALSE(has_proof(ada.access, eve.submits(member())));
}

TEST_CASE("without a variable the key is a private file, that others neither write nor read") {
  const std::string path = "/home/ada/.local/state/trainctl/lineage.key";
  const Environment home = with("HOME", "/home/ada");
  User ada(home);
  const FoundJob own = ada.submits(member());
  CHECK(ada.files.private_files.contains(path));
  CHECK(ada.files.files[path].size() == 65);
  CHECK(has_proof(ada.access, own));
  const FileFacts doubtful[] = {
      {.is_regular = false}, {.is_ours = false}, {.others_write = true}, {.everybody_reads = true}};
  for (const FileFacts& facts : doubtful) {
    User later(home);
    later.files.files[path] = ada.files.files[path];
    later.files.odd_facts[path] = facts;
    CHECK_FALSE(has_proof(later.access, own));
    CHECK(text_at(later.submits(member()).object, k_proof).empty());
  }
}

TEST_CASE("a job that was only followed from here is not the user's") {
  User ada(Environment{});
  ada.access.history = std::make_unique<History>(":memory:");
  const auto keep = [&ada](const char* uid, bool elsewhere) {
    PastRun run;
    run.uid = uid;
    run.origin.elsewhere = elsewhere;
    return ada.access.history->keep(run, ada.loop.now()).operator bool();
  };
  const auto counts = [&ada](const char* uid) {
    FoundJob job{&pytorch(), member(), ""};
    job.object["metadata"]["uid"] = uid;
    return has_proof(ada.access, job);
  };
  REQUIRE(keep("mine", false));
  REQUIRE(keep("mine", true));  // followed later
  REQUIRE(keep("evil", true));
  CHECK(counts("mine"));
  CHECK_FALSE(counts("evil"));
  CHECK_FALSE(counts("unknown"));
  CHECK_FALSE(counts(""));
}

TEST_CASE("a forged later run does not hide the job that failed") {
  User ada(with_key("key-of-ada"));
  FoundJob failed{&pytorch(), {{"metadata", {{"name", "sweep-1"}, {"uid", "uid-1"}}}}, ""};
  FoundJob forged{&pytorch(), member(), ""};
  CHECK(latest_runs(ada.access, {failed, forged}).size() == 2);
  CHECK(ada.console.stderr_text ==
        "sweep-2 claims to be another run of sweep-1, but was not submitted from here: sweep-1 "
        "counts as well\n");
  CHECK(latest_runs(ada.access, {failed, ada.submits(member())}).size() == 1);
}

// `rerun` made sweep-1-x of a sweep-1 that is gone, and the line itself a new sweep-1.
TEST_CASE("the newest run of a task counts, however it was submitted again") {
  User ada(with_key("key-of-ada"));
  ada.access.history = std::make_unique<History>(":memory:");
  const auto task = [&ada](const char* name, const char* uid, const char* created) {
    FoundJob job{&pytorch(),
                 {{"metadata", {{"name", name}, {"uid", uid}, {"creationTimestamp", created}}}},
                 ""};
    job.object["metadata"]["labels"] = {{"trainctl/array", "sweep"}, {"trainctl/array-index", "1"}};
    PastRun run;
    run.uid = uid;
    REQUIRE(ada.access.history->keep(run, ada.loop.now()));
    return job;
  };
  FoundJob rerun = task("sweep-1-x", "b", "2026-01-02T03:00:00Z");
  rerun.object["metadata"]["annotations"] = {{"trainctl/rerun-of", "sweep-1"},
                                             {"trainctl/rerun-of-uid", "a"}};
  const FoundJob first = task("sweep-1", "a", "2026-01-02T02:00:00Z");
  const FoundJob again = task("sweep-1", "c", "2026-01-02T04:00:00Z");
  const auto latest = [&ada](std::vector<FoundJob> jobs) {
    return latest_runs(ada.access, std::move(jobs)).front().uid();
  };
  CHECK(latest({first, rerun}) == "b");
  CHECK(latest({again, rerun}) == "c");
}

}  // namespace lineage_test
}  // namespace trainctl::work
