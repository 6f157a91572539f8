// Lists: selectors, order, versions.
#include <doctest/doctest.h>

#include "local/api/api_server.h"
#include "local/api/query.h"

namespace list_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;

bool selects(std::string_view selector, const Json& labels) {
  auto parsed = parse_label_selector(selector);
  REQUIRE_MESSAGE(std::holds_alternative<LabelSelector>(parsed), selector);
  return std::get<LabelSelector>(parsed).matches({{"metadata", {{"labels", labels}}}});
}

std::string complaint(std::string_view selector) {
  auto parsed = parse_label_selector(selector);
  REQUIRE_MESSAGE(std::holds_alternative<ApiError>(parsed), selector);
  return std::get<ApiError>(parsed).message;
}

TEST_CASE("label selectors mean what kubectl's users mean by them") {
  const Json labels = {{"app", "a"}, {"tier", "web"}, {"n", "7"}};
  for (const char* yes : {"", "app=a", "app==a", "app = a , tier=web", "app!=b", "none!=x", "app",
                          "!none", "app in (x, a)", "app notin (x,y)", "none notin (a)", "n>6",
                          "n<8", "in notin (a)", "tier in (web),n"}) {
    CHECK_MESSAGE(selects(yes, labels), yes);
  }
  for (const char* no : {"app=b", "app!=a", "none", "!app", "app in (x)", "app notin (a)", "n>7",
                         "n<7", "none=x", "app=a,tier=db", "app="}) {
    CHECK_MESSAGE(!selects(no, labels), no);
  }
}

TEST_CASE("a selector with a typing error is refused, not taken for something else") {
  CHECK(complaint("app=a=b") == "found '=', expected: ',' or 'end of string'");
  CHECK(complaint("app in a") == "unable to parse requirement: found 'a' expected: '('");
  CHECK(complaint("app,") == "found '', expected: identifier after ','");
  CHECK(complaint("=a") == "found '=', expected: !, identifier, or 'end of string'");
  CHECK(complaint("app=a b") == "found 'b', expected: ',' or 'end of string'");
  for (const char* broken : {"app in (", "app in (a", "app in (a b)", "!", "!!a", "a<", "(",
                             "a ="
                             "(",
                             "a in (,", ",", "a,,b"}) {
    (void)parse_label_selector(broken);
  }
}

TEST_CASE("field selectors choose by the fields each kind supports") {
  ApiServer server;
  for (const char* phase : {"Running", "Failed"}) {
    local_objects::good(server.store->create(local_objects::served("pods"),
                                             local_objects::pod(lower(phase), phase)));
  }
  const auto names = [&](const std::string& query) {
    return names_of(server.good(server.get(k_pods_path + "?fieldSelector=" + query)));
  };
  CHECK(names("status.phase%3DRunning") == std::vector<std::string>{"running"});
  CHECK(names("status.phase!%3DRunning") == std::vector<std::string>{"failed"});
  CHECK(names("metadata.name%3Dfailed,status.phase%3DFailed") ==
        std::vector<std::string>{"failed"});
  CHECK(server.refusal(server.get(k_jobs + "?fieldSelector=spec.x%3D1"), 400) ==
        "field label not supported: spec.x");
}

TEST_CASE("a list is not older than the version asked for") {
  ApiServer server;
  CHECK(text_at(body_of(server.get(k_maps + "?resourceVersion=99999")),
                "/details/causes/0/reason") == "ResourceVersionTooLarge");
  CHECK(server.get(k_maps + "?resourceVersion=x").code == 400);
}

TEST_CASE("lists of all namespaces come in the order of etcd's keys") {
  ApiServer server;
  for (const char* ns : {"a", "a-b"}) {
    server.good(server.post("/api/v1/namespaces", {{"metadata", {{"name", ns}}}}), 201);
  }
  const Json list = server.good(server.get("/api/v1/serviceaccounts"));
  std::vector<std::string> order;
  for (const Json& item : array_at(list, "/items")) {
    order.push_back(text_at(item, "/metadata/namespace"));
  }
  CHECK(order == std::vector<std::string>{"a-b", "a", "default", "kube-system"});
}

}  // namespace list_test
