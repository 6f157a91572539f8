// Each row of docs/features.md is true: its line parses, its case uses it, its scenario exists.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "cases/golden_case.h"
#include "cases/page_tables.h"
#include "cases/shell_words.h"
#include "cli/options/formatter.h"
#include "cli/options/parse.h"
#include "support/all_commands.h"

namespace trainctl::testing {
namespace features_test {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

// The program's own words of a line, without those behind "--".
Words own_words(const std::string& line) {
  Words words = shell_words(line).value_or(Words());
  words.erase(std::find(words.begin(), words.end(), "--"), words.end());
  return words;
}

// The command of a line that reads it as its own: `check submit-pytorch -g 1` is of submit-pytorch.
Words read_words(Words words) {
  const bool wraps = words.size() > 1 && (words[0] == "check" || words[0] == "env") &&
                     words[1].starts_with("submit");
  if (wraps) words.erase(words.begin());
  return words;
}

// A line as its command reads it.
class Line {
 public:
  explicit Line(const Words& words) : words_(words), read_(read_words(words)) {
    REQUIRE_FALSE(read_.empty());
    command_ = all_commands().find(read_.front());
    REQUIRE_MESSAGE(command_ != nullptr, read_.front() << " is no command");
    typed_.args.assign(read_.begin() + 1, read_.end());
    typed_.defined = options::Typed::Defined::each_role;
    parsed_ = std::make_unique<cli::ParsedCommand>(*command_, typed_);
  }

  std::string refusal() {
    const auto asked = parsed_->parse();
    return asked ? "" : asked.error().message;
  }

  const Words& words() const { return words_; }

  // All spellings of the flags that the line gives: {{"--image", "-i"}, …}.
  std::vector<Words> flags() const {
    std::vector<Words> all;
    for (const std::string& word : words_) {
      if (!word.starts_with("--")) continue;
      all.push_back(spellings(split_once(word.substr(2), '=').first));
    }
    return all;
  }

 private:
  Words spellings(const std::string& name) const {
    Words all = {cat("--", name)};
    for (const cli::FlagDoc& flag : cli::flag_docs(parsed_->app())) {
      const bool named =
          std::find(flag.names.begin(), flag.names.end(), all.front()) != flag.names.end();
      if (named && !flag.letter.empty()) all.push_back(flag.letter);
    }
    return all;
  }

  Words words_, read_;
  const cli::Command* command_ = nullptr;
  options::Typed typed_;
  std::unique_ptr<cli::ParsedCommand> parsed_;
};

// "--image", "--image=x", "-i", and "-i" among the letters of "-it".
bool gives(const std::string& word, const std::string& flag) {
  if (flag.starts_with("--")) return word == flag || word.starts_with(cat(flag, '='));
  return word.size() > 1 && word[0] == '-' && word[1] != '-' &&
         word.find(flag[1]) != std::string::npos;
}

bool gives_one_of(const Words& words, const Words& flags) {
  return std::any_of(words.begin(), words.end(), [&flags](const std::string& word) {
    return std::any_of(flags.begin(), flags.end(),
                       [&word](const std::string& flag) { return gives(word, flag); });
  });
}

// The words of a case that make its line another one than `say`; "" = none.
std::string lacking(const Line& say, const Words& shown) {
  const std::string command = say.words().front();
  const bool completes = command == "completion" && shown.at(1) == "__complete";
  // The flags of a job are those of any submit line.
  const bool same = shown.at(1) == command || completes ||
                    (command.starts_with("submit") && shown.at(1).starts_with("submit"));
  if (!same) return command;
  for (const Words& flag : say.flags()) {
    if (!gives_one_of(shown, flag)) return flag.front();
  }
  return "";
}

bool is_case(std::string_view name) {
  return std::filesystem::exists(path_of_case(std::string(name)));
}

std::string scenario_path(std::string_view name) {
  const Halves halves = split_once(name, '/');
  const std::string folder = halves.found ? cat("scenarios-", halves.first) : "scenarios";
  return cat("tests/e2e/", folder, '/', halves.found ? halves.second : halves.first, ".sh");
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The cells of a row.
struct Feature {
  std::string name;
  std::string say;       // without "trainctl"; "" = missing
  std::string shown_by;  // a golden case, or a path from the root of the tree
  std::string scenario;  // "ddp", or "local/gpus" below scenarios-local; "" = none
};

Feature feature_of(const std::vector<std::string>& cells) {
  REQUIRE(cells.size() == 4);
  constexpr std::string_view k_program = "trainctl ";
  const std::string& how = cells[1];
  if (how.starts_with("not yet")) return {cells[0], "", "", ""};
  REQUIRE(how.starts_with(k_program));
  return {cells[0], how.substr(k_program.size()), cells[2], cells[3]};
}

void check_scenario(const Line& say, const Feature& feature) {
  const std::string text = content_of(root_path() / scenario_path(feature.scenario));
  CHECK_FALSE(text.empty());
  // They run the lines of packaging/ci.
  if (feature.scenario.starts_with("ci-")) return;
  const Words words = split(join(split(text, '\n'), " "), ' ');
  for (const Words& flag : say.flags()) {
    CHECK_MESSAGE(gives_one_of(words, flag), feature.scenario << " does not use " << flag.front());
  }
  if (say.flags().empty()) CHECK(text.find(say.words().front()) != std::string::npos);
}

void check_feature(const Feature& feature) {
  CAPTURE(feature.name);
  Line say(own_words(feature.say));
  CHECK(say.refusal() == "");
  if (!feature.scenario.empty()) check_scenario(say, feature);
  if (!is_case(feature.shown_by)) {
    CHECK(fs::exists(root_path() / feature.shown_by));
    return;
  }
  const CaseFile file = read_case(feature.shown_by);
  CHECK(lacking(say, own_words(file.text("cmd"))) == "");
}

TEST_CASE("a user who types a line of the table of features gets what the table promises") {
  std::set<std::string> names;
  int without_case = 0;
  for (const PageTable& area : tables_of_page("docs/features.md")) {
    for (const std::vector<std::string>& cells : area) {
      const Feature feature = feature_of(cells);
      CHECK_MESSAGE(names.insert(feature.name).second, feature.name << " is there twice");
      if (feature.say.empty()) continue;
      check_feature(feature);
      if (!is_case(feature.shown_by)) ++without_case;
    }
  }
  CHECK(names.size() > 100);
  // Packages, start-up time, proxies and programs that are started: no case can show them.
  CHECK(without_case == 6);
}

// The part that the shell leaves to the command before a comment, a pipe, or another command.
std::string first_command(const std::string& line) {
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != 0 || c == '\'' || c == '"') {
      quote = quote == 0 ? c : quote == c ? '\0' : quote;
    } else if (line.compare(at, 2, " #") == 0 ||
               std::string_view("|&<>").find(c) != std::string::npos) {
      return line.substr(0, at);
    }
  }
  return line;
}

// The command lines that a page shows as code, continued lines joined.
std::vector<std::string> command_lines(const fs::path& page) {
  std::vector<std::string> all;
  const std::vector<std::string> lines = split(content_of(page), '\n');
  for (std::size_t at = 0; at < lines.size(); ++at) {
    std::string_view line = lines[at];
    if (!line.starts_with("    ")) continue;
    line = trim(line);
    if (line.starts_with("$ ")) line.remove_prefix(2);
    if (!line.starts_with("trainctl ")) continue;
    std::string whole(line);
    while (whole.ends_with('\\') && at + 1 < lines.size()) {
      whole.pop_back();
      whole += trim(lines[++at]);
    }
    all.push_back(first_command(whole.substr(std::string_view("trainctl ").size())));
  }
  return all;
}

TEST_CASE("every command line that a page of the documentation shows can be typed") {
  std::vector<fs::path> pages = {root_path() / "README.md"};
  for (const auto& entry : fs::directory_iterator(root_path() / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::size_t count = 0;
  for (const fs::path& page : pages) {
    for (const std::string& line : command_lines(page)) {
      const std::string where = cat(page.filename().string(), ": trainctl ", line);
      CAPTURE(where);
      CHECK(Line(own_words(line)).refusal() == "");
      ++count;
    }
  }
  CHECK(count > 90);
}

}  // namespace features_test
}  // namespace trainctl::testing
