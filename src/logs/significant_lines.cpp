// Each line of each log passes here, so that lines without a bar and without HTTP are cheap.
#include "logs/significant_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "logs/last_lines.h"
#include "manifest/secrets.h"

namespace trainctl::job {
namespace {

// " 33%|███▉   | 307/938 [00:01<00:02, 289.04it/s]". The program may print its error behind a bar.
bool is_bar(std::string_view line) {
  const auto bar = line.find("%|");
  if (bar == std::string_view::npos) return false;
  const auto end = line.rfind(']');
  return end == std::string_view::npos || end < bar || trim(line.substr(end + 1)).empty();
}

constexpr std::array<std::string_view, 6> k_methods = {"GET ", "HEAD ",    "POST ",
                                                       "PUT ", "OPTIONS ", "PATCH "};

// Servers and urllib3 quote the request, as "GET /path HTTP/1.1"; httpx quotes the answer.
bool names_request(std::string_view before) {
  const auto quote = before.rfind('"');
  if (quote == std::string_view::npos) return false;
  const std::string_view quoted = before.substr(quote + 1);
  if (quoted.empty()) return before.find("HTTP Request: ") != std::string_view::npos;
  return std::ranges::any_of(k_methods,
                             [quoted](std::string_view one) { return quoted.starts_with(one); });
}

// A status from 400 on may be the reason of the failure.
bool is_passed_request(std::string_view line) {
  constexpr std::string_view k_mark = "HTTP/";
  const auto mark = line.find(k_mark);
  if (mark == std::string_view::npos || !names_request(line.substr(0, mark))) return false;
  const std::string_view answer = line.substr(mark + k_mark.size());
  const auto status = answer.find_first_not_of("0123456789.\" ", 0);
  const std::string_view head = answer.substr(0, status);
  const auto gap = head.find(' ');
  if (gap == std::string_view::npos) return false;
  const std::string_view code = trim(head.substr(gap));
  return !code.empty() && code.front() >= '1' && code.front() <= '3';
}

bool opens_connection(std::string_view line) {
  return line.find("Starting new HTTP") != std::string_view::npos;
}

// A bar returns to the beginning of its line again and again; a line of a terminal does so once.
bool returns_often(std::string_view line) {
  return line.ends_with('\r') && line.find('\r') + 1 < line.size();
}

}  // namespace

bool is_telling(std::string_view line) {
  if (trim(line).empty() || is_bar(line) || returns_often(line)) return false;
  if (line.find("HTTP") == std::string_view::npos) return true;
  return !is_passed_request(line) && !opens_connection(line);
}

std::vector<std::string> significant_lines(std::string_view text) {
  std::vector<std::string> lines = written_lines(text);
  std::vector<std::string> telling;
  std::ranges::copy_if(lines, std::back_inserter(telling), is_telling);
  return telling.empty() ? lines : telling;
}

std::string error_line(std::string_view text) {
  const std::vector<std::string> lines = significant_lines(text);
  const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
    return std::ranges::any_of(line, [](unsigned char c) { return std::isalpha(c) != 0; });
  });
  return last == lines.rend() ? "" : text_without_secrets(printable_line(digest_line(*last)));
}

}  // namespace trainctl::job
