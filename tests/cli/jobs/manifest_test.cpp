// A job's owner: the user that the environment names, else the one that the system knows.
#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "cli/run_command.h"

namespace trainctl::testing {
namespace manifest_test {

using Variables = std::map<std::string, std::string, std::less<>>;

std::string owner_of(Variables variables) {
  CommandRun run;
  run.environment = Environment(std::move(variables));
  run.login = "ada";
  const Json job = run.manifest({"submit-pytorch", "--name", "ddp", "-i", "x"});
  return text_at(job, "/metadata/labels/trainctl~1owner");
}

TEST_CASE("a job has an owner also where no variable names the user, as in cron and containers") {
  CHECK(owner_of({{"HOME", "/"}}) == "ada");
  CHECK(owner_of({{"LOGNAME", "grace"}}) == "grace");
  CHECK(owner_of({{"USER", "joan"}, {"LOGNAME", "grace"}}) == "joan");
}

}  // namespace manifest_test
}  // namespace trainctl::testing
