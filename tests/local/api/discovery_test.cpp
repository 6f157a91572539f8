// What kubectl asks before it does anything: groups, resources, versions, OpenAPI.
#include "local/api/discovery.h"

#include <doctest/doctest.h>

#include "local/api/admitting.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing::local_objects;

constexpr std::string_view k_kubectl_accepts =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

Json answer_to(std::string_view path, std::string_view accept = "application/json") {
  const auto answer = discover(path, accept);
  REQUIRE_MESSAGE(answer.has_value(), path);
  CHECK(answer->code == 200);
  const auto body = parse_json(answer->body, "answer");
  REQUIRE(body.has_value());
  return *body;
}

const Json& entry(const Json& list, std::string_view key, std::string_view name) {
  static const Json k_none = nullptr;
  for (const Json& one : list) {
    if (text_at(one, cat('/', key)) == name) return one;
  }
  return k_none;
}

TEST_CASE("kubectl's plain discovery finds every served kind with its verbs and short names") {
  CHECK(*find(answer_to("/api"), "/versions") == Json::array({"v1"}));
  const Json groups = answer_to("/apis");
  CHECK(text_at(groups, "/groups/0/preferredVersion/groupVersion") == "kubeflow.org/v1");
  CHECK(text_at(answer_to("/apis/kubeflow.org"), "/kind") == "APIGroup");
  int found = 0;
  for (const std::string path : {"/api/v1", "/apis/kubeflow.org/v1"}) {
    const Json list = answer_to(path);
    CHECK(text_at(list, "/kind") == "APIResourceList");
    for (const ServedResource& resource : served_resources()) {
      const Json& row = entry(array_at(list, "/resources"), "name", resource.resource.plural);
      if (row.is_null()) continue;
      ++found;
      CHECK(text_at(row, "/kind") == resource.resource.kind);
      CHECK(array_at(row, "/verbs").size() >= 7);
    }
  }
  CHECK(found == static_cast<int>(served_resources().size()));
  const Json core = answer_to("/api/v1");
  CHECK(*find(entry(array_at(core, "/resources"), "name", "pods"), "/shortNames") ==
        Json::array({"po"}));
  CHECK(*find(entry(array_at(core, "/resources"), "name", "pods/log"), "/verbs") ==
        Json::array({"get"}));
}

TEST_CASE("only the kinds with a scale subresource offer one") {
  const Json list = answer_to("/apis/kubeflow.org/v1");
  for (const char* kind : {"pytorchjobs", "paddlejobs", "jaxjobs"}) {
    CHECK(text_at(entry(array_at(list, "/resources"), "name", cat(kind, "/scale")), "/group") ==
          "autoscaling");
  }
  for (const char* kind : {"tfjobs", "mpijobs", "xgboostjobs"}) {
    CHECK(entry(array_at(list, "/resources"), "name", cat(kind, "/scale")).is_null());
    CHECK_FALSE(entry(array_at(list, "/resources"), "name", cat(kind, "/status")).is_null());
  }
}

TEST_CASE("aggregated discovery answers in the media type that kubectl looks for") {
  const auto answer = discover("/apis", k_kubectl_accepts);
  REQUIRE(answer.has_value());
  CHECK(answer->content_type ==
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  const Json groups = answer_to("/apis", k_kubectl_accepts);
  CHECK(text_at(groups, "/apiVersion") == "apidiscovery.k8s.io/v2");
  CHECK(text_at(groups, "/items/0/metadata/name") == "kubeflow.org");
  const Json& jobs = array_at(groups, "/items/0/versions/0/resources");
  CHECK(jobs.size() == 6);
  CHECK(text_at(entry(jobs, "resource", "pytorchjobs"), "/responseKind/kind") == "PyTorchJob");
  const Json core = answer_to("/api", k_kubectl_accepts);
  CHECK(array_at(core, "/items/0/versions/0/resources").size() == 9);
  const auto beta = discover("/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1");
  REQUIRE(beta.has_value());
  CHECK(beta->content_type == "application/json");
}

TEST_CASE("kubectl sees that every kind validates fields and runs dry on the server") {
  const Json index = answer_to("/openapi/v3");
  CHECK(text_at(index, "/paths/apis~1kubeflow.org~1v1/serverRelativeURL") ==
        "/openapi/v3/apis/kubeflow.org/v1");
  for (const std::string group : {"api/v1", "apis/kubeflow.org/v1"}) {
    const Json document = answer_to("/openapi/v3/" + group);
    for (const auto& [path, item] : object_at(document, "/paths").items()) {
      const Json& parameters = array_at(item, "/patch/parameters");
      CHECK_FALSE(entry(parameters, "name", "fieldValidation").is_null());
      CHECK_FALSE(entry(parameters, "name", "dryRun").is_null());
      CHECK(find(item, "/patch/x-kubernetes-group-version-kind/kind") != nullptr);
    }
    CHECK(object_at(document, "/paths").size() == (group == "api/v1" ? 9 : 6));
  }
}

TEST_CASE("the server says what version it is, and that it lives") {
  CHECK(text_at(answer_to("/version"), "/gitVersion").starts_with("v1.34."));
  CHECK(text_at(answer_to("/version?timeout=32s"), "/minor") == "34");
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    const auto answer = discover(path, "");
    REQUIRE(answer.has_value());
    CHECK(answer->body == "ok");
  }
}

TEST_CASE("a client that looks around finds the reviews and every path") {
  const Json groups = answer_to("/apis");
  for (const std::string group : {"authentication.k8s.io", "authorization.k8s.io"}) {
    const Json& row = entry(array_at(groups, "/groups"), "name", group);
    CHECK(text_at(row, "/preferredVersion/groupVersion") == group + "/v1");
    CHECK(text_at(answer_to("/apis/" + group), "/kind") == "APIGroup");
  }
  const Json list = answer_to("/apis/authorization.k8s.io/v1");
  const Json& review = entry(array_at(list, "/resources"), "name", "selfsubjectaccessreviews");
  CHECK(text_at(review, "/kind") == "SelfSubjectAccessReview");
  CHECK(array_at(review, "/verbs") == Json::array({"create"}));
  CHECK(array_at(answer_to("/apis", k_kubectl_accepts), "/items").size() == 3);

  const Json root = answer_to("/");
  for (const Json& path : array_at(root, "/paths")) {
    CHECK_MESSAGE(discover(path.get<std::string>(), "").has_value(), path);
  }
  CHECK(array_at(root, "/paths").size() == 14);
}

TEST_CASE("what is not served is left to others to refuse") {
  for (const char* path : {"/apis/apps", "/apis/apps/v1", "/api/v2", "/openapi/v2", "/api/v1/pods",
                           "/apis/kubeflow.org/v2"}) {
    CHECK_FALSE(discover(path, "").has_value());
  }
}

}  // namespace TEST_FILE
