// Finds where an unfinished character or colour begins.
#include "work/session/shown_text.h"

#include <utility>

namespace trainctl::work {
namespace {

constexpr std::size_t k_longest_colour = 32;
constexpr std::size_t k_longest_line = std::size_t{1} << 20;

std::size_t open_line(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  const std::size_t size = end == std::string_view::npos ? text.size() : text.size() - end - 1;
  return size > k_longest_line ? 0 : size;
}

// The size of an unfinished UTF-8 sequence at the end.
std::size_t open_character(std::string_view text) {
  constexpr std::size_t k_longest = 4;
  for (std::size_t size = 1; size < k_longest && size <= text.size(); ++size) {
    const auto byte = static_cast<unsigned char>(text[text.size() - size]);
    if ((byte & 0xC0U) == 0x80U) continue;  // continues a sequence
    const std::size_t whole = byte >= 0xF0U ? 4 : byte >= 0xE0U ? 3 : byte >= 0xC0U ? 2 : 1;
    return whole > size ? size : 0;
  }
  return 0;
}

// The size of an unfinished ESC [ numbers at the end.
std::size_t open_colour(std::string_view text) {
  const std::size_t at = text.rfind('\x1b');
  if (at == std::string_view::npos || text.size() - at > k_longest_colour) return 0;
  const std::string_view tail = text.substr(at);
  if (tail.size() == 1) return 1;
  const bool open =
      tail[1] == '[' && tail.find_first_not_of("0123456789;:", 2) == std::string_view::npos;
  return open ? tail.size() : 0;
}

}  // namespace

bool is_exact(const Console& console) {
  return !console.out_is_tty && console.out_reader() == CiSystem::none;
}

std::string ShownText::take(std::string_view bytes) {
  std::string text = std::exchange(held_, {});
  text += bytes;
  std::size_t open = whole_lines_ ? open_line(text) : open_character(text);
  if (open == 0) open = open_colour(text);
  held_ = text.substr(text.size() - open);
  text.resize(text.size() - open);
  return text;
}

std::string ShownText::rest() {
  return std::exchange(held_, {});
}

}  // namespace trainctl::work
