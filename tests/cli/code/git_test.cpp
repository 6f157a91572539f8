// Asks the installed git about repositories that try to run programs.
#include "cli/code/git.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "base/loop.h"
#include "base/system_files.h"
#include "base/text.h"
#include "support/fakes.h"

namespace trainctl::testing {
namespace {

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
  bool has_run() const { return fs::exists(root_ + "/.git/ran"); }

  job::CodeRevision revision() {
    cli::Context context(console_, files_, loop_, Environment({{"PATH", std::getenv("PATH")}}), {});
    return cli::git_revision(context, root_);
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

}  // namespace
}  // namespace trainctl::testing
