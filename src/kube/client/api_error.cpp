// Has one function per kind of refusal, which says what happened and what to type next.
#include "kube/client/api_error.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "kube/client/resource.h"
#include "net/retry.h"

namespace trainctl::kube {
namespace {

std::string repaired(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    if (take_code_point(text)) {
      repaired += before.substr(0, before.size() - text.size());
    } else {
      repaired += "\xef\xbf\xbd";
    }
  }
  return repaired;
}

}  // namespace

Result<Json> parse_answer(std::string_view text, std::string_view what) {
  constexpr MemberOf k_managed_fields{"metadata", "managedFields"};
  Result<Json> parsed = parse_json(text, what, k_managed_fields);
  if (parsed || is_utf8(text)) return parsed;
  return parse_json(repaired(text), what, k_managed_fields);
}

// Extracts the facts of a refused answer from which api_error builds its messages.
struct RefusedAnswer {
  Refusal refusal;
  Json status;          // the Status object; null when the answer held none
  std::string quote;    // first line of a body that is no Status
  std::string gateway;  // its Server or Via header
};

// `method` matters because a conflict means something else for a POST.
RefusedAnswer read_answer(std::string_view method, const net::ResponseHead& head,
                          std::string_view body);

namespace {

constexpr std::size_t k_quote_limit = 200;

// client-go's name for it; the Status itself says Timeout.
constexpr std::string_view k_version_too_large = "ResourceVersionTooLarge";

// client-go's reasons for answers without a Status.
std::string_view reason_of(std::string_view method, int status) {
  switch (status) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 409:
      return method == "POST" ? "AlreadyExists" : "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return status >= 500 ? "InternalError" : "";
  }
}

std::string without_tags(std::string_view html) {
  std::string text;
  bool in_tag = false;
  for (const char c : html) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') {
      in_tag = false;
      text += '\n';
    }
  }
  return text;
}

// The first line with text for people.
std::string first_line(std::string_view body) {
  const std::string_view start = trim(body.substr(0, 4096));
  const bool html = !start.empty() && start.front() == '<';
  const std::string text = html ? without_tags(start) : std::string(start);
  for (const std::string& line : split(text, '\n')) {
    const std::string shown = printable_line(trim(line));
    if (!shown.empty()) return shown.substr(0, k_quote_limit);
  }
  return "";
}

}  // namespace

bool is_failure(const Json& object) {
  return text_at(object, "/kind") == "Status" && text_at(object, "/status") == "Failure";
}

Refusal read_status(const Json& status) {
  Refusal refusal;
  const std::int64_t code = int_at(status, "/code").value_or(0);
  if (code >= 100 && code <= 999) refusal.status = static_cast<int>(code);
  refusal.reason = text_at(status, "/reason");
  refusal.message = text_at(status, "/message");
  // Old servers say so in the message only.
  bool too_large = refusal.message.find("Too large resource version") != std::string::npos;
  for (const Json& cause : array_at(status, "/details/causes")) {
    too_large = too_large || text_at(cause, "/reason") == k_version_too_large;
  }
  if (too_large) refusal.reason = k_version_too_large;
  const std::int64_t seconds = int_at(status, "/details/retryAfterSeconds").value_or(0);
  if (seconds > 0 && seconds <= 86400) refusal.retry_after = std::chrono::seconds(seconds);
  return refusal;
}

bool is_version_lost(const Refusal& refusal) {
  return refusal.status == 410 || refusal.reason == "Expired" || refusal.reason == "Gone" ||
         refusal.reason == k_version_too_large;
}

RefusedAnswer read_answer(std::string_view method, const net::ResponseHead& head,
                          std::string_view body) {
  RefusedAnswer answer;
  const std::string_view start = body.substr(0, body.find_first_not_of(" \t\r\n") + 1);
  if (!start.empty() && start.back() == '{') {
    Result<Json> parsed = parse_answer(body, "answer of the server");
    if (parsed && is_failure(*parsed)) answer.status = *std::move(parsed);
  }
  if (!answer.status.is_null()) answer.refusal = read_status(answer.status);
  Refusal& refusal = answer.refusal;
  if (refusal.status == 0) refusal.status = head.status;
  if (answer.status.is_null()) {
    answer.quote = first_line(body);
    answer.gateway = printable_line(head.header("Server"));
    if (answer.gateway.empty()) answer.gateway = printable_line(head.header("Via"));
    refusal.reason = reason_of(method, refusal.status);
    refusal.message = answer.quote;
  }
  if (const auto wish = net::retry_after(head)) refusal.retry_after = wish;
  return answer;
}

Refusal read_refusal(std::string_view method, const net::ResponseHead& head,
                     std::string_view body) {
  return read_answer(method, head, body).refusal;
}

namespace {

constexpr std::string_view k_webhook_denial = "admission webhook \"";
constexpr std::string_view k_webhook_silent = "failed calling webhook \"";
constexpr std::string_view k_strict = "strict decoding error: ";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

PathParts parts_of(const CallInfo& call) {
  return parse_resource_path(call.target).value_or(PathParts{});
}

// The server's message, or a description of the status without one.
std::string message_of(const CallInfo& call, const RefusedAnswer& answer) {
  const Refusal& refusal = answer.refusal;
  if (!answer.status.is_null() && !refusal.message.empty()) return refusal.message;
  std::string text = cat(call.server, " answered ", refusal.status);
  if (!refusal.reason.empty()) text += " " + refusal.reason;
  if (!answer.quote.empty()) text += cat(": ", answer.quote);
  if (!answer.gateway.empty()) text += cat(" (from ", answer.gateway, ")");
  return text;
}

Error unauthenticated(const CallInfo& call, const RefusedAnswer& answer) {
  return Error{Code::auth,
               cat("not authenticated: ", call.server,
                   call.auth_source.starts_with("no credentials") ? " got " : " does not accept ",
                   call.auth_source, ": ", message_of(call, answer)),
               "log in again, or choose other credentials with --context, --user or --token"};
}

std::string can_i(const std::string& message) {
  const std::string verb = between(message, " cannot ", " ");
  const std::string group = between(message, "in API group \"", "\"");
  const std::string ns = between(message, "in the namespace \"", "\"");
  const Halves resource = split_once(between(message, " resource \"", "\""), '/');
  std::string command = cat("kubectl auth can-i ", verb, " ", resource.first);
  if (!group.empty()) command += "." + group;
  if (resource.found) command += " --subresource=" + resource.second;
  if (!ns.empty()) command += " -n " + ns;
  return command;
}

// Admission checks writes; a read is subject only to its user's rights. The API server words its
// refusals itself: `pods "x" is forbidden: violates PodSecurity …`.
bool is_by_admission(const CallInfo& call, std::string_view message) {
  const bool is_write = call.method != "GET" && call.method != "HEAD";
  return is_write && (contains(message, " is forbidden") || contains(message, "denied request"));
}

Error no_right(const CallInfo& call, const std::string& message) {
  constexpr std::string_view k_ask = "ask your administrator which right is missing";
  if (call.method != "GET") return Error{Code::auth, message, std::string(k_ask)};
  const PathParts parts = parts_of(call);
  if (parts.plural.empty()) return Error{Code::auth, message, ""};
  const std::string place = parts.ns.empty() ? "" : cat(" -n ", shell_quoted(parts.ns));
  return Error{
      Code::auth, cat("not permitted to read ", parts.resource(), ": ", message),
      cat("ask your administrator for this permission; check it with kubectl auth can-i get ",
          parts.resource(), place)};
}

Error forbidden(const CallInfo& call, const RefusedAnswer& answer) {
  const std::string message = message_of(call, answer);
  if (!answer.status.is_null() && answer.refusal.message.empty()) {
    return Error{Code::auth, "forbidden: the server gave no reason",
                 "ask your administrator which right is missing"};
  }
  if (message.starts_with(k_webhook_denial)) {
    const std::string name = between(message, k_webhook_denial, "\"");
    return Error{Code::refused,
                 cat("refused by the cluster's admission webhook ", name, ": ",
                     behind(message, "denied the request: ")),
                 ""};
  }
  if (contains(message, "exceeded quota")) {
    return Error{Code::refused, message, "ask for less, or delete finished jobs to free the quota"};
  }
  const bool rbac = contains(message, "User \"") && contains(message, " cannot ");
  if (!rbac && answer.status.is_null()) return Error{Code::auth, message, ""};
  if (!rbac && is_by_admission(call, message)) return Error{Code::refused, message, ""};
  if (!rbac) return no_right(call, message);
  if (contains(message, "\"system:anonymous\"")) {
    return Error{Code::auth, cat("no credentials reached the server: ", message),
                 "choose a context or user with credentials: --context, --user or --token"};
  }
  if (!contains(message, " resource \"")) return Error{Code::auth, message, ""};
  return Error{Code::auth, message,
               "ask your administrator for this permission; check it with " + can_i(message)};
}

// Only a proxy in front of a plain http server answers like this.
Error at_the_proxy(const CallInfo& call) {
  return Error{Code::unreachable,
               cat("the proxy in front of ", call.server, " requires a user and a password (407)"),
               "write them into the proxy's URL: http://user:password@host:port"};
}

Error missing(const CallInfo& call, const RefusedAnswer& answer) {
  const PathParts parts = parts_of(call);
  if (answer.status.is_null()) {
    const bool from_kubernetes = answer.quote.empty() || answer.quote == "404 page not found";
    if (parts.plural.empty() || !from_kubernetes) {
      return Error{Code::not_found, message_of(call, answer),
                   cat("is ", call.server, " a Kubernetes API server?")};
    }
    return Error{
        Code::not_found, cat("the cluster does not serve ", parts.resource(), "/", parts.version),
        cat("install ", provider_of(parts.group, parts.version), ", or choose another --context")};
  }
  if (text_at(answer.status, "/details/kind") == "namespaces") {
    const std::string name = text_at(answer.status, "/details/name", parts.ns);
    return Error{Code::not_found, cat("namespace \"", name, "\" not found"),
                 cat("create it with kubectl create namespace ", shell_quoted(name),
                     ", or choose another with -n")};
  }
  Error error{Code::not_found, message_of(call, answer), ""};
  if (parts.group == "kubeflow.org") {
    error.hint = cat("list what is there with trainctl get -n ", shell_quoted(parts.ns));
  }
  return error;
}

Error in_the_way(const CallInfo& call, const RefusedAnswer& answer) {
  Error error{Code::refused, message_of(call, answer), ""};
  // Nothing can have changed that is only about to be created.
  const bool exists = answer.refusal.reason == "AlreadyExists" || call.method == "POST";
  if (exists && error.message.starts_with("object is being deleted")) {
    error.hint = "it is still being deleted; try again, or wait for it with --if-exists=replace";
  } else if (exists) {
    error.hint = "choose another name, or use --if-exists=skip, replace or attach";
  } else {
    error.hint = "it was changed or replaced meanwhile; run the command again";
  }
  return error;
}

// API servers and nginx answer like this to plain http on a TLS port.
bool is_tls_port(const RefusedAnswer& answer) {
  return contains(answer.quote, "HTTP request to an HTTPS server") ||
         contains(answer.quote, "plain HTTP request was sent to HTTPS port");
}

Error undecodable(const CallInfo& call, const RefusedAnswer& answer) {
  if (is_tls_port(answer)) {
    return Error{Code::unreachable, cat("cannot reach ", call.server, ": the port speaks TLS"),
                 "write https:// in the server's URL"};
  }
  const std::string message = message_of(call, answer);
  if (!contains(message, k_strict)) return Error{Code::refused, message, ""};
  const std::string kind = message.substr(0, message.find(' '));
  return Error{Code::refused,
               cat("the manifest is not a valid ", kind, ": ", behind(message, k_strict)),
               "correct or remove these fields; case and position matter"};
}

// Lists the causes as "KIND "NAME" is invalid: field: why; …", without the remark that other rules
// were not checked.
Error invalid(const CallInfo& call, const RefusedAnswer& answer) {
  const std::string message = message_of(call, answer);
  std::vector<std::string> faults;
  for (const Json& cause : array_at(answer.status, "/details/causes")) {
    const std::string field = text_at(cause, "/field");
    const std::string why = text_at(cause, "/message");
    if (field == "<nil>" || why.empty()) continue;
    std::string fault = field.empty() ? why : cat(field, ": ", why);
    if (std::ranges::find(faults, fault) == faults.end()) {
      faults.push_back(std::move(fault));
    }
  }
  constexpr std::string_view k_invalid = " is invalid: ";
  const std::size_t at = message.find(k_invalid);
  if (faults.empty() || at == std::string::npos) return Error{Code::refused, message, ""};
  return Error{Code::refused, message.substr(0, at + k_invalid.size()) + join(faults, "; "), ""};
}

// Logs come from the kubelet through the API server, whose error is "Get
// "https://NODE/containerLogs/…": why". It rejects a kubelet without a signed certificate, or one
// that has none to present ("tls: internal error").
bool is_untrusted_kubelet(std::string_view message) {
  return contains(message, "/containerLogs/") &&
         (contains(message, "x509: ") || contains(message, "tls: internal error"));
}

Error untrusted_kubelet(const std::string& message) {
  return Error{Code::unreachable,
               cat("the API server cannot read logs from the kubelet at ",
                   between(message, "https://", "/"), ": ", behind(message, "\": ")),
               "an administrator must sign the node's certificate (kubectl get csr shows what "
               "waits); until then: trainctl logs --insecure-skip-tls-verify-backend"};
}

Error failing(const CallInfo& call, const RefusedAnswer& answer) {
  const std::string message = message_of(call, answer);
  if (is_untrusted_kubelet(message)) return untrusted_kubelet(message);
  if (contains(message, "request is too large") ||
      contains(message, "trying to send message larger than max")) {
    return Error{Code::refused, cat("the object is too large for the cluster: ", message),
                 "move large values into a ConfigMap, a Secret or the image"};
  }
  if (contains(message, k_webhook_silent)) {
    const std::string name = between(message, k_webhook_silent, "\"");
    return Error{Code::unreachable,
                 cat("the cluster's admission webhook ", name,
                     " is not answering: ", behind(message, "failed to call webhook: ")),
                 "nothing was created; try again when the pod behind the webhook (for a training "
                 "job, the training operator or Kubeflow Trainer) is running"};
  }
  if (!answer.status.is_null()) {
    return Error{Code::unreachable,
                 cat(call.server, " answered ", answer.refusal.status, ": ", message), ""};
  }
  Error error{Code::unreachable, message, ""};
  if (!answer.quote.empty()) {
    error.hint = cat("no Kubernetes answer: is a proxy or load balancer in front of ", call.server,
                     " failing?");
  }
  return error;
}

Error redirected(const CallInfo& call, const net::ResponseHead& head) {
  return Error{
      Code::unreachable,
      cat(call.server, " redirects to ", head.header("Location"), ", which is not followed"),
      "correct the server in the kubeconfig, or pass --server"};
}

Error choose_words(const CallInfo& call, const RefusedAnswer& answer) {
  const int status = answer.refusal.status;
  switch (status) {
    case 401:
      return unauthenticated(call, answer);
    case 403:
      return forbidden(call, answer);
    case 404:
      return missing(call, answer);
    case 407:
      return at_the_proxy(call);
    case 409:
      return in_the_way(call, answer);
    case 400:
      return undecodable(call, answer);
    case 422:
      return invalid(call, answer);
    default:
      break;
  }
  if (status == 429 || status >= 500) return failing(call, answer);
  return Error{status >= 400 ? Code::refused : Code::error, message_of(call, answer), ""};
}

Error printable(Error error) {
  error.message = printable_line(error.message);
  error.hint = printable_line(error.hint);
  return error;
}

}  // namespace

bool is_permanent(const Refusal& refusal) {
  const std::string& message = refusal.message;
  const bool nameless = contains(message, "/containerLogs/") && contains(message, ": no such host");
  return refusal.status >= 500 && (nameless || is_untrusted_kubelet(message));
}

Error api_error(const CallInfo& call, const net::ResponseHead& head, std::string_view body) {
  if (head.status >= 300 && head.status < 400) return printable(redirected(call, head));
  return printable(choose_words(call, read_answer(call.method, head, body)));
}

Error status_error(const CallInfo& call, const Json& status) {
  RefusedAnswer answer;
  answer.status = status;
  answer.refusal = read_status(status);
  return printable(choose_words(call, answer));
}

}  // namespace trainctl::kube
