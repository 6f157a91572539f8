// A hint names what the user can change about the cause that the cluster reports.
#include "status/hints.h"

#include <string>

#include <doctest/doctest.h>

namespace trainctl::job {
namespace hints_test {

TEST_CASE("a pod whose volume is on another node gets a hint of its own") {
  CHECK(hint_for("Unschedulable",
                 "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.") ==
        "no node fits: check --toleration and the flags that choose nodes, such as "
        "--node-selector");
  CHECK(hint_for("Unschedulable",
                 "0/3 nodes are available: 3 node(s) had volume node affinity conflict.") ==
        "the claim's volume is on another node or in another zone: choose another claim, or nodes "
        "that can mount this one");
}

TEST_CASE("a directory of a volume that cannot be mounted is not called a missing secret") {
  const std::string reason = "CreateContainerConfigError";
  CHECK(hint_for(reason, "failed to create subPath directory for volumeMount \"code\"")
            .starts_with("a file or a link is where the volume should have a directory"));
  CHECK(hint_for(reason, "secret \"s\" not found").starts_with("create the missing secret"));
}

}  // namespace hints_test
}  // namespace trainctl::job
