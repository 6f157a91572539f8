// Files of variables: what docker takes for a variable, this takes, too.
#include <doctest/doctest.h>

#include "job/manifest/environment.h"

namespace TEST_FILE {

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

}  // namespace TEST_FILE
