// A scripted server, from YAML to exchanges; tests/cases/README.md describes the fields.
#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "net/url.h"
#include "support/fake_transport.h"

namespace trainctl::testing {
namespace {

constexpr std::array<std::string_view, 14> k_fields = {
    "request", "body",   "status", "reply",     "items",  "text",     "headers",
    "lines",   "events", "end",    "end-after", "repeat", "protocol", "messages"};

Error bad(std::string_view what) {
  return Error{Code::usage, std::string(what), ""};
}

// "0.5s", or a bare number of seconds.
Result<Duration> read_duration(const Json& value) {
  return parse_duration(value.is_string() ? value.get<std::string>() : dump(value));
}

Result<Duration> duration_at(const Json& item, const std::string& field) {
  if (!item.contains(field)) return Duration::zero();
  return read_duration(item.at(field));
}

// That of a failure is in its reply.
int status_of(const Json& item) {
  const bool is_failure = text_at(item, "/reply/kind") == "Status";
  const auto code = is_failure ? int_at(item, "/reply/code") : std::nullopt;
  return static_cast<int>(int_at(item, "/status").value_or(code.value_or(200)));
}

Status read_request(const Json& item, Exchange& exchange) {
  const std::string request = text_at(item, "/request");
  Halves line = split_once(request, ' ');
  if (request.starts_with('/')) line = {"GET", request, true};
  if (!line.second.starts_with('/')) return bad(cat("'", request, "' is not `METHOD /path?query`"));

  const Halves target = split_once(line.second, '?');
  exchange.method = line.first;
  exchange.path = net::percent_decoded(target.first);
  if (!target.found) return {};
  for (const std::string& pair : split(target.second, '&')) {
    const Halves parts = split_once(pair, '=');
    exchange.query.emplace_back(net::percent_decoded(parts.first),
                                net::percent_decoded(parts.second));
  }
  return {};
}

void add_content_type(Exchange& exchange, std::string_view type) {
  const net::ResponseHead head{exchange.status, exchange.headers};
  if (!head.header("Content-Type").empty()) return;
  exchange.headers.push_back({"Content-Type", std::string(type)});
}

void read_headers(const Json& item, Exchange& exchange) {
  for (const auto& [name, value] : object_at(item, "/headers").items()) {
    const Json values = value.is_array() ? value : Json::array({value});
    for (const Json& one : values) {
      exchange.headers.push_back({name, one.is_string() ? one.get<std::string>() : dump(one)});
    }
  }
}

// "0.5s TEXT", or {after, text, raw}.
Result<Exchange::Chunk> read_log_line(const Json& line) {
  Exchange::Chunk chunk;
  if (line.is_string()) {
    const Halves parts = split_once(line.get<std::string>(), ' ');
    TRY_ASSIGN(chunk.after, parse_duration(parts.first));
    chunk.data = parts.second + '\n';
    chunk.stamped = true;
    return chunk;
  }
  if (!line.is_object()) return bad("a log line is `DURATION TEXT` or {after, text, raw}");
  TRY_ASSIGN(chunk.after, duration_at(line, "after"));
  chunk.stamped = !true_at(line, "/raw");
  chunk.data = text_at(line, "/text") + (chunk.stamped ? "\n" : "");
  return chunk;
}

Status read_answer(const Json& item, Exchange& exchange) {
  if (item.contains("reply")) {
    add_content_type(exchange, "application/json");
    exchange.chunks.push_back({{}, dump(item.at("reply"))});
  }
  if (item.contains("text")) {
    add_content_type(exchange, "text/plain");
    exchange.chunks.push_back({{}, text_at(item, "/text")});
  }
  if (item.contains("lines")) add_content_type(exchange, "text/plain");
  for (const Json& line : array_at(item, "/lines")) {
    TRY_ASSIGN(const Exchange::Chunk chunk, read_log_line(line));
    exchange.chunks.push_back(chunk);
  }
  if (!item.contains("events")) return {};
  add_content_type(exchange, "application/json");
  exchange.ending = "never";
  for (const Json& event : array_at(item, "/events")) {
    TRY_ASSIGN(const Duration after, duration_at(event, "after"));
    const Json change = {{"type", text_at(event, "/type")},
                         {"object", object_at(event, "/object")}};
    exchange.chunks.push_back({after, dump(change) + '\n'});
  }
  return {};
}

// {send: [1, TEXT]}, {await: [0, TEXT]}; a mapping instead of a text is sent as JSON.
Result<SocketScript::Step> read_step(const Json& item) {
  SocketScript::Step step;
  TRY_ASSIGN(step.after, duration_at(item, "after"));
  step.awaits = item.contains("await");
  const Json& content = array_at(item, step.awaits ? "/await" : "/send");
  if (content.size() != 2 || !content[0].is_number()) {
    return bad("a message is {send: [CHANNEL, TEXT]} or {await: [CHANNEL, TEXT]}");
  }
  step.channel = content[0].get<int>();
  step.text = content[1].is_string() ? content[1].get<std::string>() : dump(content[1]);
  return step;
}

Status read_socket(const Json& item, SocketScript& script) {
  script.protocol = text_at(item, "/protocol");
  for (const Json& message : array_at(item, "/messages")) {
    TRY_ASSIGN(SocketScript::Step step, read_step(message));
    script.steps.push_back(std::move(step));
  }
  return {};
}

Status read_ending(const Json& item, Exchange& exchange) {
  TRY_ASSIGN(exchange.ends_after, duration_at(item, "end-after"));
  if (!item.contains("end")) return {};
  const std::string ending = text_at(item, "/end");
  constexpr std::array<std::string_view, 4> k_endings = {"clean", "reset", "refused", "never"};
  if (std::count(k_endings.begin(), k_endings.end(), ending) == 0) {
    return bad("`end` is clean, reset, refused or never");
  }
  exchange.ending = ending == "clean" ? "" : ending;
  return {};
}

// NAME is {object: NAME}.
Json reference_to(const Json& value) {
  return value.is_string() ? Json{{"object", value}} : value;
}

// The answer to a request for all objects of a kind.
Json list_of(const Json& items) {
  Json list = {
      {"kind", "List"}, {"metadata", {{"resourceVersion", "8"}}}, {"items", Json::array()}};
  for (const Json& item : items) list["items"].push_back(reference_to(item));
  return list;
}

// {after, type, object: NAME, …}: what differs from the object stands beside it.
Json event_of(const Json& event) {
  if (!event.contains("object") || !event.at("object").is_string()) return event;
  Json full = {{"object", event}};
  for (const char* member : {"after", "type"}) {
    if (event.contains(member)) full[member] = event.at(member);
    full["object"].erase(member);
  }
  return full;
}

// The exchange with its named objects as they are sent.
Result<Json> spelled_out(Json item, const NamedObjects& objects) {
  if (item.contains("items")) item["reply"] = list_of(array_at(item, "/items"));
  if (item.contains("reply")) item["reply"] = reference_to(item["reply"]);
  if (item.contains("events") && item["events"].is_array()) {
    for (Json& event : item["events"]) event = event_of(event);
  }
  return objects.resolved(item);
}

Result<Exchange> read_exchange(const Json& given, const NamedObjects& objects) {
  if (!given.is_object()) return bad("not a mapping");
  TRY_ASSIGN(const Json item, spelled_out(given, objects));
  for (const auto& field : item.items()) {
    if (std::count(k_fields.begin(), k_fields.end(), field.key()) == 0) {
      return bad(cat("unknown field '", field.key(), "'"));
    }
  }
  Exchange exchange;
  TRY(read_request(item, exchange));
  if (item.contains("body")) exchange.body = item.at("body");
  exchange.repeat = true_at(item, "/repeat");
  exchange.status = status_of(item);
  read_headers(item, exchange);
  TRY(read_answer(item, exchange));
  TRY(read_socket(item, exchange.socket));
  TRY(read_ending(item, exchange));
  return exchange;
}

}  // namespace

Result<std::vector<Exchange>> read_exchanges(std::string_view yaml, std::string_view name) {
  TRY_ASSIGN(const Json list, from_yaml(yaml, name));
  return read_exchanges(list, name, {});
}

Result<std::vector<Exchange>> read_exchanges(const Json& list, std::string_view name,
                                             const NamedObjects& objects) {
  if (!list.is_array()) return bad(cat(name, ": not a list of exchanges"));
  std::vector<Exchange> exchanges;
  for (const Json& item : list) {
    auto exchange = read_exchange(item, objects);
    if (!exchange) {
      return in_context(cat(name, ": exchange ", exchanges.size() + 1), exchange.error());
    }
    exchanges.push_back(*std::move(exchange));
  }
  return exchanges;
}

}  // namespace trainctl::testing
