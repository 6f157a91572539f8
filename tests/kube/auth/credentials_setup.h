// Credentials of one user on a fake loop, with scripted plugins.
#pragma once
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "kube/auth/credentials.h"
#include "kube/auth/exec_plugin.h"
#include "support/fakes.h"
#include "support/identities.h"

using namespace trainctl;
using namespace trainctl::kube;
using namespace std::chrono_literals;
using trainctl::testing::FakeLoop;
using trainctl::testing::has;
using trainctl::testing::k_ann_pem;
using trainctl::testing::k_bob_pem;
using trainctl::testing::MemoryFiles;

namespace trainctl::testing::credentials_setup {
inline constexpr std::string_view k_v1 = "client.authentication.k8s.io/v1";

struct Setup {
  FakeLoop loop;
  MemoryFiles files;
  Environment env{{{"PATH", "/bin"}, {"HOME", "/home/me"}}};
  AuthInfo auth;
  std::vector<std::string> notices;
  std::unique_ptr<Credentials> credentials;

  void make(bool secure = true, bool interactive = false) {
    if (auth.source.empty()) auth.source = "user \"u\" in /config";
    credentials =
        std::make_unique<Credentials>(loop, files, env, auth, secure, interactive,
                                      [this](std::string text) { notices.push_back(text); });
  }
  Result<Credential> get() {
    return await<Result<Credential>>(loop, [&](auto done) { return credentials->get(done); });
  }
  // The value of a header of the credential, values of repeated ones joined.
  std::string header(std::string_view name) {
    const Result<Credential> credential = get();
    REQUIRE(credential);
    std::vector<std::string> values;
    for (const net::Header& one : credential->headers) {
      if (one.name == name) values.push_back(one.value);
    }
    return join(values, "|");
  }
  std::string trouble() {
    const Result<Credential> credential = get();
    REQUIRE_FALSE(credential);
    CHECK(credential.error().code == Code::auth);
    return cat(credential.error().message, " / ", credential.error().hint);
  }
  void wait(Duration delay) {
    bool over = false;
    const HandlePtr timer = loop.after(delay, [&] { over = true; });
    loop.run_until([&] { return over; });
  }
};

inline ExecPlugin plugin(std::string mode = "Never") {
  ExecPlugin plugin;
  plugin.api_version = k_v1;
  plugin.command = "login";
  plugin.interactive_mode = std::move(mode);
  return plugin;
}

inline std::string answer(const std::string& token, const std::string& expires = "") {
  Json status{{"token", token}};
  if (!expires.empty()) status["expirationTimestamp"] = expires;
  return dump(Json{{"kind", "ExecCredential"}, {"apiVersion", k_v1}, {"status", status}});
}

}  // namespace trainctl::testing::credentials_setup

using namespace trainctl::testing::credentials_setup;
