// Decodes UTF-8 strictly, and measures and cleans text with it.
#include "base/utf8.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.h"

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
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& range) { return contains(range, c); });
}

constexpr Range k_control[] = {{0x00, 0x1F}, {0x7F, 0x9F}};

// Characters that reorder or break their line, so that a name could pose as another.
constexpr Range k_line_bending[] = {
    {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};

// The zero-width blocks that matter for names and log lines; a rare script may be off by a column.
constexpr Range k_zero_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x2069},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
constexpr Range k_double_width[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xA960, 0xA97C}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

// The length of the sequence that `lead` begins, and the smallest code point that needs that
// length.
struct Form {
  std::size_t length;
  char32_t smallest;
};
Form form_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0};
  if (lead >= 0xC2 && lead < 0xE0) return {2, 0x80};
  if (lead >= 0xE0 && lead < 0xF0) return {3, 0x800};
  if (lead >= 0xF0 && lead < 0xF5) return {4, 0x10000};
  return {0, 0};
}

}  // namespace

bool is_control(char32_t c) {
  return any_contains(k_control, c);
}

int width_of(char32_t c) {
  if (is_control(c) || any_contains(k_zero_width, c)) return 0;
  return any_contains(k_double_width, c) ? 2 : 1;
}

std::optional<char32_t> take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const Form form = form_of(lead);
  if (form.length == 1) {
    text.remove_prefix(1);
    return lead;
  }
  char32_t c = lead & (0x7FU >> form.length);
  bool good = form.length > 0 && form.length <= text.size();
  for (std::size_t i = 1; good && i < form.length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    good = (byte & 0xC0U) == 0x80;
    c = (c << 6U) | (byte & 0x3FU);
  }
  const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
  if (!good || c < form.smallest || c > 0x10FFFF || surrogate) {
    text.remove_prefix(1);
    return std::nullopt;
  }
  text.remove_prefix(form.length);
  return c;
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
    } else if (!c || is_control(*c) || any_contains(k_line_bending, *c)) {
      line += '?';
    } else {
      line += before.substr(0, before.size() - text.size());
    }
  }
  return line;
}

}  // namespace trainctl
