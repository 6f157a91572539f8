// Finds long words line by line; a stand-in is a mark, the word's number and an end.
#include "base/value/yaml_long_words.h"

#include <algorithm>
#include <charconv>

#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr std::size_t k_long = 256;
constexpr std::string_view k_mark = "LongWordOfThisText";
constexpr char k_end = 'z';

bool is_base64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '/' || c == '=';
}

// The word that a line ends with, without a closing quote; "" when it is short, or more than a
// word: an anchor, a tag.
std::string_view long_word(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.ends_with('"') || line.ends_with('\'')) line.remove_suffix(1);
  const auto begin = std::find_if_not(line.rbegin(), line.rend(), is_base64).base();
  const std::string_view word(begin, line.end());
  if (word.size() < k_long) return {};
  const bool stands_alone =
      begin == line.begin() || std::string_view(" \"'").find(begin[-1]) != std::string_view::npos;
  return stands_alone ? word : std::string_view{};
}

}  // namespace

YamlLongWords::YamlLongWords(std::string_view text) {
  // Escape sequences could produce the mark in a text that does not contain it.
  const bool usable = text.size() >= k_long && text.find('\\') == std::string_view::npos &&
                      text.find(k_mark) == std::string_view::npos;
  std::size_t taken = 0;
  for (std::size_t at = 0; usable && at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view word = long_word(text.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    const auto place = static_cast<std::size_t>(word.data() - text.data());
    shortened_ += text.substr(taken, place - taken);
    shortened_ += cat(k_mark, words_.size(), k_end);
    words_.push_back(word);
    taken = place + word.size();
  }
  shortened_ += text.substr(taken);
}

std::string YamlLongWords::restored(std::string scalar) const {
  if (words_.empty()) return scalar;
  std::size_t at = 0;
  while ((at = scalar.find(k_mark, at)) != std::string::npos) {
    std::size_t number = 0;
    const char* const digits = scalar.data() + at + k_mark.size();
    const char* const end = std::from_chars(digits, scalar.data() + scalar.size(), number).ptr;
    const std::string_view word = words_.at(number);
    scalar.replace(at, static_cast<std::size_t>(end + 1 - scalar.data()) - at, word);
    at += word.size();
  }
  return scalar;
}

}  // namespace trainctl
