// Checks an endpoint and works out its URLs.
#include "net/curl_settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text/text.h"

namespace trainctl::net {
namespace {

Status use_server_name(CurlSettings& settings) {
  const std::string& name = settings.endpoint.tls_server_name;
  settings.base_url = settings.endpoint.base_url;
  if (name.empty() || settings.url.scheme != "https") return {};
  UrlParts named = settings.url;
  named.host = name;
  settings.base_url = cat("https://", host_port(named), named.path);
  if (!parse_url(settings.base_url)) {
    return Error{Code::usage,
                 cat("TLS server name '", printable_line(name), "' is not a host name"),
                 "correct --tls-server-name or tls-server-name in the kubeconfig"};
  }
  settings.host_header = "Host: " + host_port(settings.url);
  append(settings.connect_to, "::" + host_port(settings.url));
  return {};
}

// Always names the port, because libcurl's default for an HTTP proxy is 1080 while everybody else's
// is 80.
Status use_proxy(CurlSettings& settings) {
  if (settings.endpoint.proxy_url.empty()) return {};
  TRY_ASSIGN(UrlParts proxy, parse_url(settings.endpoint.proxy_url));
  if (proxy.scheme == "socks5") proxy.scheme = "socks5h";
  if (proxy.scheme != "http" && proxy.scheme != "https" && proxy.scheme != "socks5h") {
    return Error{Code::usage, cat("a proxy of kind '", proxy.scheme, "' cannot be used"),
                 "use a proxy URL that begins with http://, https:// or socks5://"};
  }
  const std::string user = proxy.user_info.empty() ? "" : proxy.user_info + '@';
  settings.proxy_url = cat(proxy.scheme, "://", user, host_port(proxy));
  settings.proxy = std::move(proxy);
  return {};
}

// A directory that the user names applies beside a file.
Status use_system_trust(CurlSettings& settings) {
  const curl_version_info_data* version = curl_version_info(CURLVERSION_NOW);
  const Endpoint& endpoint = settings.endpoint;
  const std::string& found = endpoint.system_trust.file;
  const char* const bundle = found.empty() ? version->cainfo : found.c_str();
  settings.has_bundle_file = bundle != nullptr && access(bundle, R_OK) == 0;
  const bool needed =
      settings.url.scheme == "https" && !endpoint.insecure && endpoint.ca_pem.empty();
  // libcurl would wait for ever for somebody to write to a pipe.
  const bool is_read = needed || (settings.proxy && settings.proxy->scheme == "https");
  struct stat facts {};
  if (is_read && bundle != nullptr && ::stat(bundle, &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return Error{Code::usage,
                 cat("cannot read CA certificates from ", bundle, ": not a regular file"),
                 "set SSL_CERT_FILE to a file of PEM certificates"};
  }
  if (!needed || bundle != nullptr || version->capath != nullptr ||
      !endpoint.system_trust.directory.empty()) {
    return {};
  }
  return Error{
      Code::unreachable,
      cat("cannot trust ", settings.server,
          ": this system has no CA certificates (searched: ", system_trust_places(), ")"),
      "install ca-certificates, or give the cluster's CA with --certificate-authority=FILE"};
}

}  // namespace

void append(Slist& list, const std::string& line) {
  curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
  need_memory(longer != nullptr);
  (void)list.release();
  list.reset(longer);
}

Result<CurlSettings> make_settings(Endpoint endpoint) {
  CurlSettings settings;
  TRY_ASSIGN(settings.url, parse_url(endpoint.base_url));
  if (settings.url.scheme != "http" && settings.url.scheme != "https") {
    return Error{Code::usage, cat("the server's URL begins with ", settings.url.scheme, "://"),
                 "a server's URL begins with https:// or http://"};
  }
  if (!endpoint.ca_pem.empty() &&
      endpoint.ca_pem.find("-----BEGIN CERTIFICATE-----") == std::string::npos) {
    return Error{Code::usage, cat(endpoint.ca_source, " holds no PEM certificate"),
                 "give the cluster's CA with --certificate-authority=FILE"};
  }
  settings.endpoint = std::move(endpoint);
  const std::string& socket = settings.endpoint.unix_socket;
  settings.server = socket.empty() ? host_port(settings.url) : socket;
  TRY(use_server_name(settings));
  TRY(use_proxy(settings));
  TRY(use_system_trust(settings));
  return settings;
}

}  // namespace trainctl::net
