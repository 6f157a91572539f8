// Has one message and one hint for each way libcurl can fail.
#include "net/curl_failure.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/file/descriptor.h"
#include "base/text/text.h"
#include "net/http.h"

namespace trainctl::net {
namespace {

long curl_info(const CurlFailure& failure, CURLINFO which) {
  long value = 0;
  curl_easy_getinfo(failure.easy, which, &value);
  return value;
}

// libcurl's own description, on one line.
std::string failure_detail(const CurlFailure& failure) {
  return printable_line(failure.detail.empty() ? curl_easy_strerror(failure.code) : failure.detail);
}

// The error for a connection that the proxy did not establish: "cannot reach SERVER through the
// proxy URL: reason".
Error proxy_error(const CurlSettings& settings, std::string_view reason);

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

Error proxy_error(const CurlSettings& settings, std::string_view reason) {
  const std::string proxy = cat(settings.proxy->scheme, "://", host_port(*settings.proxy));
  return Error{Code::unreachable,
               cat("cannot reach ", settings.server, " through the proxy ", proxy, ": ", reason),
               "check proxy-url in the kubeconfig, or HTTPS_PROXY and NO_PROXY"};
}

// The system's reason, such as "connection refused", without a capital.
std::string connect_reason(const CurlFailure& failure) {
  const long number = curl_info(failure, CURLINFO_OS_ERRNO);
  if (number == 0) return failure_detail(failure);
  std::string text = system_words(static_cast<int>(number));
  return lower(text.substr(0, 1)) + text.substr(1);
}

// The error to report; nullopt when there is no proxy, or the proxy worked.
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

// True when another attempt through the proxy may succeed; nullopt when the proxy has not refused
// anything.
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

// The resolver does not distinguish a wrong name from a name server that cannot be reached.
Error unknown_host(const CurlSettings& settings) {
  return Error{
      Code::unreachable,
      cat("cannot reach ", settings.server, ": the name ", settings.url.host,
          " cannot be resolved"),
      "check the server in the kubeconfig, and this machine's DNS: does the cluster need a "
      "VPN?"};
}

std::string trusted_source(const Endpoint& endpoint) {
  if (!endpoint.ca_pem.empty()) return endpoint.ca_source;
  const SystemTrust& system = endpoint.system_trust;
  return system.file.empty() ? system.directory : system.file;
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
      "give a name that is in the certificate: --tls-server-name=NAME"};
}

Error certificate_error(const CurlSettings& settings, const CurlFailure& failure) {
  const auto dated = [&](std::string_view what) {
    return Error{Code::unreachable,
                 cat("cannot trust ", settings.server, ": its certificate ", what),
                 "check this machine's clock; else the cluster's certificate must be renewed"};
  };
  switch (curl_info(failure, CURLINFO_SSL_VERIFYRESULT)) {
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
      return cannot_reach(settings.server, failure_detail(failure));
  }
}

bool is_client_certificate_refused(const CurlFailure& failure) {
  return contains(failure.detail, "alert") && contains(failure.detail, "certificate");
}

Error handshake_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (is_client_certificate_refused(failure)) {
    return Error{
        Code::auth,
        cat(settings.server, " does not accept the client certificate: ", failure_detail(failure)),
        "check client-certificate in the kubeconfig"};
  }
  if (!contains(failure.detail, "wrong version number")) {
    return cannot_reach(settings.server, failure_detail(failure));
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

// libcurl 7.88's messages for a handshake that ended without a TLS alert.
bool is_cut_handshake(const CurlFailure& failure) {
  constexpr std::string_view k_ends[] = {"OpenSSL SSL_connect: ", "unexpected eof while reading",
                                         "Recv failure: ", "Send failure: "};
  return failure.code == CURLE_SSL_CONNECT_ERROR &&
         std::ranges::any_of(k_ends,
                             [&](std::string_view end) { return contains(failure.detail, end); });
}

bool is_cut(const CurlFailure& failure) {
  switch (failure.code) {
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SEND_FAIL_REWIND:  // cut off, and the body cannot be sent again
      return true;
    default:
      return is_cut_handshake(failure);
  }
}

// A TLS port answers a plain request with an alert, or closes the connection.
bool is_maybe_tls_port(const CurlSettings& settings, const CurlFailure& failure) {
  return settings.url.scheme == "http" && settings.endpoint.unix_socket.empty() &&
         is_cut(failure) && !failure.head_came && !failure.answered_before;
}

Error cut_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (is_client_certificate_refused(failure)) return handshake_error(settings, failure);
  if (is_maybe_tls_port(settings, failure)) {
    Error error = cannot_reach(settings.server, "it closed the connection without an answer");
    error.hint = k_try_https;
    return error;
  }
  if (is_connected(failure)) return connection_lost(settings.server);
  return cannot_reach(settings.server, "it closed the connection");
}

Error timeout_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (is_connected(failure)) return no_answer(settings.server, failure.timeout);
  return cannot_reach(settings.server, "connecting took too long");
}

}  // namespace

bool is_connected(const CurlFailure& failure) {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(failure.easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds);
  return microseconds > 0 || failure.head_came;
}

Error failure_error(const CurlSettings& settings, const CurlFailure& failure) {
  if (failure.lacks_descriptor) return too_many_open(settings.server, file_limit());
  // A resolver that gets no descriptor fails as for an unknown name.
  if (!is_connected(failure) && !is_cut(failure)) {
    if (const auto limit = exhausted_file_limit()) return too_many_open(settings.server, *limit);
  }
  if (auto error = proxy_failure(settings, failure)) return *std::move(error);
  if (is_cut(failure)) return cut_error(settings, failure);
  switch (failure.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return unknown_host(settings);
    case CURLE_COULDNT_CONNECT:
      return cannot_reach(settings.server, connect_reason(failure));
    case CURLE_OPERATION_TIMEDOUT:
      return timeout_error(settings, failure);
    case CURLE_PEER_FAILED_VERIFICATION:
      return certificate_error(settings, failure);
    case CURLE_SSL_CONNECT_ERROR:
      return handshake_error(settings, failure);
    case CURLE_UNSUPPORTED_PROTOCOL:  // libcurl's code for an answer without a status line
      return not_http_error(settings);
    case CURLE_SSL_CERTPROBLEM:
      return Error{Code::auth,
                   cat("the client certificate cannot be used: ", failure_detail(failure)),
                   "check client-certificate and client-key in the kubeconfig"};
    case CURLE_SSL_CACERT_BADFILE:
      return Error{Code::usage,
                   cat(trusted_source(settings.endpoint), " holds no usable certificate"),
                   "give the cluster's CA with --certificate-authority=FILE"};
    default:
      return cannot_reach(settings.server, failure_detail(failure));
  }
}

bool is_transient(const CurlSettings& settings, const CurlFailure& failure) {
  if (is_client_certificate_refused(failure)) return false;
  if (is_maybe_tls_port(settings, failure)) return false;
  if (const auto at_proxy = is_transient_at_proxy(failure)) return *at_proxy;
  return is_cut(failure) || failure.code == CURLE_COULDNT_CONNECT ||
         failure.code == CURLE_COULDNT_RESOLVE_HOST;
}

}  // namespace trainctl::net
