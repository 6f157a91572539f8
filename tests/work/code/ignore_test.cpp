// Patterns of .trainctlignore mean what they mean to git, and credentials are known by their names.
#include "work/code/ignore.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "work/code/choice.h"

namespace trainctl::work {
namespace ignore_test {

bool leaves_out(std::string_view rules, std::string_view path) {
  IgnoreRules ignore;
  ignore.add(rules);
  return ignore.leaves_out(path, false);
}

TEST_CASE("18: a pattern without a slash is found in every directory, one with it at the root") {
  CHECK(leaves_out("*.ckpt", "runs/1/last.ckpt"));
  CHECK_FALSE(leaves_out("*.ckpt", "last.ckpt.md"));
  CHECK(leaves_out("/data", "data/train.bin"));
  CHECK_FALSE(leaves_out("/data", "src/data/load.py"));
  CHECK(leaves_out("src/data", "src/data/load.py"));
  CHECK_FALSE(leaves_out("src/data", "a/src/data/load.py"));
  CHECK(leaves_out("logs/", "a/logs/today"));
  CHECK_FALSE(leaves_out("logs/", "a/logs"));
}

TEST_CASE("18: stars, sets and escapes stay within a name, two stars go through directories") {
  CHECK(leaves_out("run-?", "run-1"));
  CHECK_FALSE(leaves_out("run-?", "run-12"));
  CHECK(leaves_out("run-[0-9]", "run-7"));
  CHECK_FALSE(leaves_out("run-[!0-9]", "run-7"));
  CHECK(leaves_out("a[]]b", "a]b"));
  CHECK(leaves_out("\\*.py", "*.py"));
  CHECK_FALSE(leaves_out("\\*.py", "x.py"));
  CHECK(leaves_out("\\#notes", "#notes"));
  CHECK_FALSE(leaves_out("src/*", "src2/x"));
  CHECK(leaves_out("src/*/x", "src/a/x"));
  CHECK_FALSE(leaves_out("src/*/x", "src/a/b/x"));
  CHECK(leaves_out("src/**/x", "src/a/b/x"));
  CHECK(leaves_out("src/**/x", "src/x"));
  CHECK(leaves_out("**/cache", "a/b/cache/1"));
  CHECK(leaves_out("src/**", "src/a/b"));
  CHECK_FALSE(leaves_out("src/**", "src"));
  CHECK(leaves_out("a[b", "a[b"));
  CHECK(leaves_out("caf\xe9*", "caf\xe9.txt"));
}

TEST_CASE("18: the last pattern that matches decides, comments and blanks say nothing") {
  CHECK_FALSE(leaves_out("*.bin\n!small.bin\n", "small.bin"));
  CHECK(leaves_out("!small.bin\n*.bin\n", "small.bin"));
  CHECK_FALSE(leaves_out("# all\n\n   \n", "# all"));
  CHECK(leaves_out("data  \r\n", "data"));
  CHECK(leaves_out("out\n!out/keep\n", "out/keep"));  // as git: its directory is left out
}

TEST_CASE("18: no pattern takes time beyond its length times that of the name") {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "*a";
  CHECK_FALSE(leaves_out(pattern + "b", std::string(5000, 'a')));
}

TEST_CASE("18: what usually holds credentials is known by its name, what only looks alike is not") {
  const CredentialNames names;
  for (const char* path : {".env",
                           "deploy/.env.production",
                           "prod.env",
                           "tls/server.PEM",
                           "server.key",
                           "id_rsa",
                           ".ssh/id_ed25519",
                           ".config/gh/hosts.yml",
                           ".cache/huggingface/token",
                           ".vault-token",
                           ".bash_history",
                           ".netrc",
                           "kubeconfig",
                           "home/.kube/config",
                           "credentials.json",
                           "credentials-prod.json",
                           ".aws/credentials",
                           "service-account-key.json",
                           ".git-credentials",
                           ".docker/config.json"}) {
    CAPTURE(path);
    CHECK(names.hold(path));
  }
  for (const char* path :
       {".env.example", "environment.yml", "id_rsa.pub", "keys.py", "config", "conf/config.json",
        "credentials.py", "pem.md", "kubeconfig/load.py", "train.py"}) {
    CAPTURE(path);
    CHECK_FALSE(names.hold(path));
  }
}

}  // namespace ignore_test
}  // namespace trainctl::work
