// What a stranger's working tree can make a command do: nothing that the user did not agree to.
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
namespace TEST_FILE {

namespace fs = std::filesystem;

TEST_CASE("a user reads on stderr which file has set what") {
  TreeRun run("image: registry/ddp:1\nworkers: 3\n");
  CHECK(run.submit() == 0);
  CHECK(run.prints("registry/ddp:1"));
  CHECK(run.says("/work/.trainctl.yaml sets image=registry/ddp:1, workers=3"));
  CHECK(run.submit({"--quiet"}) == 0);
  CHECK_FALSE(run.says("sets image"));
}

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
  CHECK(link.says("a symbolic link leads out of the working tree"));
}

TEST_CASE("a pipeline on an untrusted branch works without the file") {
  TreeRun run("image: registry/stranger:1\nhost-network: true\n");
  for (const char* word : {"--no-tree-config", "--tree-config=off"}) {
    CHECK(run.submit({"--image=registry/mine:1", word}) == 0);
    CHECK(run.prints("registry/mine:1"));
    CHECK_FALSE(run.prints("hostNetwork"));
  }
  const auto variables = run.environment.all();
  for (const auto& [name, value] :
       {std::pair{"TRAINCTL_TREE_CONFIG", "off"}, std::pair{"TRAINCTL_NO_TREE_CONFIG", "1"}}) {
    auto with_one = variables;
    with_one[name] = value;
    run.environment = Environment(with_one);
    CHECK(run.submit({"--image=registry/mine:1"}) == 0);
    CHECK_FALSE(run.prints("hostNetwork"));
  }
  run.environment = Environment(variables);
  run.files.files["/home/ada/.config/trainctl/config.yaml"] = "no-tree-config: true\n";
  CHECK(run.submit({"--image=registry/mine:1"}) == 0);
  CHECK_FALSE(run.prints("hostNetwork"));
}

TEST_CASE("what a file sets is said with its value, except where that may be a secret") {
  TreeRun run("env: [KEY=hush]\nrequest-timeout: 20s\nget: {sort-by: '{.x}', watch: false}\n");
  CHECK(run.submit({"-i", "registry/ddp:1"}) == 0);
  CHECK(run.says("sets env, request-timeout=20s\n"));
  CHECK(run({"get"}) != 2);
  CHECK(run.says("sets get.sort-by={.x}, get.watch=false, request-timeout=20s\n"));
}

TEST_CASE("an overlay that is a link, or lies behind one, brings nothing in from elsewhere") {
  for (const char* from : {"/work/o.yaml", "/work/deploy"}) {
    const bool directory = std::string_view(from).ends_with("deploy");
    TreeRun run(cat("overlay: [", directory ? "deploy/o.yaml" : "o.yaml", "]\n"));
    run.files.files["/home/ada/secret/o.yaml"] = "oauth_token: hush\n";
    run.files.links[from] = directory ? "/home/ada/secret" : "/home/ada/secret/o.yaml";
    CHECK(run.submit({"--tree-config=trusted", "-i", "registry/ddp:1"}) == 2);
    CHECK(run.says("a symbolic link leads out of the working tree"));
    CHECK_FALSE(run.prints("hush"));
    CHECK_FALSE(run.says("hush"));
  }
}

TEST_CASE("commands that change or delete do not open the file, broken or not") {
  TreeRun run("namespace: prod\nquiet: true\n");
  CHECK(run.submit({"-i", "x"}) == 2);
  CHECK(run.says("namespace is not read from a working tree"));
  CHECK(run({"delete", "ddp", "--yes"}) != 2);
  CHECK_FALSE(run.says("working tree"));
  CHECK(run.clients == 1);
}

TEST_CASE("commands that only look say once that the file has a fault, and go on without it") {
  for (const char* text : {"image: [1,2\n", "namespace: prod\n", "nonsense: 1\n"}) {
    TreeRun run(text);
    CHECK(run.submit({"-i", "x"}) == 2);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"get"},
                                                    {"logs", "ddp"},
                                                    {"whoami"},
                                                    {"config", "view"},
                                                    {"config", "get", "image"}}) {
      CAPTURE(command.front());
      CHECK(run(command) != 2);
      const auto once = run.console.stderr_text.find("this command continues without the file");
      REQUIRE(once != std::string::npos);
      CHECK(run.console.stderr_text.find("continues without the file", once + 20) ==
            std::string::npos);
    }
    CHECK(run({"config", "trust", "--yes"}) == 2);
  }
}

TEST_CASE("a path with control characters is shown without obeying them") {
  TreeRun run;
  const std::string directory = "/work/\x1b[31mred\x1b[2J";
  run.environment = Environment(
      std::map<std::string, std::string, std::less<>>{{"HOME", "/home/ada"}, {"PWD", directory}});
  run.files.files[directory + "/.trainctl.yaml"] = "image: registry/ddp:1\n";
  CHECK(run.submit() == 0);
  CHECK(run.says("/work/?[31mred?[2J/.trainctl.yaml sets image"));
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
  CHECK(refused_in(directory) == "a symbolic link leads out of the working tree");
}

TEST_CASE("a directory that is entered through a link is searched where it really is") {
  const Directory directory;
  directory.write("real/.git/HEAD", "ref");
  directory.write("real/.trainctl.yaml", "image: x\n");
  fs::create_directories(directory.path("real/sub"));
  fs::create_directory_symlink(directory.path("real/sub"), directory.path("link"));
  CHECK(refused_in(directory, "link").empty());
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
