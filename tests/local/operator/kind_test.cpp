// What the operator puts into pods and how it runs jobs stand in two tables: each kind is in both.
#include "local/operator/kind.h"

#include <doctest/doctest.h>

#include "manifest/operator/operated_job.h"

namespace trainctl::local {
namespace kind_test {

TEST_CASE("a kind whose pods the operator describes has rules by which it runs, and the reverse") {
  for (const job::Kind& kind : job::kinds()) {
    CAPTURE(kind.alias);
    const bool has_pods = job::find_operated_kind(kind) != nullptr;
    CHECK(has_pods == (find_controller_rules(kind) != nullptr));
  }
}

}  // namespace kind_test
}  // namespace trainctl::local
