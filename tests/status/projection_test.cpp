// The state of a job that is judged by a part of it would be another one, or thousands of jobs
// would take the memory of their pod templates.
#include "status/projection.h"

#include <string_view>

#include <doctest/doctest.h>

#include "manifest/kind/kind.h"

namespace trainctl::job {
namespace projection_test {

TEST_CASE("a row of a job has no templates, whatever the shape of the job") {
  struct Row {
    std::string_view job, part;
  };
  constexpr Row k_rows[] = {
      {R"({"spec":{"runPolicy":{"suspend":true},"pytorchReplicaSpecs":{
           "Master":{"replicas":1,"template":{"spec":{}}},"Worker":{"template":null,"replicas":2}}}})",
       R"({"spec":{"runPolicy":{"suspend":true},"pytorchReplicaSpecs":{
           "Master":{"replicas":1},"Worker":{"replicas":2}}}})"},
      {R"({"metadata":{"name":"a","labels":{"e":"f"},"annotations":{"b":"c"},
           "generation":1,"resourceVersion":"5"}})",
       R"({"metadata":{"name":"a","labels":{"e":"f"}}})"},
      {R"({"metadata":3})", R"({"metadata":3})"},
      {R"({"status":{"conditions":[]}})", R"({"status":{"conditions":[]}})"},
      {R"({"spec":{"pytorchReplicaSpecs":null}})", R"({"spec":{"pytorchReplicaSpecs":null}})"},
      {R"({"spec":{"pytorchReplicaSpecs":{"Master":1}}})",
       R"({"spec":{"pytorchReplicaSpecs":{"Master":1}}})"},
      {R"({"spec":3})", R"({"spec":3})"},
      {"{}", "{}"},
  };
  for (const Row& row : k_rows) {
    CAPTURE(row.job);
    const Json part = row_projection(*find_kind("pytorch"), *parse_json(row.job, "job"));
    CHECK(part == *parse_json(row.part, "part"));
  }
}

}  // namespace projection_test
}  // namespace trainctl::job
