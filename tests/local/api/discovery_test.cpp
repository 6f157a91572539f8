// Questions of clients about the API itself: groups, resources, the version, their own rights.
#include <doctest/doctest.h>

#include "local/api/api_server.h"
#include "local/api/handlers.h"

namespace discovery_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;

TEST_CASE("discovery lists the served kinds") {
  ApiServer server;
  CHECK(text_at(server.good(server.get("/version")), "/gitVersion").starts_with("v1.34."));
  CHECK(array_at(server.good(server.get("/api")), "/versions") == Json::array({"v1"}));
  CHECK(text_at(server.good(server.get("/apis")), "/groups/0/preferredVersion/groupVersion") ==
        "kubeflow.org/v1");
  const Json jobs = server.good(server.get("/apis/kubeflow.org/v1"));
  CHECK(array_at(jobs, "/resources").size() == 6);
  CHECK(text_at(jobs, "/resources/0/singularName") == "pytorchjob");
  CHECK(array_at(server.good(server.get("/api/v1")), "/resources").size() == 9);
  for (const char* path : {"/apis/apps/v1", "/api/v2", "/openapi/v3", "/apis/kubeflow.org/v2"}) {
    CHECK(server.get(path).code == 404);
  }
}

TEST_CASE("whoami knows the one user, who may do everything") {
  ApiServer server;
  const Json self =
      server.good(server.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}), 201);
  CHECK(text_at(self, "/status/userInfo/username") == "admin");
  const Json access =
      server.good(server.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {}), 201);
  CHECK(true_at(access, "/status/allowed"));
}

}  // namespace discovery_test
