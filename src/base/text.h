// Small text tools every layer uses.
#pragma once

#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl {

// Concatenates strings, characters and numbers.
template <typename... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

// "a,b,,c" by ',' gives {"a","b","","c"}; an empty text gives {""}.
std::vector<std::string> split(std::string_view text, char separator);

// Splits at the first separator only; second is absent when there is none.
struct Halves {
  std::string first;
  std::string second;
  bool found = false;
};
Halves split_once(std::string_view text, char separator);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);  // ASCII only

// True for well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
bool is_utf8(std::string_view text);

// Columns a terminal needs for UTF-8 text: combining and control characters count 0, East Asian
// wide ones and emoji 2, a malformed byte 1.
int display_width(std::string_view text);

// Replaces control characters so that untrusted text (server messages, names) cannot drive a
// terminal (or reorder its line); newlines and tabs become spaces, malformed bytes question marks.
std::string printable_line(std::string_view text);

// The candidate with the smallest edit distance, if it is near enough to be a typing error
// (distance at most a third of the longer word, at least 1; a swap of neighbours is one); ""
// otherwise.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "1 pod", "2 pods".
std::string plural(long count, std::string_view singular);

// Quotes for pasting into a POSIX shell; leaves plain words as they are.
std::string shell_quoted(std::string_view word);

}  // namespace trainctl
