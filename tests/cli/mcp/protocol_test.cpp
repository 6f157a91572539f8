// Requests of a client of the Model Context Protocol, and their answers.
#include "cli/mcp/protocol.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/mcp/line_reader.h"

namespace trainctl::cli::mcp {
namespace protocol_test {

constexpr const char* k_meta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"C","version":"1"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";

Conversation conversation() {
  Served served;
  served.version = "9.9";
  served.instructions = "be kind";
  served.tools = Json::array({{{"name", "look"}}});
  served.call = [](const ToolCall& call) -> ToolOutcome {
    if (call.tool == "look") return ToolResult{"seen", Json{{"seen", call.arguments}}, false};
    if (call.tool == "fail") return ToolResult{"no", nullptr, true};
    if (call.tool != "change") return UnknownTool{};
    if (call.era == Era::stateless && !call.can_ask) return CannotAsk{};
    if (call.state.empty()) return Question{"Delete?", "S1"};
    return ToolResult{cat(call.state, call.agreed ? " agreed" : " declined"), nullptr, false};
  };
  return Conversation(std::move(served));
}

Json stateless(const std::string& method, const std::string& params = "") {
  const std::string line = cat(R"({"jsonrpc":"2.0","id":"a","method":")", method, R"(","params":{)",
                               params, params.empty() ? "" : ",", k_meta, "}}");
  return Json::parse(conversation().answer(line));
}

// A member of the answer to a request of an initialised session.
Json in_session(const std::string& method, const std::string& params = "{}") {
  Conversation open = conversation();
  open.answer(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  CHECK(open.answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})").empty());
  return Json::parse(open.answer(
      cat(R"({"jsonrpc":"2.0","id":7,"method":")", method, R"(","params":)", params, "}")));
}

TEST_CASE("mcp: a client of 2026 discovers, lists and calls without a session") {
  const Json found = stateless("server/discover");
  CHECK(text_at(found, "/id") == "a");
  CHECK(text_at(found, "/result/resultType") == "complete");
  CHECK(text_at(found, "/result/supportedVersions/0") == "2026-07-28");
  CHECK(text_at(found, "/result/instructions") == "be kind");
  CHECK(find(found, "/result/capabilities/tools") != nullptr);
  const Json list = stateless("tools/list");
  CHECK(text_at(list, "/result/tools/0/name") == "look");
  CHECK(text_at(list, "/result/cacheScope") == "public");
  const Json called = stateless("tools/call", R"("name":"look","arguments":{"job":"ddp"})");
  CHECK(text_at(called, "/result/resultType") == "complete");
  CHECK(text_at(called, "/result/content/0/text") == "seen");
  CHECK(text_at(called, "/result/structuredContent/seen/job") == "ddp");
  CHECK_FALSE(true_at(called, "/result/isError"));
  CHECK(true_at(stateless("tools/call", R"("name":"fail")"), "/result/isError"));
}

TEST_CASE("mcp: a client of 2025 initialises, pings, lists and calls, with no field of 2026") {
  const Json opened = Json::parse(conversation().answer(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"));
  CHECK(text_at(opened, "/result/protocolVersion") == "2025-11-25");
  CHECK(text_at(opened, "/result/serverInfo/version") == "9.9");
  CHECK(dump(in_session("ping")) == R"({"jsonrpc":"2.0","id":7,"result":{}})");
  CHECK(dump(in_session("tools/list")) ==
        R"({"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"look"}]}})");
  const Json called = in_session("tools/call", R"({"name":"look"})");
  CHECK(text_at(called, "/result/content/0/text") == "seen");
  CHECK(find(called, "/result/resultType") == nullptr);
}

TEST_CASE("mcp: a client of another version gets the newest that has sessions") {
  const auto version_for = [](const std::string& asked) {
    return text_at(
        Json::parse(conversation().answer(
            cat(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":")",
                asked, R"("}})"))),
        "/result/protocolVersion");
  };
  CHECK(version_for("2025-06-18") == "2025-06-18");
  CHECK(version_for("2024-11-05") == "2025-11-25");
  CHECK(version_for("2031-01-01") == "2025-11-25");
}

TEST_CASE("mcp: what is wrong with a line decides the code of its error") {
  const std::string v = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
  const std::string c = R"("io.modelcontextprotocol/clientInfo":{"name":"C"})";
  const std::string a = R"("io.modelcontextprotocol/clientCapabilities":{})";
  const auto with = [](const std::string& meta, const std::string& method = "tools/list",
                       const std::string& more = "") {
    return cat(R"({"jsonrpc":"2.0","id":1,"method":")", method, R"(","params":{)", more,
               R"("_meta":{)", meta, "}}}");
  };
  const std::pair<std::string, int> rows[] = {
      {"{", -32700},
      {"\xff\xfe", -32700},
      {"[]", -32600},
      {"[{}]", -32600},
      {"17", -32600},
      {"null", -32600},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1})", -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"initialize"})", -32602},
      {with(""), -32602},
      {with(v), -32602},
      {with(cat(v, ",", c)), -32602},
      {with(cat(c, ",", a)), -32602},
      {with(R"("io.modelcontextprotocol/protocolVersion":"2027-01-01")"), -32022},
      {with(cat(v, ",", c, ",", a), "ping"), -32601},
      {with(cat(v, ",", c, ",", a), "initialize"), -32601},
      {with(cat(v, ",", c, ",", a), "resources/list"), -32601},
      {with(cat(v, ",", c, ",", a), "tools/list", R"("cursor":"2",)"), -32602},
      {with(cat(v, ",", c, ",", a), "tools/call"), -32602},
      {with(cat(v, ",", c, ",", a), "tools/call", R"("name":"none",)"), -32602},
      {with(cat(v, ",", c, ",", a), "tools/call", R"("name":"look","arguments":[],)"), -32602},
      {with(cat(v, ",", c, ",", a), "tools/call", R"("name":"change",)"), -32021},
  };
  for (const auto& [line, code] : rows) {
    CAPTURE(line);
    CHECK(int_at(Json::parse(conversation().answer(line)), "/error/code") == code);
  }
  CHECK(int_at(in_session("server/discover"), "/error/code") == -32601);
  CHECK(int_at(Json::parse(too_long_answer()), "/error/code") == -32600);
}

TEST_CASE("mcp: an error does not repeat a name of 1 MB") {
  const std::string name(1 << 20, 'x');
  CHECK(dump(stateless(name)).size() < 1000);
  CHECK(dump(stateless("tools/call", cat(R"("name":")", name, "\""))).size() < 1000);
}

TEST_CASE("mcp: an unknown version is answered with those that are spoken") {
  const Json error = Json::parse(conversation().answer(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"X"}}})"));
  CHECK(dump(*find(error, "/error/data")) ==
        R"({"supported":["2026-07-28","2025-11-25"],"requested":"X"})");
}

TEST_CASE("mcp: null is taken for what a client leaves out") {
  CHECK(find(in_session("ping", "null"), "/result") != nullptr);
  CHECK(find(in_session("tools/list", "null"), "/result/tools") != nullptr);
  CHECK(find(in_session("tools/list", R"({"cursor":null})"), "/result/tools") != nullptr);
  for (const char* arguments : {"null", R"({"job":null})"}) {
    const Json called =
        in_session("tools/call", cat(R"({"name":"look","arguments":)", arguments, "}"));
    CHECK(dump(*find(called, "/result/structuredContent/seen")) == "{}");
  }
}

TEST_CASE("mcp: notifications, answers and empty lines get no answer") {
  for (const std::string line :
       {R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
        R"({"jsonrpc":"2.0","method":"notifications/none"})",
        R"({"jsonrpc":"2.0","id":1,"result":{}})", R"({"jsonrpc":"2.0","id":1,"error":{}})", "",
        "  \r"}) {
    CAPTURE(line);
    CHECK(conversation().answer(line).empty());
  }
}

TEST_CASE("mcp: a change asks the user, and the repeated call brings the answer") {
  const Json asked = stateless("tools/call", R"("name":"change")");
  CHECK(text_at(asked, "/result/resultType") == "input_required");
  CHECK(text_at(asked, "/result/requestState") == "S1");
  CHECK(text_at(asked, "/result/inputRequests/ok/method") == "elicitation/create");
  CHECK(text_at(asked, "/result/inputRequests/ok/params/message") == "Delete?");
  const auto answered = [](const std::string& response) {
    return text_at(
        stateless("tools/call",
                  cat(R"("name":"change","requestState":"S1","inputResponses":)", response)),
        "/result/content/0/text");
  };
  CHECK(answered(R"({"ok":{"action":"accept","content":{"go":true}}})") == "S1 agreed");
  CHECK(answered(R"({"ok":{"action":"accept","content":{"go":false}}})") == "S1 declined");
  CHECK(answered(R"({"ok":{"action":"accept","content":{"go":"true"}}})") == "S1 declined");
  CHECK(answered(R"({"ok":{"action":"decline","content":{"go":true}}})") == "S1 declined");
  CHECK(answered("{}") == "S1 declined");
}

TEST_CASE("mcp: a cancellation is of one request") {
  const std::string line =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}})";
  CHECK(cancelled_request(line) == "a");
  CHECK(cancelled_request(R"({"notifications/cancelled":1})").is_null());
}

TEST_CASE("mcp: lines come in pieces, and one above 1 MiB is skipped to its end") {
  LineReader reader;
  reader.add("ab");
  CHECK_FALSE(reader.has_line());
  reader.add("c\nd\n\ne");
  CHECK(reader.next()->text == "abc");
  CHECK(reader.next()->text == "d");
  CHECK(reader.next()->text.empty());
  CHECK_FALSE(reader.next().has_value());
  for (int piece = 0; piece < 40; ++piece) reader.add(std::string(1 << 16, 'x'));
  reader.add("\nafter\n");
  const auto skipped = reader.next();
  CHECK(skipped->too_long);
  CHECK(skipped->text.empty());
  CHECK(reader.next()->text == "after");
  CHECK_FALSE(reader.is_full());
  for (int line = 0; line < 5000; ++line) reader.add("\n");
  CHECK(reader.is_full());
}

}  // namespace protocol_test
}  // namespace trainctl::cli::mcp
