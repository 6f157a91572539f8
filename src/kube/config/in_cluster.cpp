// Reads service account files and KUBERNETES_SERVICE_* into a Connection.
#include "kube/config/in_cluster.h"

#include "base/text/text.h"
#include "kube/config/kubeconfig_parts.h"

namespace trainctl::kube {

namespace {

constexpr const char* k_token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
constexpr const char* k_namespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
constexpr const char* k_ca = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";

std::string server_url(const Environment& env) {
  const std::string host = env.text("KUBERNETES_SERVICE_HOST");
  const bool v6 = host.find(':') != std::string::npos;
  const std::string shown = v6 ? cat("[", host, "]") : host;
  return cat("https://", shown, ":", env.text("KUBERNETES_SERVICE_PORT"));
}

}  // namespace

bool in_cluster(Files& files, const Environment& env) {
  return !env.text("KUBERNETES_SERVICE_HOST").empty() &&
         !env.text("KUBERNETES_SERVICE_PORT").empty() && files.exists(k_token);
}

std::string in_cluster_namespace(Files& files, const Environment& env) {
  const std::string from_env = env.text("POD_NAMESPACE");
  if (!from_env.empty()) return from_env;
  const Result<std::string> mounted = files.read(k_namespace);
  return mounted ? std::string(trim(*mounted)) : "";
}

Result<Connection> in_cluster_connection(Files& files, const Environment& env,
                                         const ConnectionFlags& given) {
  ConnectionFlags flags = given;
  if (flags.server.empty()) flags.server = server_url(env);
  const Inputs inputs{files, env, flags};
  Connection connection;
  connection.in_cluster = true;
  TRY_ASSIGN(ClusterAccess access, make_cluster_access(inputs, Chosen{}));
  // Without a mounted CA, trusts the system's roots, as client-go does.
  const bool trust_given = !flags.certificate_authority.empty() || flags.insecure;
  if (!trust_given && files.exists(k_ca)) {
    TRY_ASSIGN(Pem pem, read_pem_flag(files, k_ca, "service account CA"));
    trust(std::move(pem), access);
  }
  TRY_ASSIGN(connection.auth, make_auth(inputs, Chosen{}, access.plugin_info));
  connection.auth.files.ca = std::move(access.ca_file);
  connection.endpoint = std::move(access.endpoint);
  connection.warnings = std::move(access.warnings);
  if (connection.auth.token.empty()) {
    connection.auth.token_file = k_token;
    connection.auth.source = "the pod's service account";
  }
  return connection;
}

}  // namespace trainctl::kube
