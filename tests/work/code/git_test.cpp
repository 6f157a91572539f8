// Asks the installed git about repositories that try to run programs.
#include "work/code/git.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "base/file/system_files.h"
#include "base/loop/loop.h"
#include "base/text/text.h"
#include "support/fake_access.h"
#include "support/fakes.h"

namespace trainctl::testing {
namespace git_test {

namespace fs = std::filesystem;

// A repository with one commit, whose programs would leave the file `ran`.
class Repository {
 public:
  Repository() {
    std::string name = fs::temp_directory_path() / "trainctl-test-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    std::ofstream(root_ + "/lib.py") << "print(1)\n";
    std::ofstream(root_ + "/.gitattributes") << "*.py filter=evil\n";
    run("git init -q . && mkdir sub && cp lib.py sub/a.py && git add -A && "
        "git -c user.name=x -c user.email=x@y -c commit.gpgSign=false commit -qm x");
  }
  ~Repository() { fs::remove_all(root_); }
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  void run(const std::string& command) const {
    const std::string line = cat("cd '", root_, "' && unset GIT_DIR GIT_WORK_TREE && ran='", root_,
                                 "/.git/ran' && { ", command, "; } >/dev/null 2>&1");
    REQUIRE(std::system(line.c_str()) == 0);
  }
  const std::string& root() const { return root_; }
  bool has_run() const { return fs::exists(root_ + "/.git/ran"); }

  job::CodeRevision revision(const std::string& directory = "") {
    FakeAccess access(console_, files_, loop_, Environment({{"PATH", std::getenv("PATH")}}));
    return work::git_revision(access, directory.empty() ? root_ : directory);
  }

 private:
  std::string root_;
  UvLoop loop_;
  SystemFiles files_;
  BufferConsole console_;
};

bool has_git() {
  return std::system("git --version >/dev/null 2>&1") == 0;
}

TEST_CASE("18: no filter of a repository runs, not even to see what has changed") {
  if (!has_git()) return;
  // Written in the second in which git wrote the index, as far as git can tell, so that it would
  // have to read the file.
  const std::string racy =
      " && git config core.trustctime false && git config core.checkStat minimal"
      " && touch -d 2030-01-01 lib.py && git update-index --refresh"
      " && touch -d 2029-01-01 .git/index";
  for (const char* setting : {"clean", "process"}) {
    CAPTURE(setting);
    Repository repository;
    repository.run(cat("true", racy, " && git config filter.evil.", setting,
                       " \"touch '$ran'; cat\" && git config filter.evil.required true"));
    CHECK_FALSE(repository.revision().commit.empty());
    CHECK_FALSE(repository.has_run());
  }
  // No option of git's can name this one.
  Repository repository;
  repository.run(cat("echo '*.py filter=a=b' >.git/info/attributes", racy,
                     " && git config filter.a=b.clean \"touch '$ran'; cat\""));
  CHECK(repository.revision().commit.empty());
  CHECK_FALSE(repository.has_run());
}

TEST_CASE("18: objects that a repository lacks are not fetched by programs of its choice") {
  if (!has_git()) return;
  for (const char* remote :
       {"url ssh://host/x && git config core.sshCommand \"touch '$ran'; false\"",
        "url . && git config remote.origin.uploadpack \"touch '$ran'; git-upload-pack\"",
        "url \"ext::sh -c touch% '$ran'\" && git config protocol.ext.allow always"}) {
    CAPTURE(remote);
    Repository repository;
    repository.run(cat("tree=$(git rev-parse HEAD:sub) && touch sub/a.py",
                       " && git config core.repositoryformatversion 1",
                       " && git config extensions.partialClone origin",
                       " && git config remote.origin.promisor true",
                       " && find .git/objects -name \"${tree#??}\" -delete",
                       " && git config remote.origin.", remote));
    repository.revision();
    CHECK_FALSE(repository.has_run());
  }
}

TEST_CASE("29.13: a .git that leads to another repository tells nothing of that one") {
  if (!has_git()) return;
  const Repository theirs;
  for (const std::string& theft : {
           cat("echo 'gitdir: ", theirs.root(), "/.git' >.git"),
           cat("ln -s '", theirs.root(), "/.git' .git"),
           cat("git init -q . && echo '", theirs.root(), "/.git' >.git/commondir"),
           cat("git init -q . && rm -r .git/refs && ln -s '", theirs.root(), "/.git/refs' .git"),
       }) {
    CAPTURE(theft);
    Repository repository;
    repository.run(cat("mkdir ours && cd ours && ", theft));
    CHECK(repository.revision(repository.root() + "/ours").commit.empty());
  }
}

TEST_CASE("29.13: a worktree and a submodule, whose repositories know them, tell their commit") {
  if (!has_git()) return;
  const Repository other;
  Repository repository;
  repository.run(cat("git config user.name x && git config user.email x@y",
                     " && git worktree add -q ../$(basename '", repository.root(), "')-tree",
                     " && mv ../$(basename '", repository.root(), "')-tree tree",
                     " && git worktree repair tree"));
  CHECK_FALSE(repository.revision(repository.root() + "/tree").commit.empty());
  repository.run(cat("git -c protocol.file.allow=always submodule add -q '", other.root(), "' sm"));
  CHECK_FALSE(repository.revision(repository.root() + "/sm").commit.empty());
}

TEST_CASE("29.13: git that does not answer is told of, and is not waited for without end") {
  FakeLoop loop;
  MemoryFiles files;
  BufferConsole console;
  FakeAccess access(console, files, loop, Environment());
  loop.children = {{"git", 0, "", false, std::chrono::hours(1)}};
  const auto listed = work::git_files(access, "/work");
  REQUIRE_FALSE(listed);
  CHECK(listed.error().code == Code::usage);
  CHECK(listed.error().message == "cannot list the files of /work: git has not answered for 2m");
  CHECK(console.stderr_text.find("still waiting for git") != std::string::npos);
}

}  // namespace git_test
}  // namespace trainctl::testing
