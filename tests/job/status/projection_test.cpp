// The state of a job that is judged without its pod templates would be another one, or thousands of
// jobs would take the memory of their templates.
#include "job/status/projection.h"

#include <doctest/doctest.h>

#include "job/kind/kind.h"

namespace trainctl::job {
namespace {

TEST_CASE("a row of a job has no templates, whatever the shape of the job") {
  const Kind& kind = *find_kind("pytorch");
  struct Row {
    Json job, part;
  };
  const Row rows[] =
      {{{{"metadata", {{"annotations", 1}, {"name", "a"}, {"uid", "u"}, {"labels", 2}}}},
        {"spec",
         {{"runPolicy", {{"suspend", true}}},
          {"pytorchReplicaSpecs",
           {{"Master", {{"replicas", 1}, {"template", {{"spec", {{"containers", 1}}}}}}},
            {"Worker", {{"template", nullptr}, {"replicas", 2}}}}}}},
        {"status", {{"conditions", Json::array()}}}},
       {{"metadata", {{"name", "a"}, {"uid", "u"}}},
        {"spec",
         {{"runPolicy", {{"suspend", true}}},
          {"pytorchReplicaSpecs", {{"Master", {{"replicas", 1}}}, {"Worker", {{"replicas", 2}}}}}}},
        {"status", {{"conditions", Json::array()}}}}},
            {{{"spec", {{"pytorchReplicaSpecs", nullptr}}}},
             {{"spec", {{"pytorchReplicaSpecs", nullptr}}}}},
            {{{"spec", {{"pytorchReplicaSpecs", {{"Master", 1}}}}}},
             {{"spec", {{"pytorchReplicaSpecs", {{"Master", 1}}}}}}},
            {{{"spec", 3}}, {{"spec", 3}}}, {{{"metadata", 3}}, {{"metadata", Json::object()}}},
            {Json::object(), Json::object()},
};
for (const Row& row : rows) CHECK(row_projection(kind, row.job) == row.part);
}

}  // namespace
}  // namespace trainctl::job
