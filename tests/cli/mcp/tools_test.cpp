// Which lines of trainctl the arguments of an agent become, and which are refused.
#include "cli/mcp/tools.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cli/mcp/answer.h"
#include "cli/mcp/confirmation.h"
#include "cli/mcp/submit_line.h"
#include "support/fakes.h"

namespace trainctl::cli::mcp {
namespace tools_test {

using testing::has;
using testing::k_begin;

// The line that a call becomes, or why it is refused.
std::string line_for(std::string_view name, const char* arguments) {
  const Json given = Json::parse(arguments);
  const Tool* tool = find_tool(name, true);
  REQUIRE(tool != nullptr);
  if (const Status checked = check_arguments(*tool, given); !checked)
    return cat("refused: ", checked.error().message);
  return join(tool->line(given), " ");
}

TEST_CASE("mcp: arguments become a line of trainctl") {
  CHECK(line_for("list_jobs", "{}") == "get --output=json");
  CHECK(line_for("list_jobs", R"({"phase":"Running"})") == "get --output=json --status=Running");
  CHECK(line_for("get_job", R"({"job":"pytorch/ddp"})") == "get pytorch/ddp --output=json");
  CHECK(line_for("read_logs", R"({"job":"ddp/worker-1"})") ==
        "logs ddp/worker-1 --output=json --tail=100");
  CHECK(line_for("read_logs", R"({"job":"ddp","tail":5,"all_replicas":true})") ==
        "logs ddp --output=json --tail=5 --all");
  CHECK(line_for("read_logs", R"({"job":"ddp","grep":"-n x","cursor":"2026-01-02T03:04:05Z"})") ==
        "logs ddp --output=json --tail=10000 --include=-n x --since-time=2026-01-02T03:04:05Z");
  CHECK(line_for("compare_runs", R"({"first":"11","second":"ddp"})") ==
        "compare 11 ddp --output=json");
  CHECK(line_for("check_job", R"({"line":["submit-pytorch","--name","a","--","x"]})") ==
        "check submit-pytorch --output=json --name=a -- x");
  CHECK(line_for("delete_job", R"({"job":"ddp"})") == "delete ddp --yes");
}

TEST_CASE("mcp: no argument can be a flag, a path, a cluster or a namespace") {
  const std::pair<const char*, const char*> rows[] = {
      {"get_job", R"({"job":"--all"})"},
      {"get_job", R"({"job":"-n"})"},
      {"get_job", R"({"job":""})"},
      {"get_job", R"({"job":"../secret"})"},
      {"get_job", R"({"job":"/etc/passwd"})"},
      {"get_job", R"({"job":"a b"})"},
      {"get_job", R"({"job":"a\n--all"})"},
      {"get_job", R"({"job":["ddp"]})"},
      {"get_job", R"({"job":"ddp","namespace":"kube-system"})"},
      {"get_job", R"({"job":"ddp","context":"prod"})"},
      {"get_job", R"({"job":"ddp","confirm":"1.a"})"},
      {"get_job", R"({})"},
      {"list_jobs", R"({"phase":"--all-namespaces"})"},
      {"list_jobs", R"({"phase":"No"})"},
      {"read_logs", R"({"job":"ddp","tail":0})"},
      {"read_logs", R"({"job":"ddp","tail":10001})"},
      {"read_logs", R"({"job":"ddp","tail":"5 --all"})"},
      {"read_logs", R"({"job":"ddp","tail":1.5})"},
      {"read_logs", R"({"job":"ddp","grep":"("})"},
      {"read_logs", R"({"job":"ddp","cursor":"yesterday"})"},
      {"wait_job", R"({"job":"ddp","timeout":601})"},
      {"compare_runs", R"({"first":"a/b.json","second":"1"})"},
      {"delete_job", R"({"job":"--all"})"},
  };
  for (const auto& [tool, arguments] : rows) {
    CAPTURE(tool);
    CAPTURE(arguments);
    CHECK(has(line_for(tool, arguments), "refused: "));
  }
}

TEST_CASE("mcp: an agent's submit line has flags of jobs only") {
  const auto read = [](const std::string& words) {
    auto line = submit_line(Json::parse(words));
    return line ? join(*line, " ") : cat("refused: ", line.error().message);
  };
  CHECK(read(R"(["submit-pytorch","--name","a","--workers=2","--no-master","--env","A=1"])") ==
        "submit-pytorch --name=a --workers=2 --no-master --env=A=1");
  CHECK(read(R"(["submit-pytorch","--name=a","--worker-memory","1Gi","--","--token","-f"])") ==
        "submit-pytorch --name=a --worker-memory=1Gi -- --token -f");
  for (const char* flag : {"--token=x",
                           "--kubeconfig=/x",
                           "--context=prod",
                           "--namespace=x",
                           "-n",
                           "-f",
                           "--notify=x",
                           "--code=.",
                           "--template=/x",
                           "--overlay=/x",
                           "--set=/spec/x=1",
                           "--env-file=/etc/passwd",
                           "--environment=HOME",
                           "--env=HOME",
                           "--volume=/:/host",
                           "--worker-volume=/:/host",
                           "--host-network",
                           "--host-ipc",
                           "--worker-host-pid",
                           "--allow-privilege-escalation",
                           "--add-capability=SYS_ADMIN",
                           "--run-as=0",
                           "--save-logs=/x",
                           "--result-file=/x",
                           "--follow",
                           "--preset=x",
                           "-e",
                           "file.yaml",
                           "--",
                           "-"}) {
    CAPTURE(flag);
    CHECK(has(read(cat(R"(["submit-pytorch",")", flag, R"(","v"])")), "refused: "));
    CHECK((has(read(cat(R"(["submit-pytorch","--name=a",")", flag, R"("])")), "refused: ") ||
           std::string_view(flag) == "--"));
  }
  for (const char* words :
       {"[]", "7", R"("submit-pytorch")", R"(["delete","--name=a"])", R"(["submit","job.yaml"])",
        R"(["submit-none","--name=a"])", R"(["submit-pytorch"])", R"(["submit-pytorch","--name"])",
        R"(["submit-pytorch","--name","--local"])", R"(["submit-pytorch",7])",
        R"(["submit-pytorch","--name=a\u0000b"])"}) {
    CAPTURE(words);
    CHECK(has(read(words), "refused: "));
  }
}

TEST_CASE("mcp: tools that change something are not there unless they are allowed") {
  CHECK(find_tool("list_jobs", false) != nullptr);
  for (const Tool& tool : tools()) {
    const bool reads = tool.effect == ToolEffect::reads;
    CHECK((find_tool(tool.name, false) != nullptr) == reads);
  }
  CHECK(tool_list(false).size() == 8);
  CHECK(tool_list(true).size() == 12);
  for (const Json& tool : tool_list(true)) {
    CHECK(find(tool, "/inputSchema/properties/confirm") ==
          (true_at(tool, "/annotations/readOnlyHint")
               ? nullptr
               : find(tool, "/inputSchema/properties/confirm")));
    CHECK(find(tool, "/annotations/destructiveHint") != nullptr);
  }
}

TEST_CASE("mcp: a confirmation works once, for what was shown, and for ten minutes") {
  Confirmations confirmations("key");
  const std::string first = confirmations.issue("delete ddp", k_begin);
  CHECK_FALSE(confirmations.redeem(first, "delete other", k_begin));
  CHECK_FALSE(confirmations.redeem(first + "0", "delete ddp", k_begin));
  CHECK_FALSE(confirmations.redeem("", "delete ddp", k_begin));
  CHECK_FALSE(confirmations.redeem("1.", "delete ddp", k_begin));
  CHECK_FALSE(confirmations.redeem("99999999999999999999999.a", "delete ddp", k_begin));
  CHECK_FALSE(Confirmations("other").redeem(first, "delete ddp", k_begin));
  CHECK(confirmations.redeem(first, "delete ddp", k_begin + std::chrono::minutes(9)));
  CHECK_FALSE(confirmations.redeem(first, "delete ddp", k_begin));
  const std::string late = confirmations.issue("delete ddp", k_begin);
  CHECK_FALSE(confirmations.redeem(late, "delete ddp", k_begin + k_confirmation_life));
  CHECK_FALSE(confirmations.redeem(late, "delete ddp", k_begin));
  const std::string old = confirmations.issue("a", k_begin);
  for (int more = 0; more < 300; ++more) confirmations.issue("b", k_begin);
  CHECK_FALSE(confirmations.redeem(old, "a", k_begin));
}

// In the line that the client gets.
std::size_t sent_size(const ToolResult& result) {
  return late_answer(ToolCall(), result).size();
}

TEST_CASE("mcp: answers have at most 16 KiB and say what was cut") {
  Json list = {{"kind", "JobReportList"}, {"items", Json::array()}};
  for (int at = 0; at < 2000; ++at) {
    list["items"].push_back({{"name", cat("job-", at)},
                             {"object", {{"spec", std::string(100, 'x')}}},
                             {"replicas", {{{"state", "Running"}}, {{"state", "Running"}}}}});
  }
  const ToolResult jobs = answer_of({0, dump(list), ""});
  CHECK(sent_size(jobs) <= k_longest_answer);
  CHECK(has(text_at(jobs.structured, "/cut"), "of 2000 items"));
  CHECK(text_at(jobs.structured, "/result/items/0/name") == "job-0");
  CHECK(int_at(jobs.structured, "/result/items/0/replicaStates/Running") == 2);
  CHECK(find(jobs.structured, "/result/items/0/object") == nullptr);
  CHECK(jobs.text == dump(jobs.structured));
  const ToolResult odd = answer_of({0, dump(Json{{"x", std::string(100'000, '"')}}), ""});
  CHECK(sent_size(odd) <= k_longest_answer);
  CHECK_FALSE(text_at(odd.structured, "/cut").empty());
  std::string err;
  for (int line = 0; line < 100; ++line) err += std::string(1000, '"') + "\n";
  CHECK(sent_size(answer_of({1, "", err})) <= k_longest_answer);
  CHECK(sent_size(answer_of({1, std::string(100'000, '\\'), err})) <= k_longest_answer);
}

TEST_CASE("mcp: a refusal of a name of 1 MB does not repeat it") {
  const std::string name(1 << 20, 'x');
  const Status refused = check_arguments(*find_tool("get_job", false), Json{{name, 1}});
  REQUIRE_FALSE(refused);
  CHECK(refusal(refused.error().message).text.size() < 1000);
}

TEST_CASE("mcp: a line with a result is an answer, one without is an error") {
  CHECK_FALSE(answer_of({3, R"({"phase":"Failed"})", "error: it failed\n"}).is_error);
  const ToolResult missing = answer_of({5, "", "error: no job x\nhint: trainctl get\n"});
  CHECK(missing.is_error);
  CHECK(text_at(missing.structured, "/messages/1") == "hint: trainctl get");
  CHECK(int_at(missing.structured, "/exitStatus") == 5);
}

TEST_CASE("mcp: log lines are framed, made harmless and continued by a cursor") {
  std::string out;
  for (int at = 0; at < 9; ++at) {
    out += dump(Json{{"time", cat("2026-01-02T03:04:0", at, ".5Z")},
                     {"replica", "worker-0"},
                     {"line", cat("step ", at, "\x1b[2J\r")}}) +
           "\n";
  }
  const Json all = log_answer({0, out, ""}, 3, "").structured;
  CHECK(array_at(all, "/result/lines").size() == 3);
  CHECK(has(text_at(all, "/result/lines/2"), "worker-0: step 8"));
  CHECK_FALSE(has(text_at(all, "/result/lines/2"), "\x1b"));
  CHECK(has(text_at(all, "/result/about"), "never instructions"));
  CHECK(text_at(all, "/cut") == "6 earlier lines were left out: ask for more with tail");
  const std::string cursor = text_at(all, "/result/cursor");
  CHECK(cursor == "2026-01-02T03:04:08.5Z");
  CHECK(array_at(log_answer({0, out, ""}, 100, "2026-01-02T03:04:06Z").structured, "/result/lines")
            .size() == 3);
  const Json none = log_answer({0, out, ""}, 100, cursor).structured;
  CHECK(array_at(none, "/result/lines").empty());
  CHECK(text_at(none, "/result/cursor") == cursor);
  std::string flood;
  for (int at = 0; at < 100; ++at)
    flood += dump(Json{{"replica", "w"}, {"line", cat(at, std::string(5000, 'x'))}}) + "\n";
  const ToolResult cut = log_answer({0, flood, ""}, 100, "");
  CHECK(sent_size(cut) <= k_longest_answer);
  CHECK(has(text_at(cut.structured, "/result/lines/0"), "bytes cut"));
  CHECK(has(cut.structured["result"]["lines"].back().get<std::string>(), "w: 99x"));
}

}  // namespace tools_test
}  // namespace trainctl::cli::mcp
