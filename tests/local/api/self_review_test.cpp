// Who a client is to the embedded cluster, as a real server answers `kubectl auth whoami`.
#include "local/api/api_server.h"

namespace trainctl::testing {
namespace {

const std::string k_reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

TEST_CASE("whoami would not know the user of the embedded cluster") {
  ApiServer server;
  const Json question = {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "SelfSubjectReview"}};
  const Json answer = server.good(server.post(k_reviews + "?fieldManager=trainctl", question), 201);
  CHECK(text_at(answer, "/kind") == "SelfSubjectReview");
  CHECK(text_at(answer, "/status/userInfo/username") == "admin");
  CHECK(array_at(answer, "/status/userInfo/groups") ==
        Json({"system:masters", "system:authenticated"}));
}

TEST_CASE("a review can only be created, and only in the version that is served") {
  ApiServer server;
  CHECK(server.get(k_reviews).code == 405);
  CHECK(
      server.post("/apis/authentication.k8s.io/v1beta1/selfsubjectreviews", Json::object()).code ==
      404);
}

}  // namespace
}  // namespace trainctl::testing
