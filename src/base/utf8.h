// Code points out of UTF-8 bytes, one at a time.
#pragma once

#include <optional>
#include <string_view>

namespace trainctl {

// Takes the first code point off a text that is not empty. Bytes that are not well-formed UTF-8
// (surrogates and overlong forms among them) are taken one at a time and give nullopt.
std::optional<char32_t> take_code_point(std::string_view& text);

// C0 and C1, newlines and tabs among them.
bool is_control(char32_t c);
// Columns of a terminal: 0, 1 or 2.
int width_of(char32_t c);

}  // namespace trainctl
