// Who a client is to the embedded cluster, as a real server answers `kubectl auth whoami`.
#include "local/api/api_server.h"

namespace trainctl::testing {
namespace TEST_FILE {

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

TEST_CASE("a client that asks first whether it may do something is told yes") {
  ApiServer server;
  const std::string group = "/apis/authorization.k8s.io/v1/";
  const Json spec = {{"resourceAttributes", {{"verb", "create"}, {"resource", "pods"}}}};
  const Json answer =
      server.good(server.post(group + "selfsubjectaccessreviews", {{"spec", spec}}), 201);
  CHECK(text_at(answer, "/apiVersion") == "authorization.k8s.io/v1");
  CHECK(*find(answer, "/spec") == spec);
  CHECK(true_at(answer, "/status/allowed"));
  const Json rules = server.good(
      server.post(group + "selfsubjectrulesreviews", {{"spec", {{"namespace", "default"}}}}), 201);
  CHECK(array_at(rules, "/status/resourceRules/0/verbs") == Json::array({"*"}));
}

TEST_CASE("a review can only be created, and only in the version that is served") {
  ApiServer server;
  CHECK(server.get(k_reviews).code == 405);
  CHECK(
      server.post("/apis/authentication.k8s.io/v1beta1/selfsubjectreviews", Json::object()).code ==
      404);
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
