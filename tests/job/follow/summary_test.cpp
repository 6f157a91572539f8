// The summary page of a CI run, whatever the logs hold.
#include <doctest/doctest.h>

#include "job/follow/failed_report.h"
#include "job/follow/report.h"

namespace trainctl::job {
namespace TEST_FILE {

using namespace trainctl::testing;

TEST_CASE("a summary page cannot be broken by a table bar, a fence or a tag in the logs") {
  const std::string page = markdown_summary(failed_report({"a | b", "````", "</details>"}));
  CHECK(page.find("`````text\na | b\n````\n</details>\n`````\n") != std::string::npos);
  CHECK(page.find("| worker-0 | Failed | 137 (SIGKILL) | 0 | OOMKilled |") != std::string::npos);
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
