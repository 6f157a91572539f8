// `--code` takes these files and no others, and makes the same archive of the same files.
#include "work/code/pack.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "base/file/system_files.h"
#include "base/text/text.h"
#include "support/fake_access.h"
#include "support/fakes.h"
#include "work/code/choice.h"

namespace trainctl::testing {
namespace pack_test {

using work::CodeArchive, work::CodeChoice;

struct Place {
  FakeLoop loop;
  MemoryFiles files;
  BufferConsole console;
  std::map<std::string, std::string, std::less<>> variables = {{"PWD", "/work"},
                                                               {"GIT_DIR", "/elsewhere/.git"}};

  Result<CodeChoice> choose(std::vector<std::string> included = {}) {
    FakeAccess access(console, files, loop, Environment(variables));
    return work::choose_code(access, ".", included);
  }
  Result<CodeArchive> pack(std::vector<std::string> included = {}, std::string claim = "") {
    FakeAccess access(console, files, loop, Environment(variables));
    return work::pack_code(access, {".", std::move(included), "", std::move(claim)});
  }
  void add(const std::string& path, const std::string& content = "x") {
    files.files["/work/" + path] = content;
  }
  // A git working tree that lists these files, as `git ls-files -z -t` does.
  void git(const std::vector<std::string>& lines, const std::string& commit = "",
           const std::vector<std::string>& changed = {}) {
    add(".git/HEAD");
    const auto joined = [](const std::vector<std::string>& names) {
      std::string text;
      for (const std::string& name : names) text += name + '\0';
      return text;
    };
    loop.children = {{"git", 0, joined(lines)},
                     {"git", commit.empty() ? 1 : 0, commit + "\n"},
                     {"git", 1, ""},  // no filters
                     {"git", 0, joined(changed)}};
  }
};

std::string names(const Result<CodeChoice>& choice) {
  if (!choice) return choice.error().message;
  std::vector<std::string> paths;
  for (const auto& file : choice->files) paths.push_back(file.path);
  return join(paths, " ");
}

TEST_CASE("18: outside of git all files go along but caches and what .trainctlignore names") {
  Place place;
  for (const char* path :
       {"train.py", "lib/model.py", "lib/__pycache__/model.pyc", ".venv/bin/python", "data/big.bin",
        "data/small.bin", "node_modules/x/index.js", ".hg/store", ".trainctlignore"}) {
    place.add(path);
  }
  place.add(".trainctlignore", "data/*\n!data/small.bin\n");
  CHECK(names(place.choose()) == ".trainctlignore data/small.bin lib/model.py train.py");
  CHECK(place.loop.spawned.empty());
}

TEST_CASE("18: in git what it tracks goes along and what it does not ignore, caches apart") {
  Place place;
  for (const char* path : {"train.py", "new.py", "venv/x", "__pycache__/a.pyc", "big.bin",
                           "vendored/node_modules/a.js", "ignored.py"}) {
    place.add(path);
  }
  place.add(".trainctlignore", "big.bin\n");
  place.git({"H train.py", "H deleted.py", "H big.bin", "H vendored/node_modules/a.js", "? new.py",
             "? venv/x", "? __pycache__/a.pyc", "? .trainctlignore"},
            "0123456789abcdef0123456789abcdef01234567", {"train.py", "deleted.py", "prod.env"});
  const auto choice = place.choose();
  CHECK(names(choice) == ".trainctlignore new.py train.py vendored/node_modules/a.js");
  CHECK(choice->revision.commit == "0123456789abcdef0123456789abcdef01234567");
  CHECK(join(choice->revision.changed, " ") == "train.py deleted.py");  // no credentials' name
  CHECK(join(choice->revision.untracked, " ") == "new.py .trainctlignore");
}

TEST_CASE("18: git is asked so that nothing of the repository runs, and about no other one") {
  Place place;
  place.add("a.py");
  place.git({"H a.py"}, "01234567");
  REQUIRE(place.choose());
  REQUIRE(place.loop.spawned.size() == 4);
  for (const ChildSpec& spec : place.loop.spawned) {
    CHECK(join(spec.argv, " ")
              .starts_with("git -c core.fsmonitor=false -c core.hooksPath=/dev/null -C /work "));
    CHECK_FALSE(spec.environment.get("GIT_DIR"));
    CHECK(spec.environment.get("GIT_NO_LAZY_FETCH") == "1");
    CHECK(spec.environment.get("GIT_ALLOW_PROTOCOL") == "");
  }
  CHECK(join(place.loop.spawned[0].argv, " ")
            .ends_with("ls-files -z -t --cached --others --exclude-standard"));
}

TEST_CASE("a link that leads out by way of another link is refused, whatever its words say") {
  Place place;
  place.add("lib/a.py");
  place.files.links["/work/lib/loop"] = ".";
  place.files.links["/work/lib/up"] = "loop/../..";
  CHECK(names(place.choose()) == "lib/up is a link that leads out of the directory, to loop/../..");
}

TEST_CASE("a directory that becomes a link while the code is packed brings nothing in") {
  Place place;
  place.add("a.py");
  place.add("lib/key.py", "code");
  place.files.files["/home/ada/.ssh/key.py"] = "hush";
  place.files.on_read = [&place](const std::string&) {
    place.files.links["/work/lib"] = "/home/ada/.ssh";
  };
  CHECK(place.pack().error().message == "lib/key.py changed while it was packed");
}

TEST_CASE("18: what a hostile index lists outside of the tree is not packed") {
  Place place;
  place.add("a.py");
  place.files.files["/etc/passwd"] = "root";
  place.files.links["/work/data"] = "/etc";
  place.add(".git/config", "token");
  place.git({"H a.py", "H data/passwd", "H .git/config", "H ./"});
  CHECK(names(place.choose()) == "a.py");
  place.git({"H a.py"});
  CHECK(names(place.choose({"data/passwd"})) == "--code-include: data/passwd is not in /work");
  for (const char* path : {"../etc/passwd", "a/../../etc/passwd", "/etc/passwd"}) {
    CAPTURE(path);
    place.git({cat("H ", path)});
    const std::string error = names(place.choose());
    CHECK(error.starts_with("git lists "));
    CHECK(error.ends_with("etc/passwd, which is outside of the directory"));
  }
}

TEST_CASE("18: a repository within that is none is listed once") {
  Place place;
  place.add("lib/.git/x");
  place.add("lib/a.py");
  place.git({"H lib"});
  place.loop.children.insert(place.loop.children.begin() + 1,
                             {"git", 0, std::string("H ./\0H a.py\0", 12)});
  CHECK(names(place.choose()) == "lib/a.py");
}

TEST_CASE("18: a git that is missing or refuses is an error, not a guess") {
  Place missing;
  missing.add(".git/HEAD");
  CHECK(names(missing.choose()) ==
        "cannot list the files of /work: program 'git' was not found on PATH");
  Place refusing;
  refusing.add(".git/HEAD");
  refusing.loop.children = {{"git", 128, ""}};
  CHECK(names(refusing.choose()) == "git cannot list the files of /work");
}

TEST_CASE("18: files that look like credentials stop the submit until each is named") {
  Place place;
  for (const char* path : {"train.py", ".env", "tls/server.pem"}) place.add(path);
  CHECK(names(place.choose()) == "these look like credentials: .env, tls/server.pem");
  CHECK(names(place.choose({".env"})) == "these look like credentials: tls/server.pem");
  CHECK(names(place.choose({".env", "./tls/server.pem"})) == ".env tls/server.pem train.py");
  for (const char* path : {"../.env", "/work/.env", "tls", "no"}) {
    CAPTURE(path);
    CHECK(names(place.choose({path})).starts_with("--code-include: "));
  }
}

TEST_CASE("18: links stay links, and one that leads out of the directory is refused by its name") {
  Place place;
  place.add("lib/a.py");
  place.files.links["/work/lib/b.py"] = "a.py";
  place.files.links["/work/lib/up"] = "../lib/a.py";
  CHECK(names(place.choose()) == "lib/a.py lib/b.py lib/up");
  for (const char* target : {"/etc/passwd", "../../x", "../lib/../../x", ".."}) {
    CAPTURE(target);
    place.files.links["/work/lib/up"] = target;
    const bool is_inside = std::string_view(target) == "..";
    CHECK(names(place.choose()) ==
          (is_inside ? "lib/a.py lib/b.py lib/up"
                     : cat("lib/up is a link that leads out of the directory, to ", target)));
  }
}

TEST_CASE("18: a socket is left out with a notice, and no file at all is an error") {
  Place place;
  place.add("train.py");
  place.add("agent.sock");
  place.files.odd_facts["/work/agent.sock"] = FileFacts{.is_regular = false};
  CHECK(names(place.choose()) == "train.py");
  CHECK(place.console.stderr_text.find(
            "left out, because they are not regular files: agent.sock") != std::string::npos);
  Place empty;
  empty.add(".venv/x");
  const auto packed = empty.pack();
  REQUIRE_FALSE(packed);
  CHECK(packed.error().message == "--code: there is no file to send in .");
}

TEST_CASE("18: the same files give the same digest, and other content another") {
  Place one;
  one.add("train.py", "print(1)\n");
  Place two;
  two.files.files = one.files.files;
  const auto first = one.pack();
  const auto second = two.pack();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->bytes == second->bytes);
  CHECK(first->code.digest.size() == 64);
  CHECK(first->code.files == 1);
  two.add("train.py", "print(2)\n");
  CHECK(two.pack()->code.digest != first->code.digest);
}

TEST_CASE("18: a file that changes while it is packed is an error that names it") {
  struct Changing : MemoryFiles {
    Result<std::string> read(const std::string& path) override {
      auto content = MemoryFiles::read(path);
      if (path.ends_with("log.txt")) files[path] += "one more line\n";
      return content;
    }
  };
  Changing files;
  FakeLoop loop;
  BufferConsole console;
  files.files["/work/log.txt"] = "line\n";
  FakeAccess access(console, files, loop);
  access.directory = "/work";
  const auto packed = work::pack_code(access, {".", {}, ""});
  REQUIRE_FALSE(packed);
  CHECK(packed.error().code == Code::usage);
  CHECK(packed.error().message == "log.txt changed while it was packed");
}

// Bytes that no compression makes smaller.
std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint64_t state = 88172645463325252ULL;
  for (char& byte : bytes) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

TEST_CASE("18: more than 8 MiB packed is refused, with the five largest files by name") {
  Place place;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) place.add(name, noise(2'000'000));
  place.add("a", noise(3'000'000));
  const auto packed = place.pack();
  REQUIRE_FALSE(packed);
  CHECK(packed.error().code == Code::usage);
  CHECK(packed.error().message ==
        "--code: more than 8.0 MiB packed, which is too much for config maps; the largest: a (2.8 "
        "MiB), b (1.9 MiB), c (1.9 MiB), d (1.9 MiB), e (1.9 MiB)");
  CHECK(packed.error().hint.find(".trainctlignore") != std::string::npos);
  CHECK(packed.error().hint.find("--code-claim CLAIM") != std::string::npos);
  const auto in_claim = place.pack({}, "data:team");
  REQUIRE(in_claim);
  CHECK(in_claim->code.claim.words() == "data:team");
  CHECK(in_claim->code.size > job::k_most_code);
}

TEST_CASE("18: on a real file system names of any bytes, links, modes and sockets are seen") {
  namespace fs = std::filesystem;
  std::string directory = fs::temp_directory_path() / "trainctl-test-XXXXXX";
  REQUIRE(mkdtemp(directory.data()) != nullptr);
  const auto write = [&](const std::string& name) {
    std::ofstream(cat(directory, "/", name)) << "x";
  };
  fs::create_directories(directory + "/lib");
  write("caf\xe9.py");
  write("lib/run.sh");
  fs::permissions(directory + "/lib/run.sh", fs::perms(0700));
  fs::create_symlink("lib/run.sh", directory + "/run");
  REQUIRE(mkfifo((directory + "/pipe").c_str(), 0600) == 0);
  SystemFiles files;
  FakeLoop loop;
  BufferConsole console;
  FakeAccess access(console, files, loop, Environment());
  const auto choice = work::choose_code(access, directory + "/", {});
  fs::remove_all(directory);
  CHECK(names(choice) == "caf\xe9.py lib/run.sh run");
  CHECK(choice->files[1].node.is_executable);
  CHECK_FALSE(choice->files[0].node.is_executable);
  CHECK(choice->files[2].node.target == "lib/run.sh");
  CHECK(console.stderr_text.find("pipe") != std::string::npos);
}

}  // namespace pack_test
}  // namespace trainctl::testing
