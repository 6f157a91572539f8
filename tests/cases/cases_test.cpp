// Runs every case of tests/cases and compares what comes out byte for byte. UPDATE_GOLDEN=1 writes
// what came out instead.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "cases/golden_case.h"
#include "cases/shell_words.h"
#include "support/case_file.h"

namespace trainctl::testing {
namespace cases_test {

using FileMap = std::map<std::string, std::string>;

// Lines of output, and what stands for those before them: "[...]" or "[12 lines]"; "" = nothing.
struct Piece {
  std::string gap, lines;
};

bool is_gap(const std::string& line) {
  return line == "[...]\n" ||
         (line.starts_with('[') && std::atoi(line.c_str() + 1) > 0 && line.ends_with(" lines]\n"));
}

std::vector<Piece> pieces_of(const std::string& expected) {
  std::vector<Piece> pieces(1);
  std::istringstream lines(expected);
  for (std::string line; std::getline(lines, line);) {
    if (!lines.eof()) line += '\n';
    if (is_gap(line)) {
      pieces.push_back({line, ""});
    } else {
      pieces.back().lines += line;
    }
  }
  return pieces;
}

// Where so many lines from there end.
std::size_t behind_lines(const std::string& text, std::size_t from, int count) {
  for (; count > 0 && from < text.size(); --count) {
    from = std::min(text.find('\n', from), text.size() - 1) + 1;
  }
  return from;
}

// Where the lines stand, from there on and at the start of a line, or npos.
std::size_t find_lines(const std::string& text, const std::string& lines, std::size_t from) {
  std::size_t at = text.find(lines, from);
  while (at != std::string::npos && at > 0 && text[at - 1] != '\n') {
    at = text.find(lines, at + 1);
  }
  return at;
}

// Where the piece stands: the last one at the end, others behind as many lines as they say, or else
// at the next place.
std::size_t find_piece(const std::string& text, const Piece& piece, std::size_t from,
                       bool is_last) {
  const std::string& lines = piece.lines;
  if (is_last && !text.ends_with(lines)) return std::string::npos;
  if (is_last) return find_lines(text, lines, std::max(from, text.size() - lines.size()));
  const std::size_t at = behind_lines(text, from, std::atoi(piece.gap.c_str() + 1));
  return text.compare(at, lines.size(), lines) == 0 ? at : find_lines(text, lines, from);
}

// The expected text, with the numbers of lines that were found, if it fits; otherwise what was
// found.
std::string as_expected(const std::string& found, const std::string& expected) {
  const std::vector<Piece> pieces = pieces_of(expected);
  if (pieces.size() == 1 || !found.starts_with(pieces.front().lines)) return found;
  std::string fitted = pieces.front().lines;
  std::size_t end = fitted.size();
  for (auto piece = pieces.begin() + 1; piece != pieces.end(); ++piece) {
    const std::size_t at = find_piece(found, *piece, end, piece + 1 == pieces.end());
    if (at == std::string::npos) return found;
    const auto count = std::count(found.begin() + end, found.begin() + at, '\n');
    fitted += piece->gap == "[...]\n" ? piece->gap : cat("[", count, " lines]\n");
    fitted += piece->lines;
    end = at + piece->lines.size();
  }
  return fitted;
}

void set_or_remove(CaseFile& file, const char* name, const std::string& content,
                   const std::string& absent) {
  if (content == absent) {
    file.remove(name);
  } else {
    file.set(name, content);
  }
}

void write_case(const CaseFile& file, const std::string& name) {
  const auto text = file.print();
  if (!text) FAIL(text.error().message);
  std::ofstream(path_of_case(name), std::ios::binary) << *text;
}

void rewrite(CaseFile file, const std::string& name, const Outcome& outcome) {
  set_or_remove(file, "stdout", as_expected(outcome.out, file.text("stdout")), "");
  set_or_remove(file, "stderr", as_expected(outcome.err, file.text("stderr")), "");
  set_or_remove(file, "exit", outcome.exit, "0\n");
  if (file.has("history-after")) file.set("history-after", outcome.history);
  for (const auto& [path, content] : file.below("written")) {
    const auto found = outcome.written.find(path);
    if (found == outcome.written.end()) FAIL_CHECK(cat("/", path, " was not written"));
    if (found != outcome.written.end()) {
      file.set(cat("written/", path), as_expected(found->second, content));
    }
  }
  file.set_below("disk-after", outcome.disk);
  write_case(file, name);
}

// Names the files that differ, each with what there is now.
void check_files(const char* folder, const FileMap& found, const FileMap& expected) {
  for (const auto& [path, content] : expected) {
    INFO(cat(folder, "/", path));
    REQUIRE(found.contains(path));
    CHECK(as_expected(found.at(path), content) == content);
  }
  for (const auto& [path, content] : found) {
    CHECK_MESSAGE(expected.contains(path), folder << "/" << path << " is not expected");
  }
}

// Each command line behind "$ " is refused before anything is sent, with what stands below it.
void check_refusals(CaseFile file, const std::string& name) {
  std::string found;
  for (const std::string& line : split(file.text("refusals"), '\n')) {
    if (!line.starts_with("$ ")) continue;
    CAPTURE(line);
    file.set("cmd", line.substr(2));
    const Outcome outcome = GoldenCase(file).run();
    CHECK(outcome.out == "");
    CHECK(outcome.exit == "2\n");
    CHECK(outcome.complaints.empty());
    found += cat(line, '\n', outcome.err);
  }
  if (std::getenv("UPDATE_GOLDEN") == nullptr) {
    CHECK(found == file.text("refusals"));
    return;
  }
  file.set("refusals", found);
  file.remove("cmd");
  write_case(file, name);
}

void check_case(const std::string& name) {
  const CaseFile file = read_case(name);
  if (file.has("refusals")) return check_refusals(file, name);
  const Outcome outcome = GoldenCase(file).run();
  for (const std::string& complaint : outcome.complaints) FAIL_CHECK(complaint);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) return rewrite(file, name, outcome);
  CAPTURE(outcome.out);
  CHECK(as_expected(outcome.out, file.text("stdout")) == file.text("stdout"));
  CHECK(as_expected(outcome.err, file.text("stderr")) == file.text("stderr"));
  CHECK(outcome.exit == (file.has("exit") ? file.text("exit") : "0\n"));
  if (file.has("history-after")) CHECK(outcome.history == file.text("history-after"));
  check_files("written", outcome.written, file.below("written"));
  check_files("disk-after", outcome.disk, file.below("disk-after"));
}

// main.cpp knows its name.
TEST_CASE("every golden case says and sends what it did when a person last read it") {
  REQUIRE(case_names().size() > 40);
  for (const std::string& name : case_names()) {
    SUBCASE(name.c_str()) {
      check_case(name);
    }
  }
}

TEST_CASE("a line [...] of a case stands for any lines, and for nothing else") {
  const auto fit = [](const std::string& found, const std::string& expected) {
    return as_expected(found, expected) == expected;
  };
  for (const char* found : {"a\nb\n", "a\nx\ny\nb\n", "a\nb\nb\n"}) {
    CHECK(fit(found, "a\n[...]\nb\n"));
    CHECK(fit(found, "[...]\n"));
    CHECK(fit(found, "[...]\nb\n[...]\n"));
  }
  for (const char* found : {"", "a\n", "a\nxb\n", "a\nb\nc\n", "a\nb"}) {
    CHECK_FALSE(fit(found, "a\n[...]\nb\n"));
  }
  CHECK_FALSE(fit("b\n", "[...]\nb\n[...]\nb\n"));
}

TEST_CASE("a line [2 lines] of a case stands for two lines, and is corrected") {
  CHECK(as_expected("a\nb\nb\nb\nc\n", "a\n[2 lines]\nb\n[1 lines]\n") ==
        "a\n[2 lines]\nb\n[1 lines]\n");
  CHECK(as_expected("a\nx\nb\n", "a\n[2 lines]\nb\n") == "a\n[1 lines]\nb\n");
  CHECK(as_expected("a\nb\n", "[2 lines]\nb\n") == "[1 lines]\nb\n");
  CHECK(as_expected("a\n", "a\n[2 lines]\nb\n") == "a\n");
}

TEST_CASE("words of a case are those a shell would pass") {
  CHECK(shell_words("trainctl get  -o 'a b'\\\n \"c \\\"d\\\" \\n\" ''") ==
        std::vector<std::string>{"trainctl", "get", "-o", "a b", "c \"d\" \\n", ""});
  CHECK(shell_words("a\\ b\nc") == std::vector<std::string>{"a b", "c"});
  CHECK_FALSE(shell_words("it's"));
}

}  // namespace cases_test
}  // namespace trainctl::testing
