// One case for each trap of the parser: users type this, and it must not become something else.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/run_command.h"

namespace trainctl::testing {
namespace parse_test {

const std::vector<std::string> k_base = {"submit-pytorch", "--name", "ddp", "-i", "registry/ddp:1"};
constexpr const char* k_master = "/spec/pytorchReplicaSpecs/Master/template/spec/containers/0";

std::vector<std::string> with(std::vector<std::string> more) {
  std::vector<std::string> args = k_base;
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST_CASE("an empty value never swallows the next flag") {
  CommandRun run;
  CHECK(run({"submit-pytorch", "--name=", "--replicas", "-3", "-i", "x"}) == 2);
  CHECK(run.console.stderr_text.starts_with("error: --name needs a value\n"));
  CHECK(run({"submit-pytorch", "--name", "", "-i", "x"}) == 2);
  CHECK(run.console.stderr_text.starts_with("error: --name needs a value\n"));
  CHECK(run({"submit-pytorch", "-i", "x", "--name"}) == 2);
  CHECK(run.console.stderr_text.starts_with("error: --name needs a value\n"));
  CHECK(run({"submit-pytorch", "-i=", "--name", "x"}) == 2);
  CHECK(run.console.stderr_text.starts_with("error: -i needs a value\n"));
  CHECK(run({"delete", "-l", ""}) == 2);
}

TEST_CASE("a flag that lost its value does not take the next flag for it") {
  CommandRun run;
  CHECK(run({"submit-pytorch", "--name", "--workers", "2", "-i", "x"}) == 2);
  CHECK(run.console.stderr_text.starts_with(
      "error: --name needs a value, and the next argument, --workers, is a flag\n"));
}

TEST_CASE("values keep every byte: brackets, commas, equals signs, leading dashes") {
  CommandRun run;
  const Json manifest = run.manifest(with({"-e", "LIST=[a,b]", "--env=EQ=a=b", "-e=SHORT=1",
                                           "--arg", "[x,y]", "--arg=--flag", "--arg", "-3"}));
  const Json& env = array_at(manifest, cat(k_master, "/env"));
  REQUIRE(env.size() == 3);
  CHECK(text_at(env, "/0/value") == "[a,b]");
  CHECK(text_at(env, "/1/value") == "a=b");
  CHECK(text_at(env, "/2/name") == "SHORT");
  CHECK(array_at(manifest, cat(k_master, "/args")) == Json({"[x,y]", "--flag", "-3"}));
}

TEST_CASE("words after -- reach the container untouched, flags of ours among them") {
  CommandRun run;
  const std::vector<std::string> words = {"--name", "other", "", "--", "[a,b]", "$HOME", "-g=2"};
  std::vector<std::string> args = with({"--"});
  args.insert(args.end(), words.begin(), words.end());
  const Json manifest = run.manifest(args);
  CHECK(array_at(manifest, cat(k_master, "/args")) == Json(words));
  CHECK(text_at(manifest, "/metadata/name") == "ddp");
}

TEST_CASE("a program's words without -- are refused, not half taken") {
  CommandRun run;
  CHECK(run(with({"python3", "train.py", "--lr", "1"})) == 2);
  CHECK(run(with({"python3", "train.py"})) == 2);
  CHECK(run.console.stderr_text ==
        "error: unexpected word `python3`\n"
        "hint: your program and its arguments come after `--`: -- python3 train.py\n");
}

TEST_CASE("a flag of one value given twice keeps the last, as kubectl does") {
  CommandRun run;
  const Json manifest = run.manifest(with({"--name", "second", "--cpu", "1", "--cpu=2"}));
  CHECK(text_at(manifest, "/metadata/name") == "second");
  CHECK(text_at(manifest, cat(k_master, "/resources/requests/cpu")) == "2");
  CHECK(run({"get", "--kind", "nonsense", "--kind", "tf", "--context", "none"}) == 2);
  CHECK(run.console.stderr_text.find("nonsense") == std::string::npos);
}

TEST_CASE("a repeatable flag takes one word each time and leaves the rest alone") {
  CommandRun run;
  CHECK(run(with({"-e", "A=1", "B=2"})) == 2);
  CHECK(run.console.stderr_text.starts_with("error: unexpected word `B=2`\n"));
}

TEST_CASE("short flags read as kubectl's: joined, with =, in clusters") {
  CommandRun run;
  CHECK(array_at(run.manifest({"submit-pytorch", "-iregistry/x:1", "--name=a", "-g=2", "-t"}),
                 "/spec/pytorchReplicaSpecs/Worker/template/spec/containers")[0]["tty"] == true);
  CHECK(run({"logs", "-fz", "ddp"}) == 2);
  CHECK(run.console.stderr_text.starts_with("error: unknown flag -z for logs\n"));
}

TEST_CASE("a switch takes a value only behind =") {
  CommandRun run;
  CHECK(find(run.manifest(with({"--no-master=false"})), "/spec/pytorchReplicaSpecs/Master"));
  CHECK_FALSE(find(run.manifest(with({"--no-master"})), "/spec/pytorchReplicaSpecs/Master"));
  CHECK(run(with({"--no-master=perhaps"})) == 2);
  CHECK(run(with({"--no-master", "true"})) == 2);
}

TEST_CASE("a flag for one role reaches that role only") {
  CommandRun run;
  const Json manifest = run.manifest(with({"--worker-memory", "2Gi", "--master-image=other:1"}));
  CHECK(text_at(manifest, cat(k_master, "/image")) == "other:1");
  CHECK_FALSE(find(manifest, cat(k_master, "/resources")));
  CHECK(text_at(manifest,
                "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/resources/requests/"
                "memory") == "2Gi");
}

TEST_CASE("flags may stand in front of the command") {
  CommandRun run;
  CHECK(run({"-n", "team", "-q", "submit-pytorch", "--name", "a", "-i", "x", "--dry-run", "-o",
             "json"}) == 0);
  CHECK(text_at(Json::parse(run.console.stdout_text), "/metadata/namespace") == "team");
  CHECK(run.console.stderr_text.empty());
  CHECK(run({"-n", "team"}) == 2);
}

TEST_CASE("every mistake on the command line exits 2 and sends nothing") {
  CommandRun run;
  const std::vector<std::vector<std::string>> lines = {
      {"frobnicate"},
      {"get", "--frob"},
      {"wait"},
      {"wait", "a", "b"},
      {"logs", "--tail", "x", "a"},
      {"get", "-o", "xml"},
      {"completion"},
      {"template"},
      {"delete"},
      {"submit", "a", "b"},
      {"submit-pytorch", "--dry-run=maybe", "-i", "x"},
      {"get", "a/b/c/d"},
      {"", "get"}};
  for (const auto& line : lines) {
    CAPTURE(join(line, " "));
    CHECK(run(line) == 2);
    CHECK(run.console.stdout_text.empty());
    CHECK(run.console.stderr_text.starts_with("error: "));
  }
  CHECK(run.clients == 0);
}

}  // namespace parse_test
}  // namespace trainctl::testing
