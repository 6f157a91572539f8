// A working tree's file sets nothing before the user has agreed to it.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "options/settings/settings.h"
#include "options/settings/tree_run.h"

namespace trainctl::testing {
namespace agreement_test {

constexpr const char* k_not_agreed =
    "/work/.trainctl.yaml is not read: you have not agreed to its content";
const std::string k_text = "host-network: true\n";

// True when a submit has read the working tree's file; false when it has said why not.
bool is_read(TreeRun& run, const std::string& shown = "hostNetwork",
             std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"-i", "registry/mine:1"});
  CHECK(run.submit(more) == 0);
  CHECK(run.prints(shown) != run.says(k_not_agreed));
  return run.prints(shown);
}

bool trusts(TreeRun& run) {
  return run({"config", "trust", "--yes"}) == 0;
}

TEST_CASE("a working tree's file is read only after the user's consent to this very content") {
  TreeRun run(k_text);
  CHECK_FALSE(is_read(run));
  CHECK(run.says("trainctl config trust shows it"));
  CHECK(is_read(run, "hostNetwork", {"--tree-config=trusted"}));

  CHECK(trusts(run));
  CHECK(run.prints("host-network: true"));
  CHECK(is_read(run));

  run.files.files[k_tree] = k_text + "volume: [/:/host]\n";
  CHECK_FALSE(is_read(run));
  run.files.files[k_tree] = k_text;
  CHECK(is_read(run));
}

TEST_CASE("without consent no program of a repository runs as the user") {
  for (const std::string line :
       {"env: [PATH=/work/evil]", "worker-env: [LD_PRELOAD=/work/evil]", "working-dir: /work/evil",
        "pvc: ['c:/work/evil']", "configmap-volume: ['c:/work/evil']"}) {
    CAPTURE(line);
    TreeRun run(line + '\n');
    const std::string place = "--server=https://localhost:6443";
    CHECK_FALSE(is_read(run, "/work/evil", {place, "--", "python3", "train.py"}));
    CHECK(trusts(run));
    CHECK(is_read(run, "/work/evil", {place, "--", "./train"}));
  }
}

TEST_CASE("without consent a file sets neither cluster, user and quietness nor what is shown") {
  for (const std::string text :
       {"server: https://evil.test\n", "as: admin\n", "quiet: true\n", "namespace: prod\n",
        "get: {selector: team=none}\n", "on-timeout: delete\n", "notify: /work/evil\n"}) {
    CAPTURE(text);
    TreeRun run(text);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"get"}, {"delete", "ddp", "--yes"}, {"logs", "ddp"}}) {
      run(command);
      CHECK(run.says(k_not_agreed));
      CHECK(run.endpoint.base_url.find("evil") == std::string::npos);
    }
  }
}

TEST_CASE(
    "after consent a file sets what the user's own file may set, but not whether it is read") {
  TreeRun run("namespace: prod\n");
  CHECK(trusts(run));
  CHECK(is_read(run, "prod"));
  CHECK(run({"config", "get", "namespace"}) == 0);
  CHECK(run.prints("prod"));
  run.files.files[k_tree] = "tree-config: trusted\n";
  CHECK_FALSE(trusts(run));
  CHECK(run.says("tree-config cannot be set here"));
}

TEST_CASE("only a user who answers, or --yes, trusts a stranger's file") {
  TreeRun run(k_text);
  CHECK(run({"config", "trust"}) == 2);  // stdin is closed, or a pipe
  CHECK(run.says("cannot ask for consent"));
  CHECK(run.prints("host-network: true"));
  run.console.in_is_tty = run.console.err_is_tty = true;
  for (const char* answer : {"", "n\n", "\n"}) {
    run.console.stdin_text = answer;
    CHECK(run({"config", "trust"}) == 0);
    CHECK(run.says("Trust /work/.trainctl.yaml in its current form? [y/N]"));
    CHECK(run.says("no consent given"));
    CHECK_FALSE(is_read(run));
  }
  run.console.stdin_text = "y\n";
  CHECK(run({"config", "trust"}) == 0);
  CHECK(is_read(run));
}

TEST_CASE("consent to an overlay is consent to what it holds, not to its name") {
  TreeRun run("overlay: [o.yaml]\n");
  run.files.files["/work/o.yaml"] = "metadata: {labels: {a: shown}}\n";
  CHECK_FALSE(is_read(run, "shown"));
  CHECK(trusts(run));
  CHECK(is_read(run, "shown"));
  run.files.files["/work/o.yaml"] = "metadata: {labels: {a: shown-again}}\n";
  CHECK_FALSE(is_read(run, "shown"));
}

// Whoever can write into the tree may swap a file between any two readings of it. So each reading
// is followed by a swap here, and the command must go by the first.
TEST_CASE("the consent is to the text that was shown, although the files change at once") {
  const std::string harmless = "host-network: true\noverlay: [o.yaml]\n";
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
    CHECK(trusts(run));
    CHECK(run.prints("a: shown"));
    CHECK_FALSE(run.prints("BASH_ENV"));
    CHECK_FALSE(run.prints("swapped"));
    CHECK_FALSE(is_read(run));  // what the swap has left was never agreed to

    run.files.on_read = nullptr;
    files[k_tree] = harmless;
    files["/work/o.yaml"] = overlay;
    CHECK(is_read(run));
  }
}

TEST_CASE("the job gets the text that was compared with the consent") {
  for (const std::string option : {"overlay", "template"}) {
    CAPTURE(option);
    const auto named = [](const std::string& label) {
      return cat("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {labels: {a: ", label,
                 "}}, spec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: ",
                 "{containers: [{name: pytorch, image: x}]}}}}}}");
    };
    TreeRun run(cat("submit-pytorch: {", option, ": o.yaml}\n"));
    auto& files = run.files.files;
    files["/work/o.yaml"] = named("agreed");
    CHECK(trusts(run));
    run.files.on_read = [&](const std::string& path) {
      if (path == "/work/o.yaml") files[path] = named("swapped");
    };
    CHECK(is_read(run, "\"agreed\""));
    CHECK_FALSE(run.prints("swapped"));
    CHECK_FALSE(is_read(run, "swapped"));
  }
}

TEST_CASE("consent is kept where others cannot write it, and not taken from where they could") {
  TreeRun run(k_text);
  CHECK(trusts(run));
  REQUIRE(run.files.private_files.size() == 1);
  const std::string kept = *run.files.private_files.begin();
  CHECK(kept.starts_with("/home/ada/.local/state/trainctl/agreed/"));
  CHECK(is_read(run));
  run.files.odd_facts[kept] = {.others_write = true};
  CHECK_FALSE(is_read(run));
  run.files.odd_facts.clear();
  run.files.files[kept] = "a file of the user's under another name\n";
  CHECK_FALSE(is_read(run));
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
  CHECK(trusts(run));
  CHECK(is_read(run, "PYTHONPATH"));
  run.files.files["/clone/.trainctl.yaml"] = run.files.files[k_tree];
  auto variables = run.environment.all();
  variables["PWD"] = "/clone";
  run.environment = Environment(variables);
  CHECK(run.submit({"-i", "registry/mine:1"}) == 0);
  CHECK(run.says("/clone/.trainctl.yaml is not read: you have not agreed to its content"));
  CHECK_FALSE(run.prints("PYTHONPATH"));
}

}  // namespace agreement_test
}  // namespace trainctl::testing
