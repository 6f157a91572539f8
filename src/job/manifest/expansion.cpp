// Implements the kubelet's expansion, and its inverse.
#include "job/manifest/expansion.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::job {

std::string expanded(std::string_view text, const Variables& variables) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c != '$' || at + 1 == text.size()) {
      result += c;
      ++at;
      continue;
    }
    const char next = text[at + 1];
    const std::size_t close = next == '(' ? text.find(')', at + 2) : std::string_view::npos;
    if (close == std::string_view::npos) {
      result += next == '$' ? "$" : cat('$', next);
      at += 2;
      continue;
    }
    const auto name = text.substr(at + 2, close - at - 2);
    const auto found = variables.find(name);
    result += found != variables.end() ? found->second : cat("$(", name, ")");
    at = close + 1;
  }
  return result;
}

std::string unexpanded(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t dollars = std::min(text.find_first_not_of('$'), text.size());
    const char next = dollars < text.size() ? text[dollars] : '\0';
    // A single dollar is literal, as in "$HOME", except before "(" and bytes beyond ASCII: the
    // kubelet reads one byte behind it and writes it as a code point.
    const bool plain = dollars == 1 && next != '(' && static_cast<unsigned char>(next) < 0x80;
    result.append(plain ? dollars : 2 * dollars, '$');
    text.remove_prefix(dollars);
    const std::size_t other = std::min(text.find('$'), text.size());
    result += text.substr(0, other);
    text.remove_prefix(other);
  }
  return result;
}

}  // namespace trainctl::job
