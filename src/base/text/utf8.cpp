// Looks up code points in utf8proc, and measures and cleans text with it.
#include "base/text/utf8.h"

#include <algorithm>
#include <iterator>
#include <string>

#include <utf8proc.h>

#include "base/text/text.h"

namespace trainctl {

namespace {

struct Range {
  char32_t first, last;
};

constexpr bool contains(const Range& range, char32_t c) {
  return range.first <= c && c <= range.last;
}

template <std::size_t N>
bool any_contains(const Range (&ranges)[N], char32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return contains(range, c); });
}

constexpr Range k_control[] = {{0x00, 0x1F}, {0x7F, 0x9F}};

// Unicode's controls of direction, its separators of lines, and the byte order mark.
constexpr Range k_line_bending[] = {
    {0x061C, 0x061C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};

}  // namespace

bool is_control(char32_t c) {
  return any_contains(k_control, c);
}

bool bends_line(char32_t c) {
  return any_contains(k_line_bending, c);
}

// Counts each code point, as wcwidth and therefore most terminals do: few draw a family or a flag
// as a single sign, and those do not agree on its width. Characters of ambiguous width count as
// narrow, as they are outside of East Asian locales.
int width_of(char32_t c) {
  const auto code = static_cast<utf8proc_int32_t>(c);
  const int width = utf8proc_charwidth(code);
  if (width > 0) return width;
  // utf8proc counts vowel signs of Indic scripts as part of their letter, but terminals give them a
  // column.
  return utf8proc_category(code) == UTF8PROC_CATEGORY_MC ? 1 : 0;
}

std::optional<char32_t> take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) {
    text.remove_prefix(1);
    return lead;
  }
  utf8proc_int32_t c = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto taken = utf8proc_iterate(bytes, std::ssize(text), &c);
  text.remove_prefix(taken > 0 ? static_cast<std::size_t>(taken) : 1);
  if (taken <= 0) return std::nullopt;
  return static_cast<char32_t>(c);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (!take_code_point(text)) return false;
  }
  return true;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const auto c = take_code_point(text);
    width += c ? width_of(*c) : 1;
  }
  return width;
}

std::string printable_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const auto c = take_code_point(text);
    if (c == U'\n' || c == U'\r' || c == U'\t') {
      line += ' ';
    } else if (!c || is_control(*c) || bends_line(*c)) {
      line += '?';
    } else {
      line += before.substr(0, before.size() - text.size());
    }
  }
  return line;
}

}  // namespace trainctl
