// Turns the server's refusals into messages for the user.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "net/http.h"

namespace trainctl::kube {

// JSON as a server sends it: bytes that are no UTF-8 cost a replacement character, not the answer.
// Like parse_json, but a text with invalid UTF-8 is read again with those bytes as U+FFFD. Omits
// managedFields, which record who wrote which field: nobody reads them, and they are half of the
// bytes.
Result<Json> parse_answer(std::string_view text, std::string_view what);

// The request's subject; hints name it.
struct CallInfo {
  std::string method;
  std::string target;
  std::string auth_source;  // Credentials::description()
  std::string server;       // base URL
};

// Turns an answer of 300 or above (or a 200 whose body is a Status with status Failure) into an
// Error. 401 is Code::auth, and so is 403, except that of a webhook, of a quota, or of another
// admission of a write, which are Code::refused. 404 is Code::not_found; other 4xx are
// Code::refused. Code::unreachable are 429 and 5xx ("failed calling webhook" among them: it says
// which webhook; a too large request is Code::refused), redirects, a proxy's 407, and a plain http
// request to a TLS port. The message is the server's own, on one line; a body that is no Status is
// quoted by its first line together with the Server or Via header. A 404 in text/plain means the
// kind is not served: the hint names what to install.
Error api_error(const CallInfo& call, const net::ResponseHead& head, std::string_view body);

// The facts of such an answer that callers decide by.
struct Refusal {
  int status = 0;      // the Status object's code, else the HTTP status
  std::string reason;  // "AlreadyExists", "Conflict", "Expired", …; "" when none
  std::string message;
  std::optional<Duration> retry_after;  // from Retry-After, the Status, or the transport
};
Refusal read_refusal(std::string_view method, const net::ResponseHead& head, std::string_view body);

// True when the server cannot resume from the version it was asked for: the version is too old, or
// one that the server has not reached, as after a restored etcd.
bool is_version_lost(const Refusal& refusal);

// The same for a Status object that came another way (in a watch).
Refusal read_status(const Json& status);
Error status_error(const CallInfo& call, const Json& status);

// True when every further attempt will be refused as well until somebody fixes the cluster: the API
// server rejects a kubelet's certificate, or cannot resolve its name.
bool is_permanent(const Refusal& refusal);

// True for a Status object that reports a failure.
bool is_failure(const Json& object);

}  // namespace trainctl::kube
