// `trainctl why` adds this to the words of the cluster about a job.
#include "view/explanation.h"

#include <doctest/doctest.h>

namespace explanation_test {

using namespace trainctl;
using namespace trainctl::view;

Explanation with_hindrance(job::Phase phase, const std::string& hindrance) {
  job::JobState state;
  state.phase = phase;
  Explanation why{"2 of 2 replicas running", {}, "trainctl logs -f ddp"};
  add_hindrance(hindrance, state, why);
  return why;
}

TEST_CASE("a job that runs in vain is explained by what hinders the whole cluster") {
  const Explanation why = with_hindrance(job::Phase::running, "no space left on /home");
  CHECK(why.details == std::vector<std::string>{"no space left on /home"});
  CHECK(why.next == "make room on that disk: the job continues by itself");
  CHECK(with_hindrance(job::Phase::running, "").next == "trainctl logs -f ddp");
  CHECK(with_hindrance(job::Phase::failed, "no space left on /home").details.empty());
}

}  // namespace explanation_test
