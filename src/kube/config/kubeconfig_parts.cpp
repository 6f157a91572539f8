// Turns a cluster entry and the connection flags into an Endpoint: server, proxy, trust.
#include "kube/config/kubeconfig_parts.h"

#include <sys/utsname.h>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "kube/auth/client_certificate.h"
#include "kube/config/proxy.h"
#include "net/url.h"

namespace trainctl::kube {

namespace {

constexpr std::string_view k_plugin_extension = "client.authentication.k8s.io/exec";

#if defined(__x86_64__)
constexpr std::string_view k_architecture = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view k_architecture = "arm64";
#else
constexpr std::string_view k_architecture = "other";
#endif

// Such as "linux".
std::string system_name() {
  utsname names{};
  return ::uname(&names) >= 0 ? lower(names.sysname) : "other";
}

// A URL without user and password, which no message may repeat.
std::string shown_url(const std::string& text) {
  const auto scheme = text.find("://");
  const auto begin = scheme == std::string::npos ? 0 : scheme + 3;
  const auto at = text.substr(0, text.find_first_of("/?#", begin)).rfind('@');
  const bool has_user = at != std::string::npos && at >= begin;
  return printable_line(has_user ? cat(text.substr(0, begin), "***", text.substr(at)) : text);
}

// Checks a server URL, removes query, fragment and trailing '/', and lowers the scheme, by which
// others decide whether to send credentials.
Result<std::string> checked_server(const std::string& text, const std::string& source) {
  const std::string url = text.substr(0, text.find_first_of("?#"));
  if (url.find("://") == std::string::npos) {
    return Error{Code::usage, cat(source, " \"", shown_url(text), "\" has no scheme"),
                 cat("write https://", shown_url(text))};
  }
  Result<net::UrlParts> parts = net::parse_url(url);
  const bool usable = parts && !parts->host.empty() && parts->user_info.empty() &&
                      (parts->scheme == "https" || parts->scheme == "http");
  if (!usable) {
    return Error{Code::usage, cat(source, " \"", shown_url(text), "\" is not a usable URL"),
                 "write it as https://HOST:PORT"};
  }
  const std::string_view rest = std::string_view(url).substr(parts->scheme.size());
  return cat(parts->scheme, rest.substr(0, rest.find_last_not_of('/') + 1));
}

Result<std::string> server_of(const Inputs& inputs, const Chosen& cluster) {
  if (!inputs.flags.server.empty()) return checked_server(inputs.flags.server, "--server");
  const std::string whose = cluster.describe("cluster");
  std::string server;
  if (cluster.entry != nullptr) {
    TRY_ASSIGN(server, text_field(*cluster.entry, whose, "server"));
  }
  if (server.empty()) {
    return Error{Code::usage, cat(whose, " has no server"),
                 "add the server to the kubeconfig, or pass --server"};
  }
  return checked_server(server, cat("the server of ", whose));
}

// Each of the flags --certificate-authority and --insecure-skip-tls-verify overrides the other's
// field.
Status read_trust(const Inputs& inputs, const Chosen& cluster, ClusterAccess& access) {
  const std::string& ca_flag = inputs.flags.certificate_authority;
  if (!ca_flag.empty() && inputs.flags.insecure) {
    return Error{Code::usage,
                 "--certificate-authority and --insecure-skip-tls-verify cannot be used together",
                 "leave one of them out"};
  }
  if (inputs.flags.insecure) {
    access.endpoint.insecure = true;
    return {};
  }
  if (!ca_flag.empty()) {
    TRY_ASSIGN(Pem pem, read_pem_flag(inputs.files, ca_flag, "--certificate-authority"));
    trust(std::move(pem), access);
    return {};
  }
  if (cluster.entry == nullptr) return {};
  const std::string whose = cluster.describe("cluster");
  TRY_ASSIGN(access.endpoint.insecure,
             switch_field(*cluster.entry, whose, "insecure-skip-tls-verify"));
  TRY_ASSIGN(Pem pem, read_pem(inputs.files, cluster, "cluster", "certificate-authority"));
  if (access.endpoint.insecure && !pem.text.empty()) {
    return Error{Code::usage,
                 cat(whose, " has both insecure-skip-tls-verify and a certificate authority"),
                 "keep one of the two"};
  }
  trust(std::move(pem), access);
  return {};
}

// The part of KUBERNETES_EXEC_INFO for a plugin with provideClusterInfo.
Json plugin_cluster_info(const net::Endpoint& endpoint, const Chosen& cluster) {
  Json info{{"server", endpoint.base_url}};
  if (!endpoint.tls_server_name.empty()) info["tls-server-name"] = endpoint.tls_server_name;
  if (endpoint.insecure) info["insecure-skip-tls-verify"] = true;
  if (!endpoint.ca_pem.empty()) {
    info["certificate-authority-data"] = base64_encode(endpoint.ca_pem);
  }
  if (!endpoint.proxy_url.empty()) info["proxy-url"] = endpoint.proxy_url;
  if (!endpoint.compression) info["disable-compression"] = true;
  if (cluster.entry == nullptr) return info;
  for (const Json& item : array_at(cluster.entry->fields, "/extensions")) {
    if (text_at(item, "/name") != k_plugin_extension) continue;
    if (const Json* config = find(item, "/extension")) info["config"] = *config;
  }
  return info;
}

// The TLS library refuses the system's whole bundle for one certificate that it cannot read.
void check_system_bundle(Files& files, ClusterAccess& access) {
  const net::Endpoint& endpoint = access.endpoint;
  const std::string& file = endpoint.system_trust.file;
  const bool needed = endpoint.ca_pem.empty() && !endpoint.insecure && !file.empty() &&
                      endpoint.base_url.starts_with("https:");
  if (!needed) return;
  // Nobody may ever write to a pipe; the transport refuses it.
  const auto opened = files.open_once(file);
  if (!opened || !opened->content) return;
  const std::string& bundle = *opened->content;
  if (readable_certificates(bundle) != bundle) trust({bundle, file, ""}, access);
}

}  // namespace

void trust(Pem pem, ClusterAccess& access) {
  access.endpoint.ca_pem = readable_certificates(pem.text);
  if (access.endpoint.ca_pem != pem.text) {
    access.warnings.push_back(
        cat(pem.source, " has certificates that cannot be read; only the others are trusted"));
  }
  access.endpoint.ca_source = std::move(pem.source);
  access.ca_file = std::move(pem.file);
}

std::string user_agent() {
  return cat("trainctl/", TRAINCTL_VERSION, " (", system_name(), "/", k_architecture, ")");
}

Result<ClusterAccess> make_cluster_access(const Inputs& inputs, const Chosen& cluster) {
  ClusterAccess access;
  net::Endpoint& endpoint = access.endpoint;
  endpoint.user_agent = user_agent();
  TRY_ASSIGN(endpoint.base_url, server_of(inputs, cluster));
  TRY(read_trust(inputs, cluster, access));
  endpoint.system_trust = net::find_system_trust(inputs.env, inputs.files);

  std::string proxy_url;
  if (cluster.entry != nullptr) {
    const std::string whose = cluster.describe("cluster");
    // A TLS server name given for the kubeconfig's server does not apply to the server from the
    // command line.
    if (inputs.flags.server.empty()) {
      TRY_ASSIGN(endpoint.tls_server_name, text_field(*cluster.entry, whose, "tls-server-name"));
    }
    TRY_ASSIGN(proxy_url, text_field(*cluster.entry, whose, "proxy-url"));
    TRY_ASSIGN(const bool plain, switch_field(*cluster.entry, whose, "disable-compression"));
    endpoint.compression = !plain;
  }
  if (!inputs.flags.tls_server_name.empty()) {
    endpoint.tls_server_name = inputs.flags.tls_server_name;
  }
  TRY_ASSIGN(const net::UrlParts parts, net::parse_url(endpoint.base_url));
  TRY_ASSIGN(endpoint.proxy_url, resolve_proxy(inputs.env, proxy_url, parts));
  access.plugin_info = plugin_cluster_info(endpoint, cluster);
  check_system_bundle(inputs.files, access);
  return access;
}

}  // namespace trainctl::kube
