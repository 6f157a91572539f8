// Searches lines for the user's patterns.
#include "logs/line_filter.h"

#include <algorithm>

#include "base/text/terminal_text.h"

namespace trainctl::job {

bool LineFilter::passes(std::string_view line) const {
  const auto is_found = [line](const Pattern& pattern) { return pattern.found_in(line); };
  if (std::ranges::any_of(exclude, is_found)) return false;
  return include.empty() || std::ranges::any_of(include, is_found);
}

std::string LineFilter::highlighted(std::string text) const {
  if (highlight.empty()) return text;
  const std::string plain = without_colour(text);
  std::vector<bool> marked(plain.size());
  bool any = false;
  for (const Pattern& pattern : highlight) {
    for (const auto& [begin, end] : pattern.matches(plain)) {
      const auto first = marked.begin();
      std::fill(first + static_cast<std::ptrdiff_t>(begin),
                first + static_cast<std::ptrdiff_t>(end), true);
      any = true;
    }
  }
  return any ? inverted(text, marked) : text;
}

}  // namespace trainctl::job
