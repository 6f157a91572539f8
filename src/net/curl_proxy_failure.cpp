// Has a message for each way a proxy can fail: HTTP, HTTPS and SOCKS5.
#include "net/curl_proxy_failure.h"

#include "base/text/text.h"

namespace trainctl::net {
namespace {

constexpr long k_authentication_required = 407;

Error wants_user(const CurlSettings& settings, std::string_view how) {
  Error error = proxy_error(settings, cat("the proxy requires a user and a password", how));
  error.hint = "write them into the proxy's URL: http://user:password@host:port";
  if (settings.proxy->user_info.empty()) return error;
  error = proxy_error(settings, cat("the proxy does not accept the user and password", how));
  error.hint = "correct them in the proxy's URL; percent-encode special characters, as in %40";
  return error;
}

// The proxy's status for CONNECT when it refused the tunnel.
long refused_tunnel(const CurlFailure& failure) {
  const long status = curl_info(failure, CURLINFO_HTTP_CONNECTCODE);
  return status / 100 == 2 ? 0 : status;
}

Error socks_error(const CurlSettings& settings, const CurlFailure& failure) {
  switch (curl_info(failure, CURLINFO_PROXY_ERROR)) {
    case CURLPX_NO_AUTH:
    case CURLPX_USER_REJECTED:
      return wants_user(settings, "");
    case CURLPX_REPLY_NOT_ALLOWED:
      return proxy_error(settings, "the proxy does not allow it");
    case CURLPX_REPLY_CONNECTION_REFUSED:
      return proxy_error(settings, "the server refused the proxy's connection");
    case CURLPX_REPLY_HOST_UNREACHABLE:
    case CURLPX_REPLY_NETWORK_UNREACHABLE:
    case CURLPX_REPLY_TTL_EXPIRED:
      return proxy_error(settings, "the proxy has no route to it");
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE:
      return proxy_error(settings, "the proxy cannot reach it");
    case CURLPX_BAD_VERSION:
      return proxy_error(settings, "the proxy does not speak SOCKS5");
    default:
      return proxy_error(settings, failure_detail(failure));
  }
}

// TLS with the proxy itself comes before CONNECT; TLS with the server comes after it.
bool is_tls_with_proxy(const CurlSettings& settings, const CurlFailure& failure) {
  const bool tls_failed =
      failure.code == CURLE_PEER_FAILED_VERIFICATION || failure.code == CURLE_SSL_CONNECT_ERROR;
  return tls_failed && settings.proxy->scheme == "https" &&
         curl_info(failure, CURLINFO_HTTP_CONNECTCODE) == 0;
}

Error proxy_tls_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (failure.detail.find("wrong version number") != std::string::npos) {
    Error error = proxy_error(settings, "the proxy does not speak TLS");
    error.hint = "if it is a plain one, write http:// in the proxy's URL";
    return error;
  }
  Error error = proxy_error(settings, failure_detail(failure));
  if (failure.code == CURLE_PEER_FAILED_VERIFICATION) {
    error.message += " (the proxy's certificate)";
    error.hint = "add the CA of the proxy to the system's certificates or to the cluster's CA file";
  }
  return error;
}

// The proxy closed the connection or sent an invalid answer before the tunnel was established.
bool is_before_tunnel(const CurlFailure& failure) {
  return !failure.head_came && curl_info(failure, CURLINFO_HTTP_CONNECTCODE) == 0 &&
         !is_connected(failure);
}

}  // namespace

Error proxy_error(const CurlSettings& settings, std::string_view reason) {
  const std::string proxy = cat(settings.proxy->scheme, "://", host_port(*settings.proxy));
  return Error{Code::unreachable,
               cat("cannot reach ", settings.server, " through the proxy ", proxy, ": ", reason),
               "check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY"};
}

std::optional<Error> proxy_failure(const CurlSettings& settings, const CurlFailure& failure) {
  if (!settings.proxy) return std::nullopt;
  if (const long status = refused_tunnel(failure); status != 0) {
    if (status == k_authentication_required) return wants_user(settings, " (407)");
    return proxy_error(settings, cat("the proxy answered ", status));
  }
  if (is_tls_with_proxy(settings, failure)) return proxy_tls_error(settings, failure);
  switch (failure.code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return proxy_error(settings, cat("the name ", settings.proxy->host, " cannot be resolved"));
    case CURLE_PROXY:
      return socks_error(settings, failure);
    case CURLE_COULDNT_CONNECT:
      return proxy_error(settings, connect_reason(failure));
    case CURLE_OPERATION_TIMEDOUT:
      if (is_connected(failure)) return std::nullopt;
      return proxy_error(settings, "connecting took too long");
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      if (!is_before_tunnel(failure)) return std::nullopt;
      return proxy_error(settings, failure_detail(failure));
    default:
      return std::nullopt;
  }
}

std::optional<bool> is_transient_at_proxy(const CurlFailure& failure) {
  if (const long status = refused_tunnel(failure); status != 0) return status >= 500;
  if (failure.code == CURLE_COULDNT_RESOLVE_PROXY) return true;
  if (failure.code != CURLE_PROXY) return std::nullopt;
  switch (curl_info(failure, CURLINFO_PROXY_ERROR)) {
    case CURLPX_CLOSED:
    case CURLPX_REPLY_CONNECTION_REFUSED:
    case CURLPX_REPLY_GENERAL_SERVER_FAILURE:
    case CURLPX_REPLY_HOST_UNREACHABLE:
    case CURLPX_REPLY_NETWORK_UNREACHABLE:
    case CURLPX_REPLY_TTL_EXPIRED:
      return true;
    default:
      return false;
  }
}

}  // namespace trainctl::net
