// What a user would lose: a job that starts too early, or waits for the wrong one.
#include "job/manifest/predecessors.h"

#include <doctest/doctest.h>

#include "base/value/yaml.h"
#include "job/manifest/rerun.h"

namespace trainctl::job {
namespace TEST_FILE {

Json job_after(std::string after, std::string after_ok = "") {
  Json job = {{"metadata", {{"name", "ddp"}}}, {"spec", {{"runPolicy", {{"suspend", true}}}}}};
  if (!after.empty()) job["metadata"]["annotations"]["trainctl/after"] = after;
  if (!after_ok.empty()) job["metadata"]["annotations"]["trainctl/after-ok"] = after_ok;
  return job;
}

TEST_CASE("annotations to the jobs that are waited for, in the user's words") {
  struct {
    std::string after, after_ok, words;
  } rows[] = {
      {"prep", "", "waits for prep to end"},
      {"", "tf/prep", "waits for prep to succeed"},
      {"a", "b", "waits for a to end and for b to succeed"},
      {"a,b,c,d", "", "waits for a to end, b to end and for 2 more jobs"},
  };
  for (const auto& row : rows) {
    const auto found = predecessors_of(job_after(row.after, row.after_ok));
    REQUIRE(found);
    CHECK(waiting_words(*found) == row.words);
  }
}

TEST_CASE("an annotation that names no job is refused, not skipped") {
  for (const char* text : {",", "prep,", "a b", "prep/worker-0", "A", "../x"}) {
    INFO(text);
    CHECK_FALSE(predecessors_of(job_after(text)));
  }
}

TEST_CASE("each job is written with the version of its kind, and read back as the same") {
  Json job = job_after("prep", "tok");
  const Kind& mpi = *find_kind("mpijobs.v2beta1.kubeflow.org");
  CHECK(mpi.resource.version == "v2beta1");
  set_predecessors(job, {{{&mpi, "prep", ""}, false}});
  CHECK(job["metadata"]["annotations"]["trainctl/after"] == "mpijobs.v2beta1.kubeflow.org/prep");
  CHECK_FALSE(job["metadata"]["annotations"].contains("trainctl/after-ok"));
  const auto back = predecessors_of(job);
  REQUIRE(back);
  CHECK(back->front().job.kind == &mpi);
  set_predecessors(job, {});
  CHECK_FALSE(job["metadata"].contains("annotations"));
}

TEST_CASE("a job waits while it is suspended and names others") {
  const Kind& kind = *find_kind("pytorch");
  CHECK(waits_for_jobs(kind, job_after("prep")));
  CHECK_FALSE(waits_for_jobs(kind, job_after("")));
  Json released = job_after("prep");
  released.merge_patch(suspension_patch(kind, released, false));
  CHECK_FALSE(waits_for_jobs(kind, released));
  CHECK(released["metadata"]["annotations"].empty());
}

TEST_CASE("a job that a user holds is started by nobody but a user") {
  const Kind& kind = *find_kind("pytorch");
  Json held = job_after("prep", "tok");
  held.merge_patch(suspension_patch(kind, held, true));
  CHECK(held["spec"]["runPolicy"]["suspend"] == true);
  CHECK_FALSE(waits_for_jobs(kind, held));
}

TEST_CASE("another run of a job waits for none") {
  const Json again = rerun_manifest(*find_kind("pytorch"), job_after("prep", "tok"));
  const auto waits = predecessors_of(again);
  REQUIRE(waits);
  CHECK(waits->empty());
  CHECK(again["spec"]["runPolicy"]["suspend"] == false);
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
