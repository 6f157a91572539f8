// Credentials must reach the right server, no other place, and be renewed before the user notices.
#include "kube/auth/credentials.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/auth/credentials_setup.h"

namespace credentials_test {

TEST_CASE("AU-02: basic authentication goes out as the server reads it") {
  Setup basic;
  basic.auth.username = "al";
  basic.auth.password = "pw";
  basic.make();
  CHECK(basic.header("Authorization") == "Basic YWw6cHc=");
}

TEST_CASE("AU-11: nothing secret goes to a server without TLS") {
  Setup setup;
  setup.auth.token = "tok";
  setup.auth.username = "al";
  setup.auth.exec = plugin();
  setup.auth.identity = std::make_shared<const net::ClientIdentity>();
  setup.auth.as_user = "other";
  setup.make(false);
  CHECK(setup.header("Authorization") == "");
  CHECK(setup.header("Impersonate-User") == "other");
  CHECK(setup.get()->identity == nullptr);
  CHECK(setup.loop.spawned.empty());
}

TEST_CASE("AU-04, AU-05, AU-08: a token file's absence is covered by the token, else an error") {
  Setup both;
  both.auth.token = "inline";
  both.auth.token_file = "/tok";
  both.make();
  CHECK(both.header("Authorization") == "Bearer inline");
  both.files.files["/tok"] = "from-file\n";
  CHECK(both.header("Authorization") == "Bearer from-file");

  Setup only_file;
  only_file.auth.token_file = "/tok";
  only_file.make();
  CHECK(has(only_file.trouble(), "/tok"));
  only_file.files.files["/tok"] = " \n";
  CHECK(has(only_file.trouble(), "is empty"));
  only_file.files.files["/tok"] = "two\r\nlines";
  CHECK(has(only_file.trouble(), "more than a token"));
}

TEST_CASE("AU-07: a rotated token file is read again, a vanished one leaves the old token") {
  Setup setup;
  setup.auth.token_file = "/tok";
  setup.files.files["/tok"] = "one";
  setup.make();
  CHECK(setup.header("Authorization") == "Bearer one");
  setup.files.files["/tok"] = "two";
  CHECK(setup.header("Authorization") == "Bearer one");
  setup.wait(51s);
  CHECK(setup.header("Authorization") == "Bearer two");
  setup.files.files.erase("/tok");
  setup.wait(51s);
  CHECK(setup.header("Authorization") == "Bearer two");
}

TEST_CASE("EX-01: the plugin gets its protocol, our environment and its own variables") {
  Setup setup;
  setup.auth.exec = plugin();
  setup.auth.exec->args = {"get token", "$HOME"};
  setup.auth.exec->env = {{"HOME", "/other"}, {"REGION", "eu"}};
  setup.loop.children = {{"login", 0, answer("tok"), false, {}}};
  setup.make();
  CHECK(setup.header("Authorization") == "Bearer tok");
  REQUIRE(setup.loop.spawned.size() == 1);
  const ChildSpec& child = setup.loop.spawned[0];
  CHECK(child.argv == std::vector<std::string>{"login", "get token", "$HOME"});
  CHECK(child.environment.text("PATH") == "/bin");
  CHECK(child.environment.text("HOME") == "/other");
  CHECK(child.environment.text("REGION") == "eu");
  CHECK_FALSE(child.inherit_stdin);
  const auto info = parse_json(child.environment.text("KUBERNETES_EXEC_INFO"), "info");
  REQUIRE(info);
  CHECK(text_at(*info, "/kind") == "ExecCredential");
  CHECK(text_at(*info, "/apiVersion") == k_v1);
  CHECK(find(*info, "/spec/interactive")->get<bool>() == false);
  CHECK(find(*info, "/spec/cluster") == nullptr);
}

TEST_CASE("EX-17: fifty requests at once run one plugin, and later ones none") {
  Setup setup;
  setup.auth.exec = plugin();
  setup.loop.children = {{"login", 0, answer("tok"), false, 1s}};
  setup.make();
  int calls = 0;
  std::vector<HandlePtr> handles;
  for (int i = 0; i < 50; ++i) {
    handles.push_back(
        setup.credentials->get([&](Result<Credential> got) { calls += got ? 1 : 0; }));
  }
  setup.loop.run_until([&] { return calls == 50; });
  CHECK(setup.header("Authorization") == "Bearer tok");
  CHECK(setup.loop.spawned.size() == 1);
}

TEST_CASE("a request that was given up is not answered by the plugin's end") {
  Setup setup;
  setup.auth.exec = plugin();
  setup.loop.children = {{"login", 0, answer("tok"), false, 1s}};
  setup.make();
  bool called = false;
  HandlePtr given_up = setup.credentials->get([&](Result<Credential>) { called = true; });
  given_up.reset();
  CHECK(setup.header("Authorization") == "Bearer tok");
  CHECK_FALSE(called);
}

TEST_CASE("EX-19: after a refusal the plugin runs once, however many requests were refused") {
  Setup setup;
  setup.auth.exec = plugin();
  setup.loop.children = {{"login", 0, answer("one"), false, {}},
                         {"login", 0, answer("two"), false, {}}};
  setup.make();
  const unsigned refused = setup.get()->generation;
  CHECK(setup.credentials->refresh(refused));
  CHECK(setup.header("Authorization") == "Bearer two");
  CHECK(setup.credentials->refresh(refused));  // a straggler
  CHECK(setup.header("Authorization") == "Bearer two");
  CHECK(setup.loop.spawned.size() == 2);
}

TEST_CASE("a credential that cannot be renewed is not tried again") {
  Setup setup;
  setup.auth.token = "tok";
  setup.make();
  CHECK_FALSE(setup.credentials->refresh(setup.get()->generation));
}

}  // namespace credentials_test

namespace credentials_test {

using namespace trainctl;
using kube::token_end;

std::string token(const std::string& claims) {
  std::string body = base64_encode(claims);
  while (body.ends_with('=')) body.pop_back();
  return cat("aGVhZA.", body, ".c2ln");
}

TEST_CASE("the end of a web token is read, with a fraction too") {
  CHECK(token_end(token(R"({"exp":1700000000})")) == parse_time("2023-11-14T22:13:20Z"));
  CHECK(token_end(token(R"({"sub":"a","exp":1700000000.5})")) ==
        parse_time("2023-11-14T22:13:20Z"));
}

TEST_CASE("web-safe letters in the claims do not hide the end") {
  // The claims hold "???" and ">>>", which base64 writes with its last two letters.
  CHECK(token_end("a.eyJpc3MiOiI_Pz8-Pj4iLCJleHAiOjE3MDAwMDAwMDB9.b") ==
        parse_time("2023-11-14T22:13:20Z"));
}

TEST_CASE("a token that does not contain its end is not thought to have one") {
  for (const std::string& other :
       {std::string(), std::string("opaque"), std::string("a.b"), std::string("a.%%%.c"),
        token("[1]"), token("{}"), token(R"({"exp":"soon"})"), token(R"({"exp":-1})"),
        token(R"({"exp":1e300})")}) {
    CAPTURE(other);
    CHECK_FALSE(token_end(other));
  }
}

}  // namespace credentials_test

// Whoever is refused must learn that the token was simply too old, whatever else it holds.
