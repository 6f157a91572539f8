// Splits a `cmd` file into words as a POSIX shell would, expanding nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl::testing {

// Blanks and newlines separate words; '…' is literal; in "…" a backslash is literal except before "
// and \; outside of quotes, it makes the next character literal, and at a line's end joins the line
// with the next. nullopt when a quote is not closed.
inline std::optional<std::vector<std::string>> shell_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun, possibly an empty one
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (quote == '\'' || (quote == '"' && c != '\\')) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (quote == '"') {
      const bool escapes = next == '"' || next == '\\';
      word += escapes ? next : c;
      if (escapes) ++i;
    } else if (c == '\\') {
      ++i;
      if (next == '\n') continue;
      word += next;
      inside = true;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) return std::nullopt;
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace trainctl::testing
