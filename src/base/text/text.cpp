// Splitting, joining, guessing what was meant, quoting for a shell.
#include "base/text/text.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace trainctl {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

namespace {

constexpr std::string_view k_blanks = " \t\r\n\f\v";

bool is_plain_in_a_shell(char c) {
  constexpr std::string_view k_harmless = "_@%+=:,./-";
  return is_letter_or_digit(c) || k_harmless.find(c) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Halves split_once(std::string_view text, char separator) {
  const auto at = text.find(separator);
  if (at == std::string_view::npos) return {std::string(text), "", false};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1)), true};
}

namespace {

// Without leading zeros.
std::string_view significant_digits(std::string_view& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

}  // namespace

bool comes_before(std::string_view name, std::string_view other) {
  while (!name.empty() && !other.empty()) {
    if (is_digit(name.front()) && is_digit(other.front())) {
      const std::string_view number = significant_digits(name),
                             other_number = significant_digits(other);
      if (number.size() != other_number.size()) return number.size() < other_number.size();
      if (number != other_number) return number < other_number;
    } else if (name.front() != other.front()) {
      return name.front() < other.front();
    } else {
      name.remove_prefix(1);
      other.remove_prefix(1);
    }
  }
  return name.empty() && !other.empty();
}

std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t found = text.find(begin);
  if (found == std::string_view::npos) return "";
  text.remove_prefix(found + begin.size());
  const std::size_t stop = text.find(end);
  return stop == std::string_view::npos ? "" : std::string(text.substr(0, stop));
}

std::string_view behind(std::string_view text, std::string_view mark) {
  const std::size_t found = text.find(mark);
  return found == std::string_view::npos ? text : text.substr(found + mark.size());
}

std::vector<std::string> written_lines(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  std::erase_if(lines, [](const std::string& line) { return trim(line).empty(); });
  return lines;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != parts.data()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(k_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(k_blanks) - first + 1);
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

std::string upper(std::string_view text) {
  std::string raised(text);
  for (char& c : raised) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return raised;
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string_view best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    // Words with more slips are other words: --shell is not --stall, nor --gang --arg.
    const std::size_t longest = std::max(word.size(), candidate.size());
    const std::size_t limit =
        std::min({longest / 3, std::max<std::size_t>(longest / 4, 1), std::size_t{2}});
    const std::size_t distance = edit_distance(word, candidate);
    if (distance > limit || (!best.empty() && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return std::string(best);
}

std::string plural(long count, std::string_view singular) {
  return cat(count, ' ', singular, count == 1 ? "" : "s");
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view k_units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  constexpr std::uint64_t k_step = 1024;
  std::size_t unit = 0;
  std::uint64_t tenths = bytes * 10;
  while (tenths >= k_step * 10 && unit + 1 < std::size(k_units)) {
    tenths /= k_step;
    ++unit;
  }
  if (unit == 0) return cat(bytes, k_units[0]);
  return cat(tenths / 10, '.', tenths % 10, k_units[unit]);
}

std::string hex_digits(std::uint64_t value, int count) {
  std::string digits;
  for (int shift = 4 * (count - 1); shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(value >> shift) & 15U];
  }
  return digits;
}

std::string percent_escaped(char byte) {
  constexpr std::string_view k_upper_digits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  return {'%', k_upper_digits[value >> 4U], k_upper_digits[value & 15U]};
}

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain_in_a_shell)) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string masked_user_info(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  const std::size_t at = url.rfind('@');  // a password may hold a '/' or another '@'
  const bool has_both = scheme_end != std::string_view::npos && at != std::string_view::npos;
  if (!has_both || at < scheme_end) return std::string(url);
  return cat(url.substr(0, scheme_end), "://***", url.substr(at));
}

}  // namespace trainctl
