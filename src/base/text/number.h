// Parses numbers.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace trainctl {

// Returns the number if the whole text is one: "+1", " 1" and "1x" are not. nullopt also for a
// number that the type cannot hold.
template <std::integral Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number, base);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace trainctl
