// A replica of policy ExitCode that always crashes gets a new pod each time, and who follows its
// job would wait for ever: the operator counts no such restart.
#include <doctest/doctest.h>

#include "follow/following.h"
#include "support/objects.h"

namespace trainctl::job {
namespace recreation_loop_test {

using namespace trainctl::testing;
using std::chrono::seconds;

Json nth_pod(int number, int lasts, std::string_view status) {
  Json made = pod("worker", 0, status);
  set_at(made, "/metadata/uid", cat("worker-pod-", number));
  set_at(made, "/metadata/creationTimestamp", format_time(k_begin + number * seconds(lasts + 3)));
  set_at(made, "/spec/restartPolicy", "Never");
  return made;
}

// `count` pods of worker-0 come, end with this code after `lasts` seconds, and are deleted.
Exchange failing_pods(int count, int code, int lasts = 1) {
  std::vector<Change> changes;
  for (int number = 0; number < count; ++number) {
    const std::string ended = cat(
        R"({phase: Failed, startTime: "2026-01-02T03:00:00Z", containerStatuses: [{name: pytorch,
        containerID: c)",
        number, ", restartCount: 0, state: {terminated: {exitCode: ", code,
        R"(, reason: Error, finishedAt: ")", "2026-01-02T03:0", lasts / 60, ":0", lasts % 60,
        "Z\"}}}]}");
    changes.push_back({seconds(3), "ADDED", nth_pod(number, lasts, running(cat("c", number)))});
    changes.push_back({seconds(1), "MODIFIED", nth_pod(number, lasts, ended)});
    Json deleted = nth_pod(number, lasts, ended);
    set_at(deleted, "/metadata/deletionTimestamp", "2026-01-02T03:04:05Z");
    changes.push_back({Duration{}, "MODIFIED", deleted});
    changes.push_back({Duration{}, "DELETED", deleted});
  }
  return watch(cat(k_ns, "/pods"), std::move(changes));
}

Followed waited(const Json& job, Exchange pods) {
  FollowOptions options;
  options.logs.selection.none = true;
  options.deadline = deadline_after(std::chrono::hours(1), k_begin);
  return follow(options, job, {}, {std::move(pods)});
}

Json job_with_limit(std::optional<int> limit) {
  Json job = pytorch_job(1, "[" + condition("Restarting", "True") + "]");
  job["spec"]["runPolicy"].erase("backoffLimit");
  if (limit) job["spec"]["runPolicy"]["backoffLimit"] = *limit;
  return job;
}

TEST_CASE("pods that fail one after another end the waiting as a crash loop does") {
  const struct {
    const char* what;
    std::optional<int> limit;
    int pods, lasts;
    bool ends;
  } rows[] = {
      {"without a limit the fourth ends it", {}, 4, 1, true},
      {"the third may be bad luck", {}, 3, 1, false},
      {"with a limit, which counts no new pods, too", 6, 4, 1, true},
      {"runs of minutes are no loop", {}, 9, 301, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Followed followed =
        waited(job_with_limit(row.limit), failing_pods(row.pods, 137, row.lasts));
    REQUIRE_FALSE(followed.verdict);
    const Error& error = followed.verdict.error();
    CHECK((error.code == Code::job_failed) == row.ends);
    if (!row.ends) continue;
    CHECK(error.message ==
          cat("gave up on job ddp, which is in a crash loop: worker-0 exited 137 (SIGKILL), ",
              row.pods,
              " times so far, and the operator creates a new pod each time, "
              "whatever the backoffLimit"));
  }
}

}  // namespace recreation_loop_test
}  // namespace trainctl::job
