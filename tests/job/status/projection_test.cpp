// The state of a job that is judged without its pod templates would be another one, or thousands of
// jobs would take the memory of their templates.
#include "job/status/projection.h"

#include <doctest/doctest.h>

#include "job/kind/kind.h"

namespace trainctl::job {
namespace {

TEST_CASE("a job without templates keeps the rest, whatever its shape") {
  const Kind& kind = *find_kind("pytorch");
  struct Row {
    Json job, part;
  };
  const Row rows[] = {
      {{{"metadata", {{"name", "a"}}},
        {"spec",
         {{"runPolicy", {{"suspend", true}}},
          {"pytorchReplicaSpecs",
           {{"Master", {{"replicas", 1}, {"template", {{"spec", {{"containers", 1}}}}}}},
            {"Worker", {{"template", nullptr}, {"replicas", 2}}}}}}},
        {"status", {{"conditions", Json::array()}}}},
       {{"metadata", {{"name", "a"}}},
        {"spec",
         {{"runPolicy", {{"suspend", true}}},
          {"pytorchReplicaSpecs", {{"Master", {{"replicas", 1}}}, {"Worker", {{"replicas", 2}}}}}}},
        {"status", {{"conditions", Json::array()}}}}},
      {{{"spec", {{"pytorchReplicaSpecs", nullptr}}}},
       {{"spec", {{"pytorchReplicaSpecs", nullptr}}}}},
      {{{"spec", {{"pytorchReplicaSpecs", {{"Master", 1}}}}}},
       {{"spec", {{"pytorchReplicaSpecs", {{"Master", 1}}}}}}},
      {{{"spec", 3}}, {{"spec", 3}}},
      {Json::object(), Json::object()},
  };
  for (const Row& row : rows) CHECK(without_templates(kind, row.job) == row.part);
}

}  // namespace
}  // namespace trainctl::job
