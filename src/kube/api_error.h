// The server's refusals in the user's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http.h"

namespace trainctl::kube {

// What the request was about; gives hints their names.
struct CallInfo {
  std::string method;
  std::string target;
  std::string auth_source;  // Credentials::description()
  std::string server;       // base URL
};

// An answer of 300 or above (or a 200 whose body is a Status with status Failure) as an Error:
// 401, RBAC 403 and any other 403 of a read Code::auth; 404 Code::not_found; 400, 409, 413, 415,
// 422, webhook and quota 403 Code::refused; 429 and 5xx Code::unreachable ("failed calling webhook"
// among them: it says which webhook), except request-too-large 500s, which are Code::refused. The
// message is the server's own, on one line; a body that is no Status is quoted by its first line
// together with the Server or Via header. A 404 in text/plain means the kind is not served: the
// hint names what to install.
Error api_error(const CallInfo& call, const net::ResponseHead& head, std::string_view body);

// Facts callers decide by, read off the same answer.
struct Refusal {
  int status = 0;      // the Status object's code, else the HTTP status
  std::string reason;  // "AlreadyExists", "Conflict", "Expired", …; "" when none
  std::string message;
  std::optional<Duration> retry_after;  // Retry-After, the Status's wish, or the transport's
};
Refusal read_refusal(std::string_view method, const net::ResponseHead& head, std::string_view body);

// The same of a Status object that came by another way (in a watch).
Refusal read_status(const Json& status);
Error status_error(const CallInfo& call, const Json& status);

// True when every further attempt will be refused as well, until somebody puts the cluster right:
// the API server does not believe a kubelet's certificate, or does not know its name.
bool is_lasting(const Refusal& refusal);

// True for a Status object that tells of a failure.
bool is_failure(const Json& object);

}  // namespace trainctl::kube
