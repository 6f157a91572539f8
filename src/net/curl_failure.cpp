// One sentence and one hint for each way libcurl can fail.
#include "net/curl_failure.h"

#include <system_error>

#include "base/text.h"
#include "net/failure.h"

namespace trainctl::net {
namespace {

// OpenSSL's X509_V_ERR_* as CURLINFO_SSL_VERIFYRESULT reports them.
constexpr long k_not_verified = 1;  // libcurl's value while the name has not been compared
constexpr long k_not_yet_valid = 9;
constexpr long k_expired = 10;
constexpr long k_self_signed = 18;
constexpr long k_self_signed_in_chain = 19;
constexpr long k_no_issuer = 20;
constexpr long k_no_issuer_of_leaf = 21;

constexpr std::string_view k_try_https =
    "if the port speaks TLS, write https:// in the server's URL";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

long info(const CurlFailure& failure, CURLINFO which) {
  long value = 0;
  curl_easy_getinfo(failure.easy, which, &value);
  return value;
}

bool is_connected(const CurlFailure& failure) {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(failure.easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds);
  return microseconds > 0 || failure.head_came;
}

std::string detail_of(const CurlFailure& failure) {
  return printable_line(failure.detail.empty() ? curl_easy_strerror(failure.code) : failure.detail);
}

// "connection refused" and its like, as the system words them, without the capital.
std::string connect_reason(const CurlFailure& failure) {
  const long number = info(failure, CURLINFO_OS_ERRNO);
  if (number == 0) return detail_of(failure);
  std::string text = std::generic_category().message(static_cast<int>(number));
  return lower(text.substr(0, 1)) + text.substr(1);
}

Error proxy_error(const CurlSettings& settings, std::string_view reason) {
  const std::string proxy = cat(settings.proxy->scheme, "://", host_port(*settings.proxy));
  return Error{Code::unreachable,
               cat("cannot reach ", settings.server, " through the proxy ", proxy, ": ", reason),
               "check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY"};
}

Error connect_error(const CurlSettings& settings, const CurlFailure& failure) {
  const std::string reason = connect_reason(failure);
  return settings.proxy ? proxy_error(settings, reason) : cannot_reach(settings.server, reason);
}

Error tunnel_error(const CurlSettings& settings, long status) {
  constexpr long k_authentication_required = 407;
  if (status != k_authentication_required) {
    return proxy_error(settings, cat("the proxy answered ", status));
  }
  Error error = proxy_error(settings, "the proxy wants a user and a password (407)");
  error.hint = "write them into the proxy's URL: http://user:password@host:port";
  return error;
}

Error untrusted_error(const CurlSettings& settings) {
  const std::string& given = settings.endpoint.ca_source;
  const bool has_ca = !settings.endpoint.ca_pem.empty();
  const std::string trusted = has_ca ? given : "the system's certificates";
  return Error{
      Code::unreachable,
      cat("cannot trust ", settings.server,
          ": certificate signed by unknown authority (trusted: ", trusted, ")"),
      has_ca ? "check that the CA belongs to this cluster, or give --certificate-authority=FILE"
             : "give the cluster's CA with --certificate-authority=FILE"};
}

Error name_error(const CurlSettings& settings) {
  const std::string& name = settings.endpoint.tls_server_name;
  return Error{
      Code::unreachable,
      cat("cannot trust ", settings.server, ": its certificate is not valid for the name '",
          name.empty() ? settings.url.host : name, "'"),
      "name one that the certificate holds with --tls-server-name=NAME"};
}

Error certificate_error(const CurlSettings& settings, const CurlFailure& failure) {
  const auto dated = [&](std::string_view what) {
    return Error{Code::unreachable,
                 cat("cannot trust ", settings.server, ": its certificate ", what),
                 "check this machine's clock; else the cluster's certificate must be renewed"};
  };
  const bool from_proxy = info(failure, CURLINFO_PROXY_SSL_VERIFYRESULT) != 0;
  if (from_proxy) return proxy_error(settings, detail_of(failure));
  switch (info(failure, CURLINFO_SSL_VERIFYRESULT)) {
    case k_not_yet_valid:
      return dated("is not valid yet");
    case k_expired:
      return dated("has expired");
    case k_self_signed:
    case k_self_signed_in_chain:
    case k_no_issuer:
    case k_no_issuer_of_leaf:
      return untrusted_error(settings);
    case 0:
    case k_not_verified:
      return name_error(settings);
    default:
      return cannot_reach(settings.server, detail_of(failure));
  }
}

bool is_client_certificate_refused(const CurlFailure& failure) {
  return contains(failure.detail, "alert") && contains(failure.detail, "certificate");
}

Error handshake_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (is_client_certificate_refused(failure)) {
    return Error{
        Code::auth,
        cat(settings.server, " does not accept the client certificate: ", detail_of(failure)),
        "check client-certificate in the kubeconfig"};
  }
  if (!contains(failure.detail, "wrong version number")) {
    return cannot_reach(settings.server, detail_of(failure));
  }
  Error error = cannot_reach(settings.server, "it does not speak TLS");
  error.hint =
      "if this is a plain port, such as kubectl proxy's, write http:// in the server's URL";
  return error;
}

Error not_http_error(const CurlSettings& settings) {
  Error error = cannot_reach(settings.server, "it does not answer in HTTP");
  error.hint = k_try_https;
  return error;
}

bool is_cut(CURLcode code) {
  switch (code) {
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

// What CONNECT got from the proxy, when that was no tunnel.
long refused_tunnel(const CurlFailure& failure) {
  const long status = info(failure, CURLINFO_HTTP_CONNECTCODE);
  return status / 100 == 2 ? 0 : status;
}

// A TLS port answers a plain request with an alert, or hangs up; so does a server that dies.
bool is_maybe_tls_port(const CurlSettings& settings, const CurlFailure& failure) {
  return settings.url.scheme == "http" && settings.endpoint.unix_socket.empty() &&
         !failure.head_came;
}

Error cut_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (is_client_certificate_refused(failure)) return handshake_error(settings, failure);
  if (is_maybe_tls_port(settings, failure)) {
    Error error = cannot_reach(settings.server, "it closed the connection without an answer");
    error.hint = k_try_https;
    return error;
  }
  if (is_connected(failure)) return connection_lost(settings.server);
  if (settings.proxy) return proxy_error(settings, detail_of(failure));
  return cannot_reach(settings.server, "it closed the connection");
}

Error timeout_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (is_connected(failure)) return no_answer(settings.server, failure.timeout);
  const std::string reason = "connecting took too long";
  return settings.proxy ? proxy_error(settings, reason) : cannot_reach(settings.server, reason);
}

}  // namespace

Error failure_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (const long status = refused_tunnel(failure); status != 0) {
    return tunnel_error(settings, status);
  }
  if (is_cut(failure.code)) return cut_error(settings, failure);
  switch (failure.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return cannot_reach(settings.server, cat("no such host: ", settings.url.host));
    case CURLE_COULDNT_RESOLVE_PROXY:
      return proxy_error(settings, "no such host");
    case CURLE_COULDNT_CONNECT:
      return connect_error(settings, failure);
    case CURLE_PROXY:
      return proxy_error(settings, detail_of(failure));
    case CURLE_OPERATION_TIMEDOUT:
      return timeout_error(settings, failure);
    case CURLE_PEER_FAILED_VERIFICATION:
      return certificate_error(settings, failure);
    case CURLE_SSL_CONNECT_ERROR:
      return handshake_error(settings, failure);
    case CURLE_UNSUPPORTED_PROTOCOL:  // libcurl's verdict on an answer without a status line
      return not_http_error(settings);
    case CURLE_SSL_CERTPROBLEM:
      return Error{Code::auth, cat("the client certificate cannot be used: ", detail_of(failure)),
                   "check client-certificate and client-key in the kubeconfig"};
    case CURLE_SSL_CACERT_BADFILE:
      return Error{Code::usage, cat(settings.endpoint.ca_source, " holds no usable certificate"),
                   "give the cluster's CA with --certificate-authority=FILE"};
    default:
      return cannot_reach(settings.server, detail_of(failure));
  }
}

bool is_transient(const CurlFailure& failure) {
  if (is_client_certificate_refused(failure)) return false;
  if (const long status = refused_tunnel(failure); status != 0) return status >= 500;
  return is_cut(failure.code) || failure.code == CURLE_COULDNT_CONNECT ||
         failure.code == CURLE_COULDNT_RESOLVE_HOST || failure.code == CURLE_COULDNT_RESOLVE_PROXY;
}

}  // namespace trainctl::net
