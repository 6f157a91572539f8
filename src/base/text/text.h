// Small text tools every layer uses.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace trainctl {

// The number of edits (insert, delete, replace, swap of neighbours) that turn one word into the
// other. A swap counts once, because it is the most common typing error.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The types that cat() takes: strings, characters and whole numbers.
template <typename Part>
concept Catable = std::convertible_to<const Part&, std::string_view> || std::integral<Part>;

// Concatenates its arguments.
template <Catable... Parts>
std::string cat(const Parts&... parts) {
  std::string text;
  const auto append = [&text](const auto& part) {
    using Part = std::remove_cvref_t<decltype(part)>;
    if constexpr (std::convertible_to<const Part&, std::string_view>) {
      text += std::string_view(part);
    } else if constexpr (std::same_as<Part, char>) {
      text += part;
    } else {
      text += std::to_string(part);
    }
  };
  (append(parts), ...);
  return text;
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

// Orders names as people do: "sweep-2" comes before "sweep-10".
bool comes_before(std::string_view name, std::string_view other);

// The text between the first `begin` and the next `end`; "" when one of them is missing.
std::string between(std::string_view text, std::string_view begin, std::string_view end);
// The text behind the first mark; all of it when there is none.
std::string_view behind(std::string_view text, std::string_view mark);
// The lines that hold more than blanks.
std::vector<std::string> written_lines(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);  // ASCII only
std::string upper(std::string_view text);  // the same

// ASCII, whatever the locale.
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_letter_or_digit(char c) {
  return is_letter(c) || is_digit(c);
}

// True for well-formed UTF-8 (no surrogates, no overlong forms, at most U+10FFFF).
bool is_utf8(std::string_view text);

// Columns a terminal needs for UTF-8 text: combining and control characters count 0, East Asian
// wide ones and emoji 2, a malformed byte 1.
int display_width(std::string_view text);

// Replaces control characters so that untrusted text (server messages, names) cannot drive a
// terminal (or reorder its line); newlines and tabs become spaces, malformed bytes question marks.
std::string printable_line(std::string_view text);

// The candidate with the smallest edit distance, if it is near enough to be a typing error
// (distance at most a third of the longer word; a swap of neighbours is one); ""
// otherwise.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "1 pod", "2 pods".
std::string plural(long count, std::string_view singular);

// "312 B", "1.3 MiB"; tenths are cut off.
std::string size_text(std::uint64_t bytes);

// The last `count` hexadecimal digits of the value, in lower case.
std::string hex_digits(std::uint64_t value, int count);
// "%0A": how URLs and headers of requests write a byte that they cannot hold.
std::string percent_escaped(char byte);

// Quotes for pasting into a POSIX shell; leaves plain words as they are.
std::string shell_quoted(std::string_view word);

// Masks credentials for display: "https://user:secret@host" becomes "https://***@host"; other text
// is unchanged.
std::string masked_user_info(std::string_view url);

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
