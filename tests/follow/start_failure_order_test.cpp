// Whoever waits ends with the same words, however quick kubelet, operator and --start-timeout are.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "follow/following.h"
#include "support/objects.h"

namespace trainctl::job {
namespace start_failure_order_test {

using namespace trainctl::testing;
using std::chrono::milliseconds;

// The cluster's reports of a program that is not there, in the steps that a test puts in order.
struct Report {
  bool of_job;
  std::string_view type;
  Json object;
};

Json bad_program(std::string_view phase, std::string_view state, std::string_view last) {
  return pod("master", 0,
             cat("{phase: ", phase,
                 ", containerStatuses: [{name: pytorch, restartCount: 2, state: ", state,
                 ", lastState: ", last, "}]}"));
}

std::array<Report, 5> reports() {
  const std::string message = R"(message: 'runc create failed: exec: "trian": not found: unknown')";
  const std::string ended = cat("{terminated: {exitCode: 128, reason: StartError, ", message, "}}");
  const Json failed = pytorch_job(
      0, "[" + condition("Failed", "True", "it has reached the specified backoff limit") + "]");
  const Json backs_off = bad_program("Running", "{waiting: {reason: CrashLoopBackOff}}", ended);
  return {
      {{false, "MODIFIED",
        bad_program("Running", cat("{waiting: {reason: RunContainerError, ", message, "}}"), "{}")},
       {false, "MODIFIED", backs_off},
       {false, "MODIFIED", bad_program("Running", ended, "{}")},
       {false, "DELETED", backs_off},
       {true, "MODIFIED", failed}}};
}

// One soon after another, each by the watch it belongs to.
std::vector<Exchange> in_order(const std::array<std::size_t, 5>& order) {
  const auto all = reports();
  std::vector<Change> of_job, of_pods;
  std::array<Duration, 2> last{};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Report& report = all[order[place]];
    const Duration at = milliseconds(200 * (place + 1));
    Duration& before = last[report.of_job ? 1 : 0];
    (report.of_job ? of_job : of_pods).push_back({at - before, report.type, report.object});
    before = at;
  }
  return {watch(std::string(k_jobs), of_job), watch(cat(k_ns, "/pods"), of_pods),
          log_of("ddp-master-0", "")};
}

TEST_CASE("a program that is not there ends every wait alike, in whatever order that is reported") {
  const Json job = pytorch_job(0, "[" + condition("Running", "True") + "]");
  FollowOptions options;
  options.logs.selection.none = true;
  options.deadline = deadline_after(std::chrono::hours(1), testing::k_begin);
  for (const Duration start_timeout :
       {Duration(milliseconds(300)), Duration(std::chrono::hours(1))}) {
    options.start_timeout = start_timeout;
    std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
    do {
      std::string text;
      for (const std::size_t place : order) text += cat(place, ' ');
      CAPTURE(text);
      CAPTURE(start_timeout.count());
      const Followed followed =
          follow(options, job, {pod("master", 0, waiting("ContainerCreating"))}, in_order(order));
      REQUIRE_FALSE(followed.verdict);
      CHECK(followed.verdict.error().code == Code::not_started);
      CHECK(followed.verdict.error().message ==
            "job ddp could not start: pod ddp-master-0: exec: \"trian\": not found");
      CHECK_FALSE(followed.said("restarted"));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

}  // namespace start_failure_order_test
}  // namespace trainctl::job
