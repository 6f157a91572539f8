// --local: which cluster a command means, and what its manifest gets from the shell.
#include <filesystem>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "cli/run_command.h"
#include "options/settings/tree_run.h"
#include "work/create/local_manifest.h"

namespace trainctl::testing {
namespace local_test {

void put_on_a_laptop(CommandRun& run, std::map<std::string, std::string, std::less<>> more = {}) {
  more.insert({{"HOME", "/home/ada"}, {"PWD", "/work"}, {"PATH", "/venv/bin:/bin"}});
  run.environment = Environment(std::move(more));
}

TEST_CASE("--local goes to this user's socket, with no kubeconfig and no credential") {
  CommandRun run;
  put_on_a_laptop(run, {{"XDG_RUNTIME_DIR", "/run/user/7"}});
  run.files.files["/home/ada/.kube/config"] = "{";  // would be an error
  run({"get", "--local"});
  CHECK(run.clients == 1);
  CHECK(run.endpoint.unix_socket == "/run/user/7/trainctl/local.sock");
  CHECK(run.endpoint.base_url == "http://localhost");
}

TEST_CASE("TRAINCTL_LOCAL=1 means --local, until a flag says otherwise") {
  CommandRun run;
  put_on_a_laptop(run, {{"TRAINCTL_LOCAL", "1"}});
  run({"get"});
  CHECK_FALSE(run.endpoint.unix_socket.empty());
  run({"get", "--server=http://127.0.0.1:1"});
  CHECK(run.endpoint.unix_socket.empty());
  CHECK(run({"get", "--local=false"}) == 2);  // there is no kubeconfig
}

TEST_CASE("a cluster that nobody asked for is named once in its life, and with --verbose") {
  const auto says_so = [](CommandRun& run, const std::vector<std::string>& words) {
    run.console.quiet = false;
    run(words);
    return run.console.stderr_text.find("using your embedded cluster") != std::string::npos;
  };
  const auto with_cluster = [](CommandRun& run) {
    put_on_a_laptop(run);
    run.files.files["/home/ada/.local/state/trainctl/local/cluster.db"] = "";
  };
  for (const bool is_tty : {false, true}) {
    CommandRun run;
    with_cluster(run);
    run.console.err_is_tty = is_tty;
    CHECK_FALSE(says_so(run, {"get", "--quiet"}));  // and it is not taken for told
    CHECK(says_so(run, {"get"}));
    CHECK_FALSE(says_so(run, {"get"}));
    CHECK(says_so(run, {"get", "--verbose"}));
  }
}

TEST_CASE("two clusters in one command are a mistake") {
  for (const char* flag : {"--context=c", "--kubeconfig=f", "--server=http://h", "--token=t",
                           "--as=root", "--insecure-skip-tls-verify", "--user=u"}) {
    CommandRun run;
    put_on_a_laptop(run);
    CHECK(run({"get", "--local", flag}) == 2);
    CHECK(run.clients == 0);
    CHECK(run.console.stderr_text.find("name two clusters") != std::string::npos);
  }
}

TEST_CASE("a job's program finds the directory and the virtual environment it was typed in") {
  CommandRun run;
  put_on_a_laptop(run, {{"VIRTUAL_ENV", "/venv"}, {"EDITOR", "ed"}, {"OMP_NUM_THREADS", "3"}});
  run.files.files["/work/t.py"] = "print()";
  run.files.files["/venv/bin/python3"] = "";
  const Json job = run.manifest({"submit-pytorch", "--local", "--name=j", "--", "python3", "t.py"});
  for (const char* role : {"Master", "Worker"}) {
    const Json* container =
        find(job, std::string("/spec/pytorchReplicaSpecs/") + role + "/template/spec/containers/0");
    REQUIRE(container != nullptr);
    CHECK(text_at(*container, "/workingDir") == "/work");
    CHECK(array_at(*container, "/env") == Json::parse(R"([{"name":"PATH","value":"/venv/bin:/bin"},
                          {"name":"VIRTUAL_ENV","value":"/venv"},
                          {"name":"OMP_NUM_THREADS","value":"3"}])"));
  }
  CHECK(run.clients == 0);
  CHECK(text_at(job, "/metadata/namespace") == "default");
}

TEST_CASE("the user's directory and variables stand") {
  CommandRun run;
  put_on_a_laptop(run);
  run.files.files["/x/train"] = "";
  const Json job = run.manifest({"submit-pytorch", "--local", "--name=j", "--no-master",
                                 "--working-dir=/data", "-e", "PATH=/x", "--", "train"});
  const Json* container = find(job, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0");
  REQUIRE(container != nullptr);
  CHECK(text_at(*container, "/workingDir") == "/data");
  int paths = 0;
  for (const Json& entry : array_at(*container, "/env")) {
    if (text_at(entry, "/name") != "PATH") continue;
    ++paths;
    CHECK(text_at(entry, "/value") == "/x");
  }
  CHECK(paths == 1);
}

TEST_CASE("a manifest for a real cluster gets nothing of this machine") {
  CommandRun run;
  put_on_a_laptop(run);
  const Json job = run.manifest({"submit-pytorch", "--name=j"});
  CHECK(dump(job).find("workingDir") == std::string::npos);
}

TEST_CASE("TAB asks no cluster whose socket lies where others can put one") {
  std::string directory = std::filesystem::temp_directory_path() / "socket-XXXXXX";
  REQUIRE(::mkdtemp(directory.data()) != nullptr);
  const std::string inside = directory + "/trainctl";
  REQUIRE(::mkdir(inside.c_str(), 0700) == 0);
  REQUIRE(::chmod(inside.c_str(), 0777) == 0);
  CommandRun run;
  run.program = "/usr/bin/trainctl";
  Exchange jobs;
  jobs.path = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs";
  jobs.chunks = {{.data = R"({"kind": "List", "metadata": {"resourceVersion": "7"}, "items": [
      {"kind": "PyTorchJob", "metadata": {"name": "ddp", "namespace": "default"}}]})"}};
  run.exchanges = {jobs};
  const std::map<std::string, std::string, std::less<>> variables = {
      {"HOME", "/home/ada"}, {"XDG_RUNTIME_DIR", directory}};
  run.environment = Environment(variables);
  CHECK(run({"__complete", "--", "logs", "--local", "d"}) == 0);
  CHECK(run.console.stdout_text == ":\n");
  REQUIRE(::chmod(inside.c_str(), 0700) == 0);
  CHECK(run({"__complete", "--", "logs", "--local", "d"}) == 0);
  CHECK(run.console.stdout_text == "ddp\tPyTorchJob\n");
  std::filesystem::remove_all(directory);
}

TEST_CASE("without consent no program of a repository runs on this machine") {
  TreeRun run("env: [PATH=/work/evil]\n");
  run.submit({"--local", "-i", "registry/mine:1", "--", "./train"});
  CHECK_FALSE(run.prints("/work/evil"));
  CHECK(run({"config", "trust", "--yes"}) == 0);
  run.submit({"--local", "-i", "registry/mine:1", "--", "./train"});
  CHECK(run.prints("/work/evil"));
}

TEST_CASE("a path with a dollar sign in it means itself") {
  Json manifest = Json::parse(R"({"spec":{"pytorchReplicaSpecs":{"Worker":{"template":{"spec":
      {"containers":[{"name":"pytorch"},{"name":"sidecar"}]}}}}}})");
  work::localize(*job::find_kind("pytorch"),
                 Environment(std::map<std::string, std::string, std::less<>>{{"PATH", "/$(HOME)"}}),
                 "/w", Machine{}, manifest);
  const Json* containers =
      find(manifest, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers");
  REQUIRE(containers != nullptr);
  CHECK(text_at(*containers, "/0/env/0/value") == "/$$(HOME)");
  CHECK(find(*containers, "/1/env") == nullptr);
}

}  // namespace local_test
}  // namespace trainctl::testing
