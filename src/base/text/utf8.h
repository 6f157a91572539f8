// Decodes UTF-8 one code point at a time.
#pragma once

#include <optional>
#include <string_view>

namespace trainctl {

// Removes the first code point from a non-empty text. Bytes that are not well-formed UTF-8
// (surrogates and overlong forms among them) are taken one at a time and give nullopt.
std::optional<char32_t> take_code_point(std::string_view& text);

// True for C0 and C1 characters, including newlines and tabs.
bool is_control(char32_t c);
// True for characters that reorder or break their line, so that a text could pose as another.
bool bends_line(char32_t c);
// The columns it takes on a terminal: 0, 1 or 2.
int width_of(char32_t c);

}  // namespace trainctl
