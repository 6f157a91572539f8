// Reads Status objects, or a gateway's answer in their place.
#include "kube/client/refusal.h"

#include "base/text/text.h"
#include "kube/client/answer_json.h"
#include "net/retry_after.h"

namespace trainctl::kube {

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

}  // namespace trainctl::kube
