// Which runs of a container are read, in order: a restart that is missed costs a whole log.
#include "logs/container_runs.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace container_runs_test {

// A container's status: the current run ("" = it waits), the one before, and restarts.
Json status(std::string_view current, bool running, std::string_view before = "",
            int restarts = 0) {
  Json status{{"name", "pytorch"}, {"restartCount", restarts}, {"containerID", current}};
  if (current.empty()) {
    status["state"]["waiting"]["reason"] = "CrashLoopBackOff";
    status["containerID"] = before;
  } else if (running) {
    status["state"]["running"]["startedAt"] = "2026-01-02T03:00:00Z";
  } else {
    status["state"]["terminated"] = {{"exitCode", 1}, {"containerID", current}};
  }
  if (!before.empty()) status["lastState"]["terminated"]["containerID"] = before;
  return status;
}

// When somebody comes to read: 2026-01-02T03:04:05Z.
constexpr Time k_joined{std::chrono::seconds(1767323045)};

bool note(ContainerRuns& runs, const Json& status, bool here_before = false) {
  return runs.note(Json::object(), status, Time{},
                   here_before ? std::optional(k_joined) : std::nullopt);
}

std::string ids(ContainerRuns& runs) {
  std::string ids;
  while (runs.has_next()) {
    const ContainerRuns::Run run = runs.take_next();
    ids += cat(run.id, run.previous ? "(previous)" : "", run.here_before ? "*" : "", ' ');
  }
  return ids;
}

TEST_CASE("a run that ended after somebody came to read is read, though another runs by then") {
  for (const auto& [finished, read] : {std::pair("2026-01-02T03:04:05Z", "c3* "),
                                       std::pair("2026-01-02T03:04:06Z", "c2(previous)* c3* ")}) {
    ContainerRuns runs;
    Json seen = status("c3", true, "c2", 2);
    seen["lastState"]["terminated"]["finishedAt"] = finished;
    CHECK_FALSE(note(runs, seen, true));
    CHECK(ids(runs) == read);
  }
}

TEST_CASE("of a container that was there before, the newest run alone is read") {
  ContainerRuns runs;
  CHECK_FALSE(note(runs, status("c3", true, "c2", 2), true));
  CHECK(ids(runs) == "c3* ");
  CHECK_FALSE(note(runs, status("c3", false, "c2", 2)));
  CHECK(ids(runs).empty());
  CHECK_FALSE(note(runs, status("c4", true, "c3", 3)));
  CHECK(ids(runs) == "c4 ");
  ContainerRuns waits;
  CHECK_FALSE(note(waits, status("", false, "c2", 2), true));
  CHECK(ids(waits) == "c2* ");
}

TEST_CASE("each run that begins from then on is read once, in order") {
  ContainerRuns runs;
  (void)note(runs, status("c1", true), true);
  CHECK_FALSE(note(runs, status("c1", false)));
  CHECK_FALSE(note(runs, status("", false, "c1", 1)));
  CHECK_FALSE(note(runs, status("c2", true, "c1", 1)));
  CHECK(ids(runs) == "c1* c2 ");
}

TEST_CASE("a run between two statuses is read as the previous one") {
  ContainerRuns runs;
  (void)note(runs, status("c1", true), true);
  CHECK_FALSE(note(runs, status("c3", true, "c2", 2)));
  CHECK(ids(runs) == "c1* c2(previous) c3 ");
}

TEST_CASE("a run of which no status is left is a possible gap") {
  ContainerRuns runs;
  (void)note(runs, status("c1", true), true);
  CHECK(note(runs, status("c4", true, "c3", 3)));
}

TEST_CASE("a run that is read before a status reports it is not read again") {
  ContainerRuns runs;
  CHECK(runs.note_unreported());
  CHECK_FALSE(runs.note_unreported());
  CHECK(runs.take_next().id.empty());
  CHECK_FALSE(runs.end_of_read());
  CHECK_FALSE(note(runs, status("c1", false)));
  CHECK(ids(runs).empty());
  REQUIRE(runs.end_of_read());
  CHECK_FALSE(runs.end_of_read()->replaced);
}

TEST_CASE("a run that is read ends with the status that says so, or that shows another") {
  ContainerRuns runs;
  (void)note(runs, status("c1", true));
  (void)runs.take_next();
  CHECK_FALSE(runs.end_of_read());
  (void)note(runs, status("c2", true, "c1", 1));
  CHECK(runs.end_of_read()->replaced);
  CHECK_FALSE(runs.end_of_read()->removed);
  (void)note(runs, status("c3", true, "c2", 2));
  CHECK(runs.end_of_read()->removed);
}

}  // namespace container_runs_test
}  // namespace trainctl::job
