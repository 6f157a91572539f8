// Credential plugins that fail, hang or answer nonsense: a user must learn which and why.
#include "kube/auth/credentials_setup.h"

namespace credential_plugin_test {

TEST_CASE("a plugin that may ask questions can read the answers where there is a terminal") {
  Setup terminal;
  terminal.auth.exec = plugin("IfAvailable");
  terminal.loop.children = {{"login", 0, answer("tok"), false, {}}};
  terminal.make(true, true);
  CHECK(terminal.header("Authorization") == "Bearer tok");
  CHECK(terminal.loop.spawned[0].inherit_stdin);
}

TEST_CASE("EX-13, EX-14: each useless answer of a plugin has its own message, none shows a token") {
  const auto trouble_of = [](const Json& output) {
    const auto read = read_plugin_answer(plugin(), dump(output));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::auth);
    CHECK_FALSE(has(read.error().message, "secret"));
    return read.error().message;
  };
  Json output{{"kind", "ExecCredential"}, {"apiVersion", k_v1}};
  CHECK(has(trouble_of(output), "no status"));
  output["status"] = Json{{"expirationTimestamp", "2030-01-01T00:00:00Z"}};
  CHECK(has(trouble_of(output), "neither a token nor"));
  output["status"] = Json{{"clientCertificateData", "secret"}};
  CHECK(has(trouble_of(output), "only one of"));
  output["status"] = Json{{"token", "secret\nX: y"}};
  CHECK(has(trouble_of(output), "line break"));
  output["status"] = Json{{"token", "secret"}, {"expirationTimestamp", "soon"}};
  CHECK(has(trouble_of(output), "expirationTimestamp"));
  output["apiVersion"] = "client.authentication.k8s.io/v1beta1";
  CHECK(has(trouble_of(output), cat("asks for ", k_v1, ", but it answered with ", k_v1, "beta1")));
  CHECK(has(trouble_of(Json{{"token", "secret"}}), "not an ExecCredential"));
  CHECK_FALSE(read_plugin_answer(plugin(), "token=secret"));
}

TEST_CASE("a plugin's certificate is used, and stays the same object while it is unchanged") {
  const auto certificate = [](std::string_view pem) {
    return dump(Json{{"kind", "ExecCredential"},
                     {"apiVersion", k_v1},
                     {"status", {{"clientCertificateData", pem}, {"clientKeyData", pem}}}});
  };
  Setup setup;
  setup.auth.exec = plugin();
  for (const std::string_view pem : {k_ann_pem, k_ann_pem, k_bob_pem}) {
    setup.loop.children.push_back({"login", 0, certificate(pem), false, {}});
  }
  setup.make();
  const auto first = setup.get()->identity;
  REQUIRE(first);
  setup.credentials->refresh(setup.get()->generation);
  CHECK(setup.get()->identity == first);
  setup.credentials->refresh(setup.get()->generation);
  CHECK(setup.get()->identity->certificate_pem == k_bob_pem);
}

TEST_CASE("EX-22: a plugin that takes long is said to be waited for, and not for ever") {
  Setup setup;
  setup.auth.exec = plugin();
  setup.loop.children = {{"login", 0, answer("tok"), false, 1h}};
  setup.make();
  CHECK(has(setup.trouble(), "did not finish"));
  REQUIRE(setup.notices.size() == 1);
  CHECK(has(setup.notices[0], "login"));
}

TEST_CASE("AU-13: the message of a 401 can name which credential was refused") {
  Setup setup;
  setup.auth.token_file = "/tok";
  setup.make();
  CHECK(setup.credentials->description() == "the token in /tok of user \"u\" in /config");
}

}  // namespace credential_plugin_test
