// Paths are the one place where a name could reach another object than the user meant.
#include "kube/client/resource.h"

#include <doctest/doctest.h>

namespace resource_test {

using namespace trainctl;
using namespace trainctl::kube;

constexpr Resource k_job{"kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"};

TEST_CASE("paths of core and group resources are the server's") {
  CHECK(*resource_path(k_pods, "team", "ddp-worker-0", "log") ==
        "/api/v1/namespaces/team/pods/ddp-worker-0/log");
  CHECK(*resource_path(k_job, "team") == "/apis/kubeflow.org/v1/namespaces/team/pytorchjobs");
  CHECK(*resource_path(k_job, "") == "/apis/kubeflow.org/v1/pytorchjobs");
  CHECK(*resource_path(k_namespaces, "", "team") == "/api/v1/namespaces/team");
}

TEST_CASE("a name that would leave its place in the path is refused before anything is sent") {
  for (const char* name : {"..", ".", "a/b", "a%2fb", "../../nodes"}) {
    CAPTURE(name);
    CHECK(resource_path(k_pods, "team", name).error().code == Code::usage);
    CHECK(resource_path(k_pods, name, "pod").error().code == Code::usage);
  }
}

TEST_CASE("a name with a blank or '?' stays one segment of the path") {
  CHECK(*resource_path(k_pods, "a b", "c?d=e") == "/api/v1/namespaces/a%20b/pods/c%3Fd%3De");
}

TEST_CASE("messages can name what a request was about") {
  const auto parts =
      parse_resource_path("/apis/kubeflow.org/v1/namespaces/team/pytorchjobs/ddp?dryRun=All");
  REQUIRE(parts);
  CHECK(parts->resource() == "pytorchjobs.kubeflow.org");
  CHECK(parts->version == "v1");
  CHECK(parts->ns == "team");
  CHECK(parts->name == "ddp");
  CHECK(parse_resource_path("/api/v1/namespaces/team/pods/p/log")->subresource == "log");
  CHECK(parse_resource_path("/api/v1/namespaces/team")->plural == "namespaces");
  CHECK(parse_resource_path("/api/v1/namespaces/team")->name == "team");
  CHECK_FALSE(parse_resource_path("/version"));
  CHECK_FALSE(parse_resource_path(""));
}

}  // namespace resource_test
