// Implements RFC 7234 §5.5 as far as API servers use it.
#include "kube/client/warning.h"

#include <optional>

#include "base/text/text.h"

namespace trainctl::kube {

namespace {

void skip_blanks(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
}

std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t,"));
  rest.remove_prefix(word.size());
  skip_blanks(rest);
  return word;
}

std::optional<std::string> take_quoted(std::string_view& rest) {
  if (rest.empty() || rest.front() != '"') return std::nullopt;
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      rest.remove_prefix(at + 1);
      skip_blanks(rest);
      return text;
    }
    if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
    text += rest[at];
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> warning_texts(std::string_view rest) {
  std::vector<std::string> texts;
  while (true) {
    skip_blanks(rest);
    if (rest.empty()) return texts;
    const std::string_view code = take_word(rest);
    const bool has_agent = !take_word(rest).empty();
    const std::optional<std::string> text = take_quoted(rest);
    if (code.size() != 3 || !has_agent || !text) return texts;
    take_quoted(rest);  // the date
    if (code == "299" && is_utf8(*text)) {
      const std::string line = printable_line(*text);
      if (!trim(line).empty()) texts.emplace_back(trim(line));
    }
    if (!rest.empty() && rest.front() != ',') return texts;
    if (!rest.empty()) rest.remove_prefix(1);
  }
}

}  // namespace trainctl::kube
