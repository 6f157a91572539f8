#include "cli/mcp/protocol.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl::cli::mcp {
namespace {

constexpr std::string_view k_stateless_version = "2026-07-28";
// The newest first: a client that asks for an unknown version gets this one.
constexpr std::array<std::string_view, 2> k_session_versions = {"2025-11-25", "2025-06-18"};

constexpr std::string_view k_version_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view k_client_key = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view k_abilities_key = "io.modelcontextprotocol/clientCapabilities";

constexpr int k_parse_error = -32700;
constexpr int k_invalid_request = -32600;
constexpr int k_unknown_method = -32601;
constexpr int k_invalid_params = -32602;
constexpr int k_missing_capability = -32021;
constexpr int k_unknown_version = -32022;

constexpr long k_discovery_ms = 3'600'000;
constexpr long k_tools_ms = 300'000;

Json error_of(int code, std::string_view message, Json data = nullptr) {
  Json error = {{"code", code}, {"message", std::string(message)}};
  if (!data.is_null()) error["data"] = std::move(data);
  return Json{{"error", std::move(error)}};
}

// The beginning of a name that the client has chosen: its errors must not grow with its requests.
std::string quoted_name(std::string_view name) {
  constexpr int k_columns = 80;
  return shortened(printable_line(name), k_columns);
}

Json result_of(Json result) {
  return Json{{"result", std::move(result)}};
}

// Puts the envelope around a result or an error.
std::string framed(Json id, Json answer) {
  Json line = {{"jsonrpc", "2.0"}, {"id", std::move(id)}};
  line.update(answer);
  return dump(line);
}

const Json* member_of(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

// Several clients send null for what they leave out.
const Json* given_member(const Json& object, std::string_view key) {
  const Json* member = member_of(object, key);
  return member == nullptr || member->is_null() ? nullptr : member;
}

bool has_member(const Json& object, std::string_view key) {
  return member_of(object, key) != nullptr;
}

Json server_info(const std::string& version) {
  return Json{{"name", "trainctl"}, {"title", "trainctl"}, {"version", version}};
}

bool is_id(const Json& value) {
  return value.is_string() || value.is_number_integer();
}

// A request of the newer era names its version, its client and what that can do, in every message.
bool speaks_statelessly(const Json& meta) {
  return has_member(meta, k_version_key) || has_member(meta, k_client_key) ||
         has_member(meta, k_abilities_key);
}

// The error of the `_meta` of a request of the newer era; nullopt when there is none.
std::optional<Json> fault_of_meta(const Json& meta) {
  const Json* version = member_of(meta, k_version_key);
  const auto missing = [](std::string_view key) {
    return error_of(k_invalid_params, cat("_meta needs ", key));
  };
  if (version == nullptr || !version->is_string()) return missing(k_version_key);
  if (*version != std::string(k_stateless_version)) {
    return error_of(k_unknown_version, "Unsupported protocol version",
                    {{"supported", {k_stateless_version, k_session_versions.front()}},
                     {"requested", *version}});
  }
  const Json* client = member_of(meta, k_client_key);
  if (client == nullptr || !client->is_object()) return missing(k_client_key);
  const Json* abilities = member_of(meta, k_abilities_key);
  if (abilities == nullptr || !abilities->is_object()) return missing(k_abilities_key);
  return std::nullopt;
}

Json content_of(const std::string& text) {
  return Json::array({{{"type", "text"}, {"text", text}}});
}

Json tool_result(ToolResult result, Era era) {
  Json answer = Json::object();
  if (era == Era::stateless) answer["resultType"] = "complete";
  answer["content"] = content_of(result.text);
  if (!result.structured.is_null()) answer["structuredContent"] = std::move(result.structured);
  answer["isError"] = result.is_error;
  return result_of(std::move(answer));
}

Json question_to_user(const Question& question) {
  Json schema = {{"type", "object"},
                 {"properties", {{"go", {{"type", "boolean"}, {"title", "Go ahead"}}}}},
                 {"required", Json::array({"go"})}};
  Json form = {
      {"mode", "form"}, {"message", question.message}, {"requestedSchema", std::move(schema)}};
  Json asked = {{"method", "elicitation/create"}, {"params", std::move(form)}};
  return result_of({{"resultType", "input_required"},
                    {"inputRequests", {{"ok", std::move(asked)}}},
                    {"requestState", question.state}});
}

Json outcome_of(ToolOutcome outcome, const ToolCall& call) {
  if (std::holds_alternative<NoAnswer>(outcome)) return nullptr;
  if (auto* result = std::get_if<ToolResult>(&outcome))
    return tool_result(std::move(*result), call.era);
  if (const auto* question = std::get_if<Question>(&outcome)) return question_to_user(*question);
  if (std::holds_alternative<CannotAsk>(outcome)) {
    return error_of(k_missing_capability, cat(call.tool, " needs a client that can ask its user"),
                    {{"requiredCapabilities", {{"elicitation", Json::object()}}}});
  }
  return error_of(k_invalid_params, cat("Unknown tool: ", quoted_name(call.tool)));
}

// The message of a line; nullopt when it is not JSON.
std::optional<Json> message_of(std::string_view line) {
  auto parsed = parse_json(line, "the line");
  if (!parsed) return std::nullopt;
  return std::move(*parsed);
}

bool is_notification(const Json& message) {
  return has_member(message, "method") && !has_member(message, "id");
}

bool is_answer(const Json& message) {
  return !has_member(message, "method") &&
         (has_member(message, "result") || has_member(message, "error"));
}

}  // namespace

struct Conversation::Request {
  std::string method;
  Json id;
  Json params = Json::object();
  Json meta = Json::object();
  Era era = Era::session;
};

Json Conversation::discover() const {
  return result_of(
      {{"resultType", "complete"},
       {"supportedVersions", Json::array({k_stateless_version})},
       {"capabilities", {{"tools", Json::object()}}},
       {"instructions", served_.instructions},
       {"ttlMs", k_discovery_ms},
       {"cacheScope", "public"},
       {"_meta", {{"io.modelcontextprotocol/serverInfo", server_info(served_.version)}}}});
}

Json Conversation::initialize(const Request& request) {
  const std::string asked = text_at(request.params, "/protocolVersion");
  if (asked.empty()) return error_of(k_invalid_params, "initialize needs a protocolVersion");
  initialized_ = true;
  const auto* const known = std::ranges::find(k_session_versions, asked);
  const std::string_view version =
      known == k_session_versions.end() ? k_session_versions.front() : *known;
  return result_of({{"protocolVersion", version},
                    {"capabilities", {{"tools", Json::object()}}},
                    {"serverInfo", server_info(served_.version)},
                    {"instructions", served_.instructions}});
}

Json Conversation::list(const Request& request) const {
  if (given_member(request.params, "cursor") != nullptr)
    return error_of(k_invalid_params, "Unknown cursor: all tools are on one page");
  if (request.era == Era::session) return result_of({{"tools", served_.tools}});
  return result_of({{"resultType", "complete"},
                    {"tools", served_.tools},
                    {"ttlMs", k_tools_ms},
                    {"cacheScope", "public"}});
}

Json Conversation::call(const Request& request) {
  ToolCall call;
  call.tool = text_at(request.params, "/name");
  if (call.tool.empty()) return error_of(k_invalid_params, "tools/call needs the name of a tool");
  if (const Json* arguments = given_member(request.params, "arguments")) {
    if (!arguments->is_object()) return error_of(k_invalid_params, "arguments must be an object");
    for (const auto& [name, value] : arguments->items()) {
      if (!value.is_null()) call.arguments[name] = value;
    }
  }
  call.id = request.id;
  call.era = request.era;
  if (const Json* token = member_of(request.meta, "progressToken"); token && is_id(*token))
    call.progress_token = *token;
  if (request.era == Era::stateless) {
    const Json* abilities = member_of(request.meta, k_abilities_key);
    call.can_ask = abilities != nullptr && has_member(*abilities, "elicitation");
    call.state = text_at(request.params, "/requestState");
    call.agreed = text_at(request.params, "/inputResponses/ok/action") == "accept" &&
                  true_at(request.params, "/inputResponses/ok/content/go");
  }
  return outcome_of(served_.call(call), call);
}

Json Conversation::answer_request(Request& request) {
  if (speaks_statelessly(request.meta)) {
    request.era = Era::stateless;
    if (auto fault = fault_of_meta(request.meta)) return *std::move(fault);
    if (request.method == "server/discover") return discover();
  } else {
    if (request.method == "initialize") return initialize(request);
    if (request.method == "ping") return result_of(Json::object());
    if (!initialized_) {
      return error_of(k_invalid_params,
                      cat("_meta needs ", k_version_key, ", or send initialize first"));
    }
  }
  if (request.method == "tools/list") return list(request);
  if (request.method == "tools/call") return call(request);
  return error_of(k_unknown_method, cat("Unknown method: ", quoted_name(request.method)));
}

std::string Conversation::answer(std::string_view line) {
  if (trim(line).empty()) return "";
  auto message = message_of(line);
  if (!message) return framed(nullptr, error_of(k_parse_error, "Parse error: not a line of JSON"));
  if (is_notification(*message) || is_answer(*message)) return "";
  const Json* id = member_of(*message, "id");
  if (text_at(*message, "/jsonrpc") != "2.0" || id == nullptr || !is_id(*id)) {
    return framed(nullptr,
                  error_of(k_invalid_request, "Invalid request: no message of JSON-RPC 2.0"));
  }
  Request request;
  request.id = *id;
  request.method = text_at(*message, "/method");
  if (request.method.empty())
    return framed(request.id, error_of(k_invalid_request, "Invalid request: no method"));
  if (const Json* params = given_member(*message, "params")) {
    if (!params->is_object())
      return framed(request.id, error_of(k_invalid_params, "params must be an object"));
    request.params = *params;
  }
  request.meta = object_at(request.params, "/_meta");
  Json answered = answer_request(request);
  return answered.is_null() ? "" : framed(std::move(request.id), std::move(answered));
}

std::string too_long_answer() {
  return framed(nullptr, error_of(k_invalid_request, "Invalid request: the line is above 1 MiB"));
}

std::string progress_line(const Json& token, long progress, long total, std::string_view message) {
  return dump({{"jsonrpc", "2.0"},
               {"method", "notifications/progress"},
               {"params",
                {{"progressToken", token},
                 {"progress", progress},
                 {"total", total},
                 {"message", std::string(message)}}}});
}

std::string late_answer(const ToolCall& call, ToolResult result) {
  return framed(call.id, tool_result(std::move(result), call.era));
}

Json cancelled_request(std::string_view line) {
  if (line.find("notifications/cancelled") == std::string_view::npos) return nullptr;
  const auto message = message_of(line);
  if (!message || text_at(*message, "/method") != "notifications/cancelled") return nullptr;
  const Json* cancelled = find(*message, "/params/requestId");
  return cancelled == nullptr ? Json() : *cancelled;
}

}  // namespace trainctl::cli::mcp
