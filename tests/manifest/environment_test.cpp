// The rendezvous of PyTorch workers without a master.
#include "manifest/environment.h"

#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "manifest/rendering.h"

namespace manifest_environment_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::at;
using trainctl::testing::kind;
using trainctl::testing::rendered;
using trainctl::testing::yaml;

const std::string k_env = "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/env";

Json variable(const Json& manifest, std::string_view name) {
  for (const Json& one : array_at(manifest, k_env)) {
    if (text_at(one, "/name") == name) return one;
  }
  return nullptr;
}

std::size_t position(const Json& manifest, std::string_view name) {
  const Json& env = array_at(manifest, k_env);
  for (std::size_t i = 0; i < env.size(); ++i) {
    if (text_at(env[i], "/name") == name) return i;
  }
  return env.size();
}

TEST_CASE("workers alone find each other: address, ranks and world size as beside a master") {
  const Json manifest = rendered({"pytorch", {"--no-master", "--workers=4"}});
  CHECK(text_at(variable(manifest, "MASTER_ADDR"), "/value") == "$(TRAINCTL_JOB_NAME)-worker-0");
  CHECK(variable(manifest, "PET_MASTER_ADDR")["value"] ==
        variable(manifest, "MASTER_ADDR")["value"]);
  CHECK(text_at(variable(manifest, "MASTER_PORT"), "/value") == "23456");
  CHECK(text_at(variable(manifest, "PET_MASTER_PORT"), "/value") == "23456");
  CHECK(text_at(variable(manifest, "WORLD_SIZE"), "/value") == "4");
  const std::string index = "metadata.labels['training.kubeflow.org/replica-index']";
  CHECK(text_at(variable(manifest, "RANK"), "/valueFrom/fieldRef/fieldPath") == index);
  CHECK(text_at(variable(manifest, "PET_NODE_RANK"), "/valueFrom/fieldRef/fieldPath") == index);
}

TEST_CASE("the job's name comes from the pod, and before the variables that refer to it") {
  const Json manifest = rendered({"pytorch", {"--no-master"}});  // a generated name
  CHECK(text_at(variable(manifest, "TRAINCTL_JOB_NAME"), "/valueFrom/fieldRef/fieldPath") ==
        "metadata.labels['training.kubeflow.org/job-name']");
  CHECK(position(manifest, "TRAINCTL_JOB_NAME") < position(manifest, "MASTER_ADDR"));
}

TEST_CASE("the world counts processes when their number is given, and the port is the job's") {
  const Json manifest = rendered(
      {"pytorch",
       {"--no-master", "--workers=2", "--nproc-per-node=4", "--port=pytorchjob-port=29500"}});
  CHECK(text_at(variable(manifest, "WORLD_SIZE"), "/value") == "8");
  CHECK(text_at(variable(manifest, "MASTER_PORT"), "/value") == "29500");
}

TEST_CASE("the user's values are left alone") {
  const Json manifest =
      rendered({"pytorch", {"--no-master", "--env=MASTER_PORT=1234", "--env=RANK=7"}});
  CHECK(variable(manifest, "MASTER_PORT") == yaml("{name: MASTER_PORT, value: '1234'}"));
  CHECK(variable(manifest, "RANK") == yaml("{name: RANK, value: '7'}"));
  CHECK(text_at(variable(manifest, "WORLD_SIZE"), "/value") == "1");
}

TEST_CASE("nothing is added beside a master, to elastic jobs, or to other kinds") {
  for (const testing::Line& line :
       {testing::Line{"pytorch", {}},
        testing::Line{"pytorch", {"--no-master", "--min-replicas=1", "--max-replicas=2"}},
        testing::Line{"tf", {"--no-master"}}, testing::Line{"jax", {}}}) {
    CHECK(dump(rendered(line)).find("MASTER_ADDR") == std::string::npos);
  }
}

TEST_CASE("every container of the pod gets the variables, sidecars included") {
  Json manifest = yaml(
      "{spec: {pytorchReplicaSpecs: {Worker: {template: {spec: {containers: [{name: pytorch}, "
      "{name: side}]}}}}}}");
  add_rendezvous_environment(kind("pytorch"), manifest);
  CHECK(at(manifest, k_env).size() == 8);
  CHECK(at(manifest, "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/1/env").size() ==
        8);
  const Json once = manifest;
  add_rendezvous_environment(kind("pytorch"), manifest);
  CHECK(manifest == once);
}

}  // namespace manifest_environment_test

namespace manifest_environment_test {

using namespace trainctl::job;

TEST_CASE("A $(VAR) in an argument means what it means on a cluster") {
  const Variables variables{{"A", "1"}, {"B_C", "two"}};
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"$(A)", "1"},
      {"x$(A)y$(B_C)", "x1ytwo"},
      {"$(NONE)", "$(NONE)"},
      {"$$(A)", "$(A)"},
      {"$$$(A)", "$1"},
      {"$A", "$A"},
      {"$", "$"},
      {"a$", "a$"},
      {"$(A", "$(A"},
      {"$()", "$()"},
      {"$$", "$"},
      {"$(A)$(A)", "11"},
      {"${A}", "${A}"},
      {"$((A)", "$((A)"},
      {"", ""},
  };
  for (const auto& [text, wanted] : rows) {
    CAPTURE(text);
    CHECK(expanded(text, variables) == wanted);
  }
}

TEST_CASE(
    "A word that was typed reaches the program byte for byte, whatever it means to a cluster") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"$(A)", "$$(A)"},
      {"$$", "$$$$"},
      {"$$(A)", "$$$$(A)"},
      {"$HOME", "$HOME"},
      {"${A}", "${A}"},
      {"cost: 5$", "cost: 5$"},
      {"$(", "$$("},
      {"$\u00e9", "$$\u00e9"},
      {"echo $((1+1)) $$ $(ls)", "echo $$((1+1)) $$$$ $$(ls)"},
  };
  for (const auto& [typed, sent] : rows) {
    CAPTURE(typed);
    CHECK(unexpanded(typed) == sent);
  }
}

TEST_CASE("escaped text expands to itself, for every text of dollars, brackets and names") {
  const Variables variables{{"A", "$(A)$$"}, {"", "empty"}, {"AA", "x"}};
  constexpr std::string_view k_letters = "$()A";
  for (int length = 0; length <= 6; ++length) {
    for (int code = 0; code < 1 << (2 * length); ++code) {
      std::string text;
      for (int i = 0; i < length; ++i) text += k_letters[(code >> (2 * i)) & 3];
      CAPTURE(text);
      REQUIRE(expanded(unexpanded(text), variables) == text);
    }
  }
}

}  // namespace manifest_environment_test

namespace manifest_environment_test {

using namespace trainctl;

using Lines = std::vector<std::string>;

struct EnvFileExample {
  std::string_view text;
  Lines variables;
};

TEST_CASE("the lines of an environment file are variables as docker reads them") {
  const EnvFileExample examples[] = {
      {"", {}},
      {"\n# a comment\n  # another\n", {}},
      {"LR=0.1\nNAME=a b # c\n", {"LR=0.1", "NAME=a b # c"}},
      {"  LR=0.1", {"LR=0.1"}},
      {"LR= 0.1 ", {"LR= 0.1 "}},
      {"LR=\"0.1\"", {"LR=\"0.1\""}},
      {"A=b=c\r\nHOME\r\n", {"A=b=c", "HOME"}},
      {"\xEF\xBB\xBF"
       "A=1",
       {"A=1"}},
      {"EMPTY=", {"EMPTY="}},
  };
  for (const EnvFileExample& example : examples) {
    CAPTURE(example.text);
    const auto variables = job::env_file_variables(example.text);
    REQUIRE(variables);
    CHECK(*variables == example.variables);
  }
}

TEST_CASE("a line that is no variable is refused with its number, and its value stays unsaid") {
  const auto refused = job::env_file_variables("A=1\n\nexport TOKEN=hush\n");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Code::usage);
  CHECK(refused.error().message ==
        "line 3: 'export TOKEN' may hold only letters, digits, '_', '-' and '.'");
  CHECK_FALSE(job::env_file_variables("=x"));
}

TEST_CASE("a setting of the flight recorder that the user made counts for its newer name as well") {
  const Json manifest =
      rendered({"pytorch", {"--flight-recorder", "--worker-env=TORCH_NCCL_TRACE_BUFFER_SIZE=50"}});
  CHECK(text_at(variable(manifest, "TORCH_NCCL_TRACE_BUFFER_SIZE"), "/value") == "50");
  CHECK(variable(manifest, "TORCH_FR_BUFFER_SIZE") == nullptr);
  CHECK(text_at(variable(manifest, "TORCH_NCCL_DUMP_ON_TIMEOUT"), "/value") == "1");
  CHECK(text_at(variable(manifest, "TORCH_FR_DUMP_TEMP_FILE"), "/value") ==
        "/tmp/nccl_trace_rank_");
}

}  // namespace manifest_environment_test

// $(NAME) as the kubelet expands it, and texts that must survive it.

// Files of variables: what docker takes for a variable, this takes, too.
