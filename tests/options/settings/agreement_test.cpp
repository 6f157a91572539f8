// What a stranger's working tree sets only after the user has agreed to it.
#include "options/settings/agreement.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "options/settings/tree_run.h"

namespace trainctl::testing {
namespace TEST_FILE {

TEST_CASE("what widens a pod's rights waits for the user's consent to this very content") {
  const std::string text = "image: registry/ddp:1\nhost-network: true\n";
  TreeRun run(text);
  CHECK(run.submit() == 2);
  CHECK(run.says("host-network may widen what the job's pods may do"));
  CHECK(run.says("trainctl config trust"));
  CHECK(run.submit({"--tree-config=trusted"}) == 0);
  CHECK(run.prints("hostNetwork"));

  CHECK(run({"config", "trust", "--yes"}) == 0);
  CHECK(run.prints("host-network: true"));
  CHECK(run.submit() == 0);
  CHECK(run.prints("hostNetwork"));

  run.files.files[k_tree] = text + "volume: [/:/host]\n";
  CHECK(run.submit() == 2);
  run.files.files[k_tree] = text;
  CHECK(run.submit() == 0);
}

TEST_CASE("what decides which program runs as you waits for your consent with --local") {
  const std::vector<std::string> words = {"--", "python3", "train.py"};
  for (const std::string line :
       {"env: [PATH=/work/bin]", "env: [NCCL_DEBUG=INFO]", "worker-env: [LD_PRELOAD=/work/x.so]",
        "arg: [/work/evil]", "working-dir: /tmp/evil", "pvc: ['c:/usr/bin']",
        "configmap-volume: ['c:/usr/bin']", "command: true", "expand: true"}) {
    CAPTURE(line);
    TreeRun run(line + '\n');
    std::vector<std::string> here = {"--local"}, there = {"-i", "registry/ddp:1"};
    if (!line.starts_with("arg")) {
      here.insert(here.end(), words.begin(), words.end());
      there.insert(there.end(), words.begin(), words.end());
    }
    CHECK(run.submit(here) == 2);
    CHECK(run.says("decides what runs as you on this machine, and you have not consented to it"));
    CHECK(run.submit(there) == 0);

    CHECK(run({"config", "trust", "--yes"}) == 0);
    CHECK(run.prints(line.substr(0, line.find(':'))));
    CHECK(run.submit(here) == 0);
  }
}

TEST_CASE("the embedded cluster's port asks for the same consent as --local") {
  TreeRun run("env: [PATH=/work/bin]\n");
  for (const char* host : {"127.0.0.1", "localhost", "localhost.", "a.LOCALHOST", "a.localhost."}) {
    CAPTURE(host);
    CHECK(run.submit({"-i", "registry/ddp:1", cat("--server=https://", host, ":6443")}) == 2);
    CHECK(run.says("decides what runs as you"));
  }
  CHECK(run.submit({"-i", "registry/ddp:1", "--server=https://localhost.test"}) == 0);
  CHECK(run.submit({"-i", "registry/ddp:1", "--server=https://cluster.test"}) == 0);
}

TEST_CASE("only a user who answers, or --yes, trusts a stranger's file") {
  TreeRun run("image: registry/ddp:1\nhost-network: true\n");
  CHECK(run({"config", "trust"}) == 2);  // stdin is closed, or a pipe
  CHECK(run.says("cannot ask for consent"));
  CHECK(run.prints("host-network: true"));
  run.console.in_is_tty = run.console.err_is_tty = true;
  for (const char* answer : {"", "n\n", "\n"}) {
    run.console.stdin_text = answer;
    CHECK(run({"config", "trust"}) == 0);
    CHECK(run.says("Trust /work/.trainctl.yaml in its current form? [y/N]"));
    CHECK(run.says("no consent given"));
    CHECK(run.submit() == 2);
  }
  run.console.stdin_text = "y\n";
  CHECK(run({"config", "trust"}) == 0);
  CHECK(run.submit() == 0);
}

TEST_CASE("consent to an overlay is consent to what it holds, not to its name") {
  TreeRun run("image: registry/ddp:1\noverlay: [o.yaml]\n");
  run.files.files["/work/o.yaml"] = "metadata: {labels: {a: one}}\n";
  CHECK(run.submit() == 2);
  CHECK(run({"config", "trust", "--yes"}) == 0);
  CHECK(run.submit() == 0);
  run.files.files["/work/o.yaml"] = "metadata: {labels: {a: two}}\n";
  CHECK(run.submit() == 2);
}

// Whoever can write into the tree may swap a file between any two readings of it. So each reading
// is followed by a swap here, and the command must go by the first.
TEST_CASE("what was shown is what is agreed to, although the files change at once") {
  const std::string harmless = "image: registry/ddp:1\nhost-network: true\noverlay: [o.yaml]\n";
  const std::string hostile = harmless + "env: [BASH_ENV=/work/evil]\n";
  const std::string overlay = "metadata: {labels: {a: shown}}\n";
  const std::string hostile_overlay = "metadata: {labels: {a: swapped}}\n";
  for (const char* swapped : {k_tree, "/work/o.yaml"}) {
    CAPTURE(swapped);
    TreeRun run(harmless);
    auto& files = run.files.files;
    files["/work/o.yaml"] = overlay;
    run.files.on_read = [&](const std::string& path) {
      if (path == swapped) files[path] = path == k_tree ? hostile : hostile_overlay;
    };
    CHECK(run({"config", "trust", "--yes"}) == 0);
    CHECK(run.prints("a: shown"));
    CHECK_FALSE(run.prints("BASH_ENV"));
    CHECK_FALSE(run.prints("swapped"));
    CHECK(run.submit() == 2);  // what the swap has left was never agreed to

    run.files.on_read = nullptr;
    files[k_tree] = harmless;
    files["/work/o.yaml"] = overlay;
    CHECK(run.submit() == 0);
  }
}

TEST_CASE("what was compared with the consent is what the job gets") {
  for (const std::string option : {"overlay", "template"}) {
    CAPTURE(option);
    const auto named = [](const std::string& label) {
      return cat("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {labels: {a: ", label,
                 "}}, spec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: ",
                 "{containers: [{name: pytorch, image: x}]}}}}}}");
    };
    TreeRun run(cat("submit-pytorch: {image: 'registry/ddp:1', ", option, ": o.yaml}\n"));
    auto& files = run.files.files;
    files["/work/o.yaml"] = named("agreed");
    CHECK(run({"config", "trust", "--yes"}) == 0);
    run.files.on_read = [&](const std::string& path) {
      if (path == "/work/o.yaml") files[path] = named("swapped");
    };
    CHECK(run.submit() == 0);
    CHECK(run.prints("agreed"));
    CHECK_FALSE(run.prints("swapped"));
    CHECK(run.submit() == 2);
  }
}

TEST_CASE("consent is kept where others cannot write it, and not taken from where they could") {
  const std::string kept = "/home/ada/.local/state/trainctl/agreed.json";
  TreeRun run("image: registry/ddp:1\nhost-network: true\n");
  CHECK(run({"config", "trust", "--yes"}) == 0);
  CHECK(run.files.private_files.count(kept) == 1);
  CHECK(run.submit() == 0);
  run.files.odd_facts[kept] = {.others_write = true};
  CHECK(run.submit() == 2);
}

TEST_CASE("a configuration and a template are made private, and stay shared where they were") {
  TreeRun run;
  CHECK(run({"config", "set", "quiet", "false"}) == 0);
  CHECK(run({"template", "eject", "pytorch"}) == 0);
  CHECK(run.files.private_files.size() == 2);
  run.files.private_files.clear();
  CHECK(run({"config", "set", "quiet", "true"}) == 0);
  CHECK(run({"template", "eject", "pytorch", "--force"}) == 0);
  CHECK(run.files.private_files.empty());
}

TEST_CASE("consent in one place is none for a repository that has copied the file") {
  TreeRun run("env: [PYTHONPATH=src]\n");
  const std::vector<std::string> here = {"--local", "--", "python3", "train.py"};
  CHECK(run({"config", "trust", "--yes"}) == 0);
  CHECK(run.submit(here) == 0);
  run.files.files["/clone/.trainctl.yaml"] = run.files.files[k_tree];
  auto variables = run.environment.all();
  variables["PWD"] = "/clone";
  run.environment = Environment(variables);
  CHECK(run.submit(here) == 2);
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
