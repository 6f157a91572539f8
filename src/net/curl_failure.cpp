// Has one message and one hint for each way libcurl can fail.
#include "net/curl_failure.h"

#include <algorithm>
#include <iterator>

#include "base/file/open_files.h"
#include "base/text/text.h"
#include "net/curl_proxy_failure.h"
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

long curl_info(const CurlFailure& failure, CURLINFO which) {
  long value = 0;
  curl_easy_getinfo(failure.easy, which, &value);
  return value;
}

bool is_connected(const CurlFailure& failure) {
  curl_off_t microseconds = 0;
  curl_easy_getinfo(failure.easy, CURLINFO_PRETRANSFER_TIME_T, &microseconds);
  return microseconds > 0 || failure.head_came;
}

std::string failure_detail(const CurlFailure& failure) {
  return printable_line(failure.detail.empty() ? curl_easy_strerror(failure.code) : failure.detail);
}

std::string connect_reason(const CurlFailure& failure) {
  const long number = curl_info(failure, CURLINFO_OS_ERRNO);
  if (number == 0) return failure_detail(failure);
  std::string text = system_words(static_cast<int>(number));
  return lower(text.substr(0, 1)) + text.substr(1);
}

Error failure_error(const CurlSettings& settings, const CurlFailure& failure) {
  // libcurl does not report why it got no socket, and a resolver that gets none fails as for an
  // unknown name.
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
