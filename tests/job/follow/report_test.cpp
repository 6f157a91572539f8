// What a program reads of a job that has ended.
#include "job/follow/report.h"

#include <doctest/doctest.h>

#include "job/follow/failed_report.h"

namespace trainctl::job {
namespace TEST_FILE {

using namespace trainctl::testing;

TEST_CASE("a report gives a failed job's verdict, signal and last lines to a program") {
  const Json report = failed_report({"killed"});
  CHECK(text_at(report, "/verdict/result") == "failed");
  CHECK(int_at(report, "/verdict/exitStatus") == 3);
  CHECK(int_at(report, "/followed/seconds") == 90);
  CHECK(text_at(report, "/digest/replica") == "worker-0");
  CHECK(int_at(report, "/digest/signal") == 9);
  CHECK(text_at(report, "/digest/reason") == "OOMKilled");
  CHECK(text_at(report, "/digest/lastLines/0") == "killed");
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
