// Most patterns are plain words, for which no expression is run.
#include "work/history/log_search.h"

#include <array>

#include <regex.h>

#include "base/text/text.h"
#include "job/logs/kept_line.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_special = R"(\^$.|?*+()[]{})";

}  // namespace

struct LogPattern::Compiled {
  std::string plain;  // "" = the expression decides
  regex_t expression{};

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    if (plain.empty()) regfree(&expression);
  }
};

Result<LogPattern> LogPattern::parse(const std::string& text, Case letters) {
  if (text.empty()) {
    return Error{Code::usage, "the pattern is empty", "trainctl grep 'loss nan'"};
  }
  auto compiled = std::make_shared<Compiled>();
  compiled->plain = text;
  const bool is_plain =
      letters == Case::matters && text.find_first_of(k_special) == std::string::npos;
  if (is_plain) return LogPattern(std::move(compiled));
  const int flags = REG_EXTENDED | REG_NOSUB | (letters == Case::ignored ? REG_ICASE : 0);
  if (const int fault = regcomp(&compiled->expression, text.c_str(), flags); fault != 0) {
    std::array<char, 128> words{};
    regerror(fault, &compiled->expression, words.data(), words.size());
    return Error{
        Code::usage, cat("the pattern `", text, "` is not a regular expression: ", words.data()),
        R"(put \ in front of characters that stand for themselves: trainctl grep '\(loss')"};
  }
  compiled->plain.clear();
  return LogPattern(std::move(compiled));
}

bool LogPattern::matches(std::string_view line) const {
  if (!compiled_->plain.empty()) return line.find(compiled_->plain) != std::string_view::npos;
  regmatch_t range{};
  range.rm_eo = static_cast<regoff_t>(line.size());
  return regexec(&compiled_->expression, line.data(), 1, &range, REG_STARTEND) == 0;
}

std::string matching_lines(std::string_view content, const LogPattern& pattern) {
  std::string matching;
  for (std::size_t begin = 0, end = 0; (end = content.find('\n', begin)) != std::string_view::npos;
       begin = end + 1) {
    const std::string_view line = content.substr(begin, end - begin);
    if (line.starts_with(job::k_gap_begins) || !pattern.matches(job::kept_text(line))) continue;
    matching.append(line).push_back('\n');
  }
  return matching;
}

}  // namespace trainctl::work
