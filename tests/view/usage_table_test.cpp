// Users would misread an amount by a power of ten.
#include "view/usage_table.h"

#include <limits>

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace trainctl::view {
namespace usage_table_test {

TEST_CASE("cores and bytes are short and keep the digits that matter") {
  CHECK(cores_text(0) == "0");
  CHECK(cores_text(7) == "7m");
  CHECK(cores_text(100) == "0.1");
  CHECK(cores_text(5712) == "5.7");
  CHECK(cores_text(8000) == "8");
  CHECK(cores_text(31'940) == "31.9");
  CHECK(bytes_text(0) == "0");
  CHECK(bytes_text(1023) == "1023");
  CHECK(bytes_text(1536) == "1.5Ki");
  CHECK(bytes_text(std::int64_t{512} << 20U) == "512Mi");
  CHECK(bytes_text(std::int64_t{64} << 30U) == "64Gi");
  CHECK(bytes_text(std::numeric_limits<std::int64_t>::max()) == "7.9Ei");
}

work::JobUsage job_in(job::Phase phase, std::string_view name) {
  work::JobUsage usage;
  usage.job.kind = &job::kinds().front();
  usage.job.object = {{"metadata", {{"name", name}}}};
  usage.state.phase = phase;
  return usage;
}

TEST_CASE("where there is room for few jobs, those in trouble are shown and the others counted") {
  std::vector<work::JobUsage> jobs = {
      job_in(job::Phase::succeeded, "a"), job_in(job::Phase::running, "b"),
      job_in(job::Phase::pending, "c"), job_in(job::Phase::failed, "d"),
      job_in(job::Phase::succeeded, "e")};
  jobs[1].metrics = Json::parse(
      R"({"step": 60, "total": 90, "series": [{"name": "loss", "last": {"step": 60, "value": 0.5}}]})");
  sort_usage(jobs, UsageOrder::trouble);
  testing::BufferConsole console;
  UsageShape shape;
  shape.with_header = false;
  shape.room = 4;
  CHECK(job_usage_table(jobs, shape, console, Time{}) ==
        "c   Pending   0/0   -   -   -   -   -       -\n"
        "b   Running   0/0   -   -   -   -   60/90   loss 0.5\n"
        "… 3 more: 2 Succeeded, 1 Failed\n");
  shape.room = 6;
  CHECK(job_usage_table(jobs, shape, console, Time{}).find("more") == std::string::npos);
}

}  // namespace usage_table_test
}  // namespace trainctl::view
