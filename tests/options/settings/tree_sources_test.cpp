// The files that a stranger's working tree names, on a real file system: whose they are, where they
// lie, and what was agreed to.
#include <array>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "cli/run_command.h"
#include "support/all_commands.h"
#include "support/test_files.h"

namespace trainctl::testing {
namespace tree_sources_test {

namespace fs = std::filesystem;

constexpr std::array k_options = {"overlay", "template"};
constexpr const char* k_manifest = R"({apiVersion: kubeflow.org/v1, kind: PyTorchJob,
  metadata: {labels: {from: there}}, spec: {pytorchReplicaSpecs: {
  Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: x}]}}}}}})";

// A working tree of this user whose file names one other file for `option`.
class RealTree {
 public:
  RealTree(const std::string& option, const std::string& named) {
    std::string name = fs::temp_directory_path() / "tree-XXXXXX";
    root_ = ::mkdtemp(name.data());
    fs::create_directories(path("home"));
    write("work/.trainctl.yaml", cat("submit-pytorch: {", option, ": ",
                                     option == "overlay" ? "[" + named + "]" : named, "}\n"));
  }
  ~RealTree() { fs::remove_all(root_); }
  RealTree(const RealTree&) = delete;
  RealTree& operator=(const RealTree&) = delete;

  std::string path(const std::string& name) const { return root_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
    return path(name);
  }
  int run(std::vector<std::string> args) {
    TestFiles files;
    FakeLoop loop;
    console_ = BufferConsole();
    const std::map<std::string, std::string, std::less<>> variables = {{"HOME", path("home")},
                                                                       {"PWD", path("work")}};
    cli::Context context(all_commands(), console_, files, loop, Environment(variables), {});
    context.directory = path("work");
    return cli::run(args, context);
  }
  int submit(std::vector<std::string> more = {}) {
    std::vector<std::string> args = {"submit-pytorch", "--name=ddp", "-i", "registry/ddp:1",
                                     "--dry-run=client"};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
  bool says(std::string_view text) const {
    return console_.stderr_text.find(text) != std::string::npos;
  }
  bool prints(std::string_view text) const {
    return console_.stdout_text.find(text) != std::string::npos;
  }

 private:
  fs::path root_;
  BufferConsole console_;
};

TEST_CASE("an overlay or template that is another user's, or a pipe, is not read") {
  for (const std::string option : k_options) {
    CAPTURE(option);
    RealTree tree(option, "more.yaml");
    const std::string file = tree.write("work/more.yaml", k_manifest);
    CHECK(tree.submit({"--tree-config=trusted"}) == 0);
    CHECK(tree.prints("from: there"));
    if (::geteuid() == 0) {
      constexpr uid_t k_nobody = 65534;
      REQUIRE(::chown(file.c_str(), k_nobody, k_nobody) == 0);
      CHECK(tree.submit({"--tree-config=trusted"}) == 2);
      CHECK(tree.says("more.yaml is not read: it belongs to another user"));
    }
    fs::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    CHECK(tree.submit({"--tree-config=trusted"}) == 2);
    CHECK(tree.says("more.yaml is not read: it is not a regular file"));
  }
}

TEST_CASE("a template that is a link, or lies behind one, brings nothing in from elsewhere") {
  for (const std::string option : k_options) {
    for (const std::string named : {"more.yaml", "deploy/more.yaml", "../secret/more.yaml"}) {
      CAPTURE(option);
      CAPTURE(named);
      RealTree tree(option, named);
      tree.write("secret/more.yaml", "oauth_token: hush\n");
      fs::create_directory_symlink(tree.path("secret"), tree.path("work/deploy"));
      fs::create_symlink(tree.path("secret/more.yaml"), tree.path("work/more.yaml"));
      CHECK(tree.submit({"--tree-config=trusted"}) == 2);
      CHECK(tree.says("its real path is outside of the working tree"));
      CHECK_FALSE(tree.prints("hush"));
      CHECK_FALSE(tree.says("hush"));
    }
  }
}

TEST_CASE("consent to a template is consent to what it holds, not to its name") {
  RealTree tree("template", "job.yaml");
  tree.write("work/job.yaml", k_manifest);
  CHECK(tree.submit() == 0);
  CHECK(tree.says("you have not agreed to its content"));
  CHECK_FALSE(tree.prints("from: there"));
  CHECK(tree.run({"config", "trust", "--yes"}) == 0);
  CHECK(tree.submit() == 0);
  CHECK(tree.prints("from: there"));
  tree.write("work/job.yaml", cat(k_manifest, "\n# and more\n"));
  CHECK(tree.submit() == 0);
  CHECK_FALSE(tree.prints("from: there"));
  tree.write("work/job.yaml", k_manifest);
  CHECK(tree.submit() == 0);
  CHECK(tree.prints("from: there"));
}

TEST_CASE("tests with real files read no configuration of this machine's site") {
  const RealTree tree("template", "job.yaml");
  const std::string file = tree.write("etc/trainctl/config.yaml", "namespac: team\n");
  CHECK(TestFiles().exists(file));
  TestFiles files(tree.path("etc/trainctl"));
  CHECK_FALSE(files.exists(file));
  CHECK_FALSE(files.facts(file));
  CHECK_FALSE(files.open_once(file));
  CHECK(files.read(file).error().code == Code::not_found);
}

}  // namespace tree_sources_test
}  // namespace trainctl::testing
