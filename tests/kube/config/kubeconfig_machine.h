// A machine with kubeconfig files, an environment and nothing else.
#pragma once
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/config/kubeconfig.h"
#include "support/fakes.h"
#include "support/identities.h"

using namespace trainctl;
using namespace trainctl::kube;
using trainctl::testing::has;
using trainctl::testing::MemoryFiles;

namespace trainctl::testing::kubeconfig_machine {
inline constexpr std::string_view k_pem = k_ann_pem;  // certificate and key in one

// One context "c" with cluster "k" and user "u", whose fields are given.
inline std::string config(const std::string& cluster, const std::string& user,
                          const std::string& context = "") {
  return cat("apiVersion: v1\nkind: Config\ncurrent-context: c\n",
             "contexts: [{name: c, context: {cluster: k, user: u", context, "}}]\n",
             "clusters: [{name: k, cluster: {", cluster, "}}]\n", "users: [{name: u, user: {", user,
             "}}]\n");
}

inline const std::string k_server = "server: \"https://k.example:6443\"";

struct Machine {
  MemoryFiles files;
  std::map<std::string, std::string, std::less<>> variables = {{"HOME", "/home/me"}};
  ConnectionFlags flags;

  explicit Machine(const std::string& kubeconfig = "") {
    if (!kubeconfig.empty()) files.files["/home/me/.kube/config"] = kubeconfig;
  }
  Result<Connection> resolve() {
    environment = Environment(variables);
    return resolve_connection(files, environment, flags);
  }
  Connection connect() {
    Result<Connection> connection = resolve();
    if (!connection) FAIL(connection.error().message);
    return *std::move(connection);
  }
  // The one-line message of a usage error.
  std::string trouble() {
    const Result<Connection> connection = resolve();
    REQUIRE_FALSE(connection);
    CHECK(connection.error().code == Code::usage);
    CHECK(connection.error().message.find('\n') == std::string::npos);
    last_hint = connection.error().hint;
    return connection.error().message;
  }
  std::string ns() {
    environment = Environment(variables);
    return resolve_namespace(files, environment, flags);
  }

  Environment environment;
  std::string last_hint;
};

inline Machine pod() {
  Machine machine;
  machine.variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  machine.variables["KUBERNETES_SERVICE_PORT"] = "443";
  const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
  machine.files.files[account + "token"] = "pod-token\n";
  machine.files.files[account + "ca.crt"] = k_pem;
  machine.files.files[account + "namespace"] = "team-ns\n";
  return machine;
}

}  // namespace trainctl::testing::kubeconfig_machine

using namespace trainctl::testing::kubeconfig_machine;
