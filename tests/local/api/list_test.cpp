// Lists: selectors, and pages that stay of one moment while objects change.
#include <random>

#include <doctest/doctest.h>

#include "local/api/api_server.h"
#include "local/api/selector.h"

namespace TEST_FILE {

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
  CHECK(complaint("a//b=c").starts_with("unable to parse requirement: key: Invalid value"));
  CHECK(complaint("n>x").find("the value must be an integer") != std::string::npos);
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
  CHECK(names("metadata.name%3Dfailed,spec.nodeName%3Dhere") == std::vector<std::string>{"failed"});
  CHECK(server.refusal(server.get(k_jobs + "?fieldSelector=spec.x%3D1"), 400) ==
        "field label not supported: spec.x");
}

TEST_CASE("pages are of the moment of the first, whatever changes between them") {
  ApiServer server;
  for (int i = 0; i < 7; ++i) server.make_map(cat("m", i));
  const Json first = server.good(server.get(k_maps + "?limit=3"));
  CHECK(names_of(first) == std::vector<std::string>{"kube-root-ca.crt", "m0", "m1"});
  CHECK(int_at(first, "/metadata/remainingItemCount") == 5);
  const std::string token = text_at(first, "/metadata/continue");

  CHECK(server.send("DELETE", k_maps + "/m1").code == 200);
  CHECK(server.send("DELETE", k_maps + "/m4").code == 200);
  server.make_map("m2a");
  server.good(server.patch(k_maps + "/m3", {{"data", {{"a", "new"}}}}));

  const Json rest = server.good(server.get(k_maps + "?continue=" + token));
  CHECK(names_of(rest) == std::vector<std::string>{"m2", "m3", "m4", "m5", "m6"});
  CHECK(find(rest, "/items/1/data") == nullptr);
  CHECK(text_at(rest, "/metadata/resourceVersion") == text_at(first, "/metadata/resourceVersion"));
  CHECK(find(rest, "/metadata/continue") == nullptr);
  CHECK(find(server.good(server.get(k_maps + "?limit=1&fieldSelector=metadata.namespace!%3Dx")),
             "/metadata/remainingItemCount") == nullptr);
}

TEST_CASE("a page that is asked for too late says how to go on") {
  ApiServer server;
  for (int i = 0; i < 4; ++i) server.make_map(cat("m", i));
  const std::string token =
      text_at(server.good(server.get(k_maps + "?limit=2")), "/metadata/continue");
  for (int i = 0; i < 1100; ++i) {
    server.good(server.patch(k_maps + "/m0", {{"data", {{"a", std::to_string(i)}}}}));
  }
  const ApiAnswer late = server.get(k_maps + "?continue=" + token);
  CHECK(late.code == 410);
  CHECK(text_at(body_of(late), "/reason") == "Expired");
  const std::string next = text_at(body_of(late), "/metadata/continue");
  CHECK(names_of(server.good(server.get(k_maps + "?continue=" + next))) ==
        std::vector<std::string>{"m1", "m2", "m3"});
}

TEST_CASE("tokens and versions that make no sense are refused") {
  ApiServer server;
  CHECK(server.get(k_maps + "?continue=garbage").code == 400);
  server.make_map("a");
  const std::string token =
      text_at(server.good(server.get(k_maps + "?limit=1")), "/metadata/continue");
  CHECK(server.refusal(server.get(k_maps + "?resourceVersion=1&continue=" + token), 400) ==
        "specifying resource version is not allowed when using continue");
  CHECK(text_at(body_of(server.get(k_maps + "?resourceVersion=99999")),
                "/details/causes/0/reason") == "ResourceVersionTooLarge");
  CHECK(server.get(k_maps + "?limit=x").code == 400);
}

TEST_CASE("an exact version lists the past") {
  ApiServer server;
  const std::string version = text_at(server.make_map("a"), "/metadata/resourceVersion");
  server.make_map("b");
  const Json list =
      server.good(server.get(k_maps + "?resourceVersionMatch=Exact&resourceVersion=" + version));
  CHECK(names_of(list) == std::vector<std::string>{"a", "kube-root-ca.crt"});
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
  CHECK(find(list, "/items/0/kind") == nullptr);
}

}  // namespace TEST_FILE
