// Untrusted text on a terminal: what it may keep, and where it is cut.
#include "base/text/terminal_text.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/yaml.h"
#include "support/fakes.h"

namespace terminal_text_test {

using namespace trainctl;

TEST_CASE("a log line keeps its colours on a terminal and cannot drive it") {
  CHECK(terminal_safe("epoch 1\tloss 0.5\n") == "epoch 1\tloss 0.5\n");
  CHECK(terminal_safe("\x1b[1;32mok\x1b[0m done") == "\x1b[1;32mok\x1b[0m done");
  CHECK(terminal_safe("\x1b[31mred") == "\x1b[31mred\x1b[0m");
  CHECK(terminal_safe("\x1b[2J\x1b]0;title\x07") == "?[2J?]0;title?");
  CHECK(terminal_safe("\x9b"
                      "2J") == "?2J");
  CHECK(terminal_safe("10%\r20%") == "10% 20%");
  CHECK(terminal_safe("\x1b[31") == "?[31");
  CHECK(terminal_safe("\xE8\xAE\xAD") == "\xE8\xAE\xAD");
}

TEST_CASE("parts of a line are shown in inverse video, whatever its colours") {
  const auto marked = [](std::string_view places) {
    std::vector<bool> marks;
    for (const char place : places) marks.push_back(place == 'x');
    return marks;
  };
  CHECK(inverted("abc", marked("...")) == "abc");
  CHECK(inverted("abc", marked(".x.")) == "a\x1b[7mb\x1b[27mc");
  CHECK(inverted("abc", marked("xxx")) == "\x1b[7mabc\x1b[27m");
  CHECK(inverted("\x1b[32mab\x1b[0mc", marked(".xx")) ==
        "\x1b[32ma\x1b[7mb\x1b[0m\x1b[7mc\x1b[27m");
  CHECK(inverted("", {}).empty());
}

TEST_CASE("no text reorders its line on a terminal, nor brings a control of eight bits") {
  // ALM, LRM, RLM, LRE to RLO, LRI to PDI; the last two are CSI and OSC as code points.
  for (const char* hostile :
       {"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066",
        "\u2067", "\u2068", "\u2069", "\xC2\x9B", "\xC2\x9D"}) {
    const std::string text = std::string("loss ") + hostile + "0.5";
    CHECK(terminal_safe(text) == "loss ?0.5");
    CHECK(terminal_safe_line(text) == "loss ?0.5");
    CHECK(printable_line(text) == "loss ?0.5");
  }
}

TEST_CASE("data on a terminal cannot drive it, and keeps its value") {
  const Json value = {{"message",
                       "a\u202Eb\xC2\x9B"
                       "2J\x7f\u061C\n\u8BAD"},
                      {"\u2066key", "x"}};
  for (const std::string& text : {dump(value, 2), to_yaml(value)}) {
    const std::string safe = terminal_safe_json(text);
    CHECK(terminal_safe(safe) == safe);
    CHECK(*from_yaml(safe, "report") == value);
    CHECK(safe.find("\u8BAD") != std::string::npos);
  }
}

TEST_CASE("a line that is cut to a terminal's width says so and loses no colour's end") {
  CHECK(shortened("Pending", 7) == "Pending");
  CHECK(shortened("Pending", 6) == "Pendi\u2026");
  CHECK(shortened("Pending", 1) == "\u2026");
  CHECK(shortened("\x1b[36mRunning\x1b[0m", 7) == "\x1b[36mRunning\x1b[0m");
  CHECK(shortened("\x1b[36mRunning\x1b[0m", 3) == "\x1b[36mRu\u2026\x1b[0m");
  CHECK(shortened("\xE8\xAE\xAD\xE7\xBB\x83", 3) == "\xE8\xAE\xAD\u2026");
}

TEST_CASE("a text that is cut in the middle keeps both of its ends") {
  CHECK(shortened_middle("registry/ddp:1", 14) == "registry/ddp:1");
  CHECK(shortened_middle("registry/ddp:1", 9) == "regi\u2026dp:1");
  CHECK(shortened_middle("registry/ddp:1", 1) == "\u2026");
  CHECK(shortened_middle("\xE8\xAE\xAD\xE7\xBB\x83\xE8\xAE\xAD", 4) == "\xE8\xAE\xAD\u2026");
}

}  // namespace terminal_text_test

namespace terminal_text_test {

using namespace trainctl;

TEST_CASE("15.4: a line that GitHub's runner would obey is plain words, behind any white space") {
  const auto safe = [](std::string_view text) {
    return without_ci_commands(CiSystem::github, text);
  };
  CHECK(safe("::set-output name=pwn::1") == ": :set-output name=pwn::1");
  CHECK(safe("  \t::stop-commands::x\n::add-mask::y\n") ==
        "  \t: :stop-commands::x\n: :add-mask::y\n");
  CHECK(safe("loss 1\r::error::x") == "loss 1\r: :error::x");
  CHECK(safe("\xc2\xa0::error::x") == "\xc2\xa0: :error::x");
  CHECK(safe("epoch 1 ##[error]x ##[group]y") == "epoch 1 ## [error]x ## [group]y");
  CHECK(safe("a::b, std::cout, # [x]") == "a::b, std::cout, # [x]");
}

TEST_CASE("15.4: a command does not come together from two pieces of a long line") {
  for (const std::string_view rest : {"[error]x", "#[error]x", ":set-output::x"}) {
    CHECK(continued_without_ci_commands(CiSystem::github, rest) == " " + std::string(rest));
  }
  CHECK(continued_without_ci_commands(CiSystem::github, "more") == "more");
}

TEST_CASE("15.4: JSON keeps its value while no letter of it is a command") {
  const std::string text = R"({"line":"##[error]x"})";
  const std::string safe = json_without_ci_commands(CiSystem::github, text);
  CHECK(safe.find("##[") == std::string::npos);
  CHECK(*parse_json(safe, "record") == *parse_json(text, "record"));
}

TEST_CASE("15.4: YAML keeps its value, too, wherever a mark stands") {
  const Json value = {{"##[a]", "##[error]x"},
                      {"text", "one\n::error::x\n ##[group]y\n\\##[z]"},
                      {"list", {"::stop-commands::x", "##", "["}},
                      {std::string(200, '#') + "[", {{"::a", "::b"}}}};
  const std::string safe = json_without_ci_commands(CiSystem::github, to_yaml(value));
  CHECK(safe.find("##[") == std::string::npos);
  CHECK(without_ci_commands(CiSystem::github, safe) == safe);
  CHECK(*from_yaml(safe, "report") == value);
}

TEST_CASE("15.4: a command that Azure's agent would obey is plain words, wherever it stands") {
  struct Row {
    std::string_view text, safe, json;
  };
  const std::vector<Row> rows = {
      {"##vso[task.setvariable variable=A]x", "##vso [task.setvariable variable=A]x",
       "##vso\\u005btask.setvariable variable=A]x"},
      {"step 1 ##vso[task.complete]", "step 1 ##vso [task.complete]",
       "step 1 ##vso\\u005btask.complete]"},
      {"##[error]x ##[group]y", "## [error]x ## [group]y", "##\\u005berror]x ##\\u005bgroup]y"},
      {"##vso ##vs [x] #[y]", "##vso ##vs [x] #[y]", "##vso ##vs [x] #[y]"},
      {"::error::x", "::error::x", "::error::x"}};
  for (const CiSystem system : {CiSystem::azure, CiSystem::plain}) {
    for (const Row& row : rows) {
      CHECK(without_ci_commands(system, row.text) == row.safe);
      CHECK(json_without_ci_commands(system, std::string(row.text)) == row.json);
    }
    for (const std::string_view rest : {"#vso[x.y]", "vso[x.y]", "o[x.y]", "[x.y]", "#[group]"}) {
      CHECK(continued_without_ci_commands(system, rest).starts_with(' '));
    }
    CHECK(continued_without_ci_commands(system, "more") == "more");
  }
  CHECK(without_ci_commands(CiSystem::none, "##vso[x.y]") == "##vso[x.y]");
}

TEST_CASE("15.4: a section that GitLab would fold is plain words, wherever it stands in a line") {
  const auto safe = [](std::string_view text) {
    return without_ci_commands(CiSystem::gitlab, text);
  };
  CHECK(safe("\x1b[0Ksection_start:1700000000:pwn\r\x1b[0Khidden") ==
        "\x1b[0Ksection_start :1700000000:pwn\r\x1b[0Khidden");
  CHECK(safe("loss 1 section_end:1700000000:pwn\rx section_start:1:a\r") ==
        "loss 1 section_end :1700000000:pwn\rx section_start :1:a\r");
  CHECK(safe("::error::x ##[error]x section_started") == "::error::x ##[error]x section_started");
  CHECK(without_ci_commands(CiSystem::plain, "section_end:1:a\r") == "section_end:1:a\r");
}

TEST_CASE("15.4: a section does not come together from two pieces of a long line") {
  for (const std::string_view mark : {"section_start:", "section_end:"}) {
    for (std::size_t at = 1; at < mark.size(); ++at) {
      const std::string rest = std::string(mark.substr(at)) + "1:pwn\r";
      CHECK(continued_without_ci_commands(CiSystem::gitlab, rest) == " " + rest);
    }
  }
  CHECK(continued_without_ci_commands(CiSystem::gitlab, ": more of it") == " : more of it");
  CHECK(continued_without_ci_commands(CiSystem::gitlab, "more") == "more");
}

TEST_CASE("rows and a status line on a terminal hold no command to GitHub's runner") {
  testing::BufferConsole console;
  console.out_is_tty = console.err_is_tty = console.redraws = true;
  console.ci = CiSystem::github;
  CHECK(console.put_rows("::error::x   Running\n"));
  console.unpin();
  console.set_status("##[error]x");
  CHECK(console.stdout_text.find("::error") == std::string::npos);
  CHECK(console.stderr_text.find("##[error") == std::string::npos);
  CHECK(console.stderr_text.find("[error]x") != std::string::npos);
}

}  // namespace terminal_text_test

// The output of a training program must not set variables of the workflow that runs it.
