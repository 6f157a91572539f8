// Which files of a working tree are accepted at all, whatever its user agrees to.
#include "options/settings/working_tree.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "options/settings/tree_run.h"
#include "support/all_commands.h"
#include "support/test_files.h"

namespace trainctl::testing {
namespace working_tree_test {

namespace fs = std::filesystem;

TEST_CASE("another user's file is not read, and that is said") {
  TreeRun run("image: registry/stranger:1\n");
  run.files.odd_facts[k_tree] = {.is_ours = false};
  CHECK(run.submit({"--image=registry/mine:1"}) == 0);
  CHECK(run.says("/work/.trainctl.yaml is not read: it belongs to another user"));
  CHECK_FALSE(run.prints("stranger"));

  run.files.odd_facts = {{"/work", {.is_ours = false}}};
  CHECK(run.submit({"--image=registry/mine:1"}) == 0);
  CHECK(run.says("its directory belongs to another user"));
}

TEST_CASE("an overlay in a directory of another user is not read, whoever owns the file") {
  TreeRun run("overlay: [theirs/ours/o.yaml]\n");
  run.files.files["/work/theirs/ours/o.yaml"] = "{}";
  run.files.odd_facts = {{"/work/theirs", {.is_ours = false}}, {"/work/theirs/ours", {}}};
  CHECK(run.submit({"--tree-config=trusted", "--image=registry/mine:1"}) == 2);
  CHECK(run.says("the directory /work/theirs belongs to another user"));
}

TEST_CASE("a pipe, a large file and a link to another place are not read") {
  TreeRun pipe("image: registry/stranger:1\n");
  pipe.files.odd_facts[k_tree] = {.is_regular = false};
  CHECK(pipe.submit({"--image=registry/mine:1"}) == 0);
  CHECK(pipe.says("it is not a regular file"));

  TreeRun large("# " + std::string(options::k_largest_tree_file, 'x') + "\n");
  CHECK(large.submit({"--image=registry/mine:1"}) == 0);
  CHECK(large.says("it is larger than 1 MiB"));

  TreeRun link;
  link.files.files["/home/ada/notes.yaml"] = "image: registry/stranger:1\n";
  link.files.links[k_tree] = "/home/ada/notes.yaml";
  CHECK(link.submit({"--image=registry/mine:1"}) == 0);
  CHECK(link.says("its real path is outside of the working tree"));
}

TEST_CASE("a pipeline on an untrusted branch works without the file, and without a notice") {
  TreeRun run("image: registry/stranger:1\nhost-network: true\n");
  const auto works = [&run](std::vector<std::string> more) {
    more.emplace_back("--image=registry/mine:1");
    CHECK(run.submit(more) == 0);
    CHECK(run.prints("registry/mine:1"));
    CHECK_FALSE(run.prints("hostNetwork"));
    CHECK_FALSE(run.says(".trainctl.yaml"));
  };
  works({"--tree-config=off"});
  const auto variables = run.environment.all();
  auto with_one = variables;
  with_one["TRAINCTL_TREE_CONFIG"] = "off";
  run.environment = Environment(with_one);
  works({});
  run.environment = Environment(variables);
  run.files.files["/home/ada/.config/trainctl/config.yaml"] = "tree-config: off\n";
  works({});
}

TEST_CASE("a pipeline that trusts its branches reads the file without asking") {
  TreeRun run("host-network: true\n");
  auto variables = run.environment.all();
  variables["TRAINCTL_TREE_CONFIG"] = "trusted";
  run.environment = Environment(variables);
  CHECK(run.submit({"-i", "registry/mine:1"}) == 0);
  CHECK(run.prints("hostNetwork"));
  CHECK_FALSE(run.says(".trainctl.yaml"));
  CHECK(run.submit({"-i", "registry/mine:1", "--tree-config=off"}) == 0);
  CHECK_FALSE(run.prints("hostNetwork"));
}

TEST_CASE("an overlay that is a link, or lies behind one, brings nothing in from elsewhere") {
  for (const char* from : {"/work/o.yaml", "/work/deploy"}) {
    const bool directory = std::string_view(from).ends_with("deploy");
    TreeRun run(cat("overlay: [", directory ? "deploy/o.yaml" : "o.yaml", "]\n"));
    run.files.files["/home/ada/secret/o.yaml"] = "oauth_token: hush\n";
    run.files.links[from] = directory ? "/home/ada/secret" : "/home/ada/secret/o.yaml";
    CHECK(run.submit({"--tree-config=trusted", "-i", "registry/ddp:1"}) == 2);
    CHECK(run.says("its real path is outside of the working tree"));
    CHECK_FALSE(run.prints("hush"));
    CHECK_FALSE(run.says("hush"));
  }
}

TEST_CASE("a file with a fault stops no command before consent, and cannot get it") {
  for (const char* text : {"image: [1,2\n", "nonsense: 1\n", "token: hush\n", "overlay: [no]\n"}) {
    TreeRun run(text);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"get"},
                                                    {"delete", "ddp", "--yes"},
                                                    {"config", "view"},
                                                    {"config", "get", "image"}}) {
      CAPTURE(command.front());
      CHECK(run(command) != 2);
      CHECK(run.says("you have not agreed to its content"));
    }
    CHECK(run({"config", "trust", "--yes"}) == 2);
    CHECK(run({"get", "--tree-config=trusted"}) == 2);
  }
}

TEST_CASE("a path with control characters is shown without obeying them") {
  TreeRun run;
  const std::string directory = "/work/\x1b[31mred\x1b[2J";
  run.environment = Environment(
      std::map<std::string, std::string, std::less<>>{{"HOME", "/home/ada"}, {"PWD", directory}});
  run.files.files[directory + "/.trainctl.yaml"] = "image: registry/ddp:1\n";
  CHECK(run.submit({"-i", "registry/mine:1"}) == 0);
  CHECK(run.says("/work/?[31mred?[2J/.trainctl.yaml is not read"));
}

// --- The same on a real file system. ---

class Directory {
 public:
  Directory() {
    std::string name = fs::temp_directory_path() / "tree-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  std::string path(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  fs::path path_;
};

std::string refused_in(const Directory& directory, const std::string& below = "work") {
  TestFiles files;
  BufferConsole console;
  FakeLoop loop;
  cli::Context context(all_commands(), console, files, loop, Environment(), {});
  context.directory = directory.path(below);
  const options::TreeFile tree =
      options::find_tree_file(context.files, context.environment, context.working_directory());
  return tree.exists ? tree.refused : "there is none";
}

TEST_CASE("a real file of this user is taken, and no pipe, link or other user's file") {
  const Directory directory;
  const std::string file = directory.write("work/.trainctl.yaml", "image: x\n");
  CHECK(refused_in(directory).empty());

  if (::geteuid() == 0) {
    constexpr uid_t k_nobody = 65534;
    REQUIRE(::chown(file.c_str(), k_nobody, k_nobody) == 0);
    CHECK(refused_in(directory) == "it belongs to another user");
    REQUIRE(::chown(file.c_str(), 0, 0) == 0);
    REQUIRE(::chown(directory.path("work").c_str(), k_nobody, k_nobody) == 0);
    CHECK(refused_in(directory) == "its directory belongs to another user");
    REQUIRE(::chown(directory.path("work").c_str(), 0, 0) == 0);
  }

  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(refused_in(directory) == "it is not a regular file");

  fs::remove(file);
  fs::create_symlink(directory.write("elsewhere.yaml", "image: x\n"), file);
  CHECK(refused_in(directory) == "its real path is outside of the working tree");
}

TEST_CASE("a directory that is entered through a link is searched where it really is") {
  const Directory directory;
  directory.write("real/.git/HEAD", "ref");
  directory.write("real/.trainctl.yaml", "image: x\n");
  fs::create_directories(directory.path("real/sub"));
  fs::create_directory_symlink(directory.path("real/sub"), directory.path("link"));
  CHECK(refused_in(directory, "link").empty());
}

}  // namespace working_tree_test
}  // namespace trainctl::testing
