// Most patterns are plain words, for which no expression is run.
#include "work/history/log_search.h"

#include <array>

#include <regex.h>

#include "base/text/text.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_special = R"(\^$.|?*+()[]{})";
constexpr int k_tabs_before_text = 6;

// The text of a kept line; empty for one without fields.
std::string_view text_of(std::string_view line) {
  for (int tabs = 0; tabs < k_tabs_before_text; ++tabs) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return {};
    line.remove_prefix(tab + 1);
  }
  return line;
}

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
        Code::usage, cat("the pattern `", text, "` is no regular expression: ", words.data()),
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

void for_matches(std::string_view content, const LogPattern& pattern,
                 const std::function<void(const std::vector<job::KeptLine>&)>& use) {
  std::string matching;
  for (std::size_t begin = 0, end = 0; (end = content.find('\n', begin)) != std::string_view::npos;
       begin = end + 1) {
    const std::string_view line = content.substr(begin, end - begin);
    // A gap is no line of the job.
    if (line.starts_with('\t') || !pattern.matches(text_of(line))) continue;
    matching.append(line).push_back('\n');
  }
  if (!matching.empty()) use(job::read_kept_lines(matching));
}

}  // namespace trainctl::work
